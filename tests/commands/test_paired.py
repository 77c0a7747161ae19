"""`vlmtom paired`: what it prints, what it refuses, and the worked example of its page."""

import base64
import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.calls.helpers import png
from tests.commands.helpers import vlmtom
from tests.loopback.server import LoopbackServer, completion
from vlmtom.cli import main
from vlmtom.stats.multiplicity import benjamini_hochberg
from vlmtom.stats.paired import Scene, paired_effect

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "golden"
PAGE = (ROOT / "docs" / "paired_baseline.md").read_text(encoding="utf-8")
KEYS = {
    *("G", "G_paired", "n0", "n1", "method", "p0", "p1", "diff", "se", "df", "lo", "hi", "p"),
    *("share0_method", "share0_lo", "share0_hi", "share1_method", "share1_lo", "share1_hi"),
}
HEADER = "scene,condition,reply,y"


def printed(capsys, *arguments):
    """What the command prints, read strictly: a NaN would be no JSON."""
    assert main(["paired", *map(str, arguments)]) == 0

    def refuse(name):
        raise AssertionError(name)

    return json.loads(capsys.readouterr().out, parse_constant=refuse)


def refused(capsys, *arguments):
    assert main(["paired", *map(str, arguments)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def written(path, *lines, encoding="utf-8"):
    path.write_text("\n".join([*lines, ""]), encoding=encoding)
    return path


def test_a_comparison_is_one_json_object_with_what_the_golden_table_has(capsys):
    with (GOLDEN / "expected.csv").open(newline="") as file:
        expected = {row["dataset"]: row for row in csv.DictReader(file)}
    for name, want in expected.items():
        found = printed(capsys, GOLDEN / f"{name}.csv")
        assert found.keys() == KEYS
        for key in KEYS:
            if key.endswith("method"):
                assert found[key] == want[key]
            elif want[key]:
                assert found[key] == pytest.approx(float(want[key]), abs=5e-7), (name, key)
            else:
                assert found[key] is None


def test_the_page_shows_what_is_printed(capsys):
    shown = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])
    found = printed(capsys, GOLDEN / "g1_balanced.csv")
    assert found == {
        key: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
        for key, value in shown.items()
    }
    assert list(found) == list(shown)


def test_the_seed_moves_the_shares_intervals_alone(capsys):
    file = GOLDEN / "g2_missing.csv"
    default, same, other = (
        printed(capsys, file, *s) for s in ((), ("--seed", 20261), ("--seed", 5))
    )
    assert default == same
    differing = {key for key in KEYS if default[key] != other[key]}
    assert differing and all(key.startswith("share") for key in differing)


def test_files_given_together_are_one_family(capsys):
    files = sorted(GOLDEN.glob("g*.csv"))
    found = printed(capsys, files[0], "--compare", *files[1:])
    assert [row["name"] for row in found] == [str(file) for file in files]
    alone = [printed(capsys, file) for file in files]
    assert [{key: row[key] for key in KEYS} for row in found] == alone
    assert [row["p_adj"] for row in found] == benjamini_hochberg([row["p"] for row in alone])
    assert [row["changed"] for row in found] == [True, True, False, False, False]
    assert all(row.keys() == KEYS | {"name", "p_adj", "changed"} for row in found)


def test_what_cannot_be_estimated_is_null_and_not_counted_in_the_family(capsys, tmp_path):
    few = written(tmp_path / "few.csv", HEADER, "a,0,1,1", "a,0,2,0", "a,1,1,", "b,1,1,")
    found = printed(capsys, GOLDEN / "g1_balanced.csv", "--compare", few)
    assert found[0]["p_adj"] == found[0]["p"]
    row = found[1]
    assert (row["method"], row["G"], row["n0"], row["n1"]) == ("not_estimable", 1, 2, 0)
    assert (row["p0"], row["p1"], row["share1_method"]) == (0.5, None, "not_estimable")
    names = ("diff", "se", "df", "lo", "hi", "p", "share1_lo", "share1_hi", "p_adj", "changed")
    assert [row[name] for name in names] == [None] * len(names)


def test_bom_blank_lines_spaces_and_further_columns_are_read(capsys, tmp_path):
    with (GOLDEN / "g2_missing.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [f" {r['y']},note, {r['reply']},{r['scene']} ,{r['condition']}" for r in rows]
    header = "y,remark, reply,scene,condition"
    file = written(tmp_path / "b.csv", header, "", *reversed(lines), ",,,,", encoding="utf-8-sig")
    assert printed(capsys, file) == printed(capsys, GOLDEN / "g2_missing.csv")


def test_all_that_is_wrong_is_told_at_once_by_file_row_and_column(capsys, tmp_path):
    one = written(
        *(tmp_path / "one.csv", HEADER, "s1,0,1,2", "s1,0,1,0", "s1,with,,1", ",1,1,nan", "x,1,1"),
    )
    two = written(tmp_path / "two.csv", "scene,cond,reply,reply,y", "s1,0,1,1,1")
    three = written(tmp_path / "three.csv", HEADER.replace(",", ";"))
    said = refused(capsys, one, "--compare", two, three, tmp_path / "none.csv")
    assert said.splitlines() == [
        "vlmtom paired: nothing was computed:",
        f"  {one}, row 2, column y: expected 0, 1 or nothing for a reply that cannot count, "
        "found '2'.",
        f"  {one}, row 3, column reply: scene 's1', condition '0', reply '1' is in row 2 already.",
        f"  {one}, row 4, column reply: empty.",
        f"  {one}, row 4, column condition: expected 0 (without) or 1 (with), found 'with'.",
        f"  {one}, row 5, column scene: empty.",
        f"  {one}, row 5, column y: expected 0, 1 or nothing for a reply that cannot count, "
        "found 'nan'.",
        f"  {one}, row 6: 3 cells, but 4 columns.",
        f"  {two}, row 1: no column 'condition'; column 'reply' is there 2 times. Expected the "
        "columns scene, condition, reply, y.",
        f"  {three}, row 1: the columns are separated by ';'; expected commas. Save it as "
        "comma-separated CSV.",
        f"  {tmp_path / 'none.csv'}: cannot be read (No such file or directory).",
    ]


def test_more_than_ten_problems_are_counted(capsys, tmp_path):
    file = written(tmp_path / "a.csv", HEADER, *[f"s,0,{n},x" for n in range(13)])
    said = refused(capsys, file).splitlines()
    assert len(said) == 12 and said[-1] == "  … and 3 more."


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty. Expected the columns scene, condition, reply, y."),
        (b"\n\n", "the file is empty."),
        (b"scene,condition,reply,y\n", "no answer in it. Give a row for every reply"),
        ("scene,condition,reply,y\nä,0,1,1\n".encode("latin-1"), "not UTF-8 (byte 24"),
        (b'scene,condition,reply,y\n"a"b,0,1,1\n', "row 2: not CSV ("),
        (b"scene,condition,reply,y\n\x1b[31m,5,1,1\n", "found '5'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(capsys, tmp_path, content, words):
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    said = refused(capsys, file)
    assert str(file) in said and words in said and "\x1b" not in said


def test_a_comparison_twice_in_a_family_and_a_seed_below_zero_are_refused(capsys):
    file = GOLDEN / "g1_balanced.csv"
    said = refused(capsys, file, "--compare", file)
    assert said == f"vlmtom paired: {file}: given twice; a family holds a comparison once.\n"
    assert refused(capsys, file, "--seed", -1) == (
        "vlmtom paired: --seed: expected 0 or more, found -1.\n"
    )


HIDDEN = {"s001": 7, "s002": 3, "s003": 9, "s004": 1}
# In how many of five replies the hidden block is chosen: without, with the question.
CHOSEN = {"s001": (0, 5), "s002": (1, 4), "s003": (2, 3), "s004": (1, 4)}


class Model:
    """Knows a scene by its picture, and whether it is asked for a report by the prompt."""

    def __init__(self):
        self.calls = {}

    def __call__(self, body):
        parts = body["messages"][-1]["content"]
        scene = self.scene(parts)
        with_question = "visible" in parts[-1]["text"]
        number = self.calls.setdefault((scene, with_question), 0)
        self.calls[scene, with_question] += 1
        choice = HIDDEN[scene] if number < CHOSEN[scene][with_question] else 5
        if (scene, with_question, number) == ("s002", False, 4):
            return completion(body, "I would move a block.")
        answer = {"visible": [1, 5], "choice": choice} if with_question else {"choice": choice}
        return completion(body, f"I look at it. ```json\n{json.dumps(answer)}\n```")

    @staticmethod
    def scene(parts):
        content = base64.b64decode(parts[0]["image_url"]["url"].split(",")[1])
        return next(f"s{n:03}" for n in range(1, 5) if png(10 * n) == content)


@pytest.mark.timeout(120)
def test_the_worked_example_of_the_page_runs_as_it_stands(tmp_path):
    blocks = re.findall(r"```(?:csv|python)\n(.*?)```", PAGE, re.DOTALL)
    names = ("scenes.csv", "make_items.py", "score.py")
    order = [PAGE.index(part) for pair in zip(names, blocks, strict=True) for part in pair]
    assert order == sorted(order)  # each block stands below its file's name
    for name, block in zip(names, blocks, strict=True):
        (tmp_path / name).write_text(block, encoding="utf-8")
    (tmp_path / "scenes").mkdir()
    for n in range(1, 5):
        (tmp_path / "scenes" / f"s{n:03}.png").write_bytes(png(10 * n))

    def python(name):
        subprocess.run([sys.executable, name], cwd=tmp_path, check=True)

    python("make_items.py")
    with (tmp_path / "items.csv").open(newline="", encoding="utf-8") as file:
        prompts = {row["arm"]: row["prompt"] for row in csv.DictReader(file)}
    pairs = zip(prompts["with"], prompts["without"], strict=False)
    start = next(place for place, (a, b) in enumerate(pairs) if a != b)
    end = start + len(prompts["with"]) - len(prompts["without"])
    assert prompts["with"][:start] + prompts["with"][end:] == prompts["without"]
    assert "visible" in prompts["with"][start:end]

    line = re.search(r"vlmtom (ask items\.csv .*?)\n\n", PAGE, re.DOTALL)[1].replace("\\\n", " ")
    words = shlex.split(line)
    with LoopbackServer(Model()) as server:
        words[words.index("--base-url") + 1] = server.base_url
        done = vlmtom(tmp_path, *words, "--no-probe", VLMTOM_API_KEY="sk-of-the-test")
        assert done.returncode == 0, done.stderr
        assert server.stats.requests == 2 * 4 * 5
    python("score.py")
    found = json.loads(vlmtom(tmp_path, "paired", "hidden_chosen.csv").stdout)
    want = paired_effect(
        Scene(s, 4 if s == "s002" else 5, without, 5, with_)
        for s, (without, with_) in CHOSEN.items()
    )
    assert (found["n0"], found["n1"], found["method"]) == (19, 20, "gee")
    assert (found["diff"], found["se"]) == (float(want.diff), want.se)
