"""What `vlmtom compare` finds between two runs, with counts by hand."""

import csv
import shutil

import pyarrow.parquet as pq
import pytest

from tests.commands.helpers import Run, vlmtom
from tests.loopback.server import LoopbackServer
from vlmtom.commands import comparing
from vlmtom.observers import answer
from vlmtom.stats.paired import mcnemar_exact
from vlmtom.store.files import read_rows, write_rows
from vlmtom.store.schemas import (
    DESCRIPTIONS,
    DIRECTOR_CELLS,
    DIRECTOR_OUTCOMES,
    REPLIES,
    TABLE2,
    TABLE8,
    VERDICTS,
)
from vlmtom.store.schemas.mosaic_products import MOSAIC_SIGNALS


def blank(schema, **values):
    """A row of a schema; what is not given is null, or of no meaning."""
    made = {}
    for column in schema.columns:
        kind = str(column.type)
        plain = {"string": "x", "int64": 1, "bool": False, "double": 0.0}.get(kind, [])
        made[column.name] = None if column.nullable else plain
    assert set(values) <= set(made)
    return made | values


def outcome(trial, correct, item="director/canonical/Q01/b", measure="b", tester="t1", **values):
    values = {"failure_mode": None if correct is None else "correct" if correct else "egocentric"}
    return blank(
        DIRECTOR_OUTCOMES,
        tester=tester,
        arm="canonical",
        item_id=item,
        trial=trial,
        measure=measure,
        letter_correct=correct,
        strict_correct=correct,
        **values,
    )


def results(folder, **tables):
    """A folder of results with these tables: path (with __ for /) to (schema, rows)."""
    for path, (schema, rows) in tables.items():
        write_rows(folder / f"{path.replace('__', '/')}.parquet", rows, schema)
    return folder


def new(folder):
    folder.mkdir()
    return folder


def compare(folder, *arguments):
    return vlmtom(folder, "compare", *map(str, arguments))


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Two testers of one run, asked over HTTP."""
    with LoopbackServer(answer) as server:
        run = Run(
            tmp_path_factory.mktemp("run"), server.base_url, trials=3, gateway_model="obs-guess"
        )
        run.job("t1")
        run.job("t2")
    return run


def test_a_run_compared_with_itself_has_no_difference(asked, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(asked.results, copy)
    done = compare(tmp_path, asked.results, copy)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nNo difference.\n")
    assert "Neither has Director Task outcomes, " in done.stdout


def test_replies_of_one_request_that_differ_are_told_with_both_texts(asked, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(asked.results, copy)
    path = copy / "replies" / "t1" / "director.w1.parquet"
    first, *others = read_rows(path, REPLIES)
    path.unlink()
    # one answered otherwise, one of another model name, one that only A has
    changed = [first | {"text": "=1+1 other words"}, *others[:-1]]
    changed[1] = changed[1] | {"served_model": "vendor/t1-2026"}
    write_rows(path, changed, REPLIES)
    done = compare(tmp_path, asked.results, copy, "--csv", "out")
    assert done.returncode == 1
    n = len(others)
    told = f"t1 director: of {n} requests in both, 1 were answered otherwise; 1 only in A, 0 only"
    assert told in done.stdout
    assert "tester t1: served_model vendor/t1-2026: 0 in A, 1 in B" in done.stdout
    assert "Different: Replies; Models that answered." in done.stdout
    listed = rows_of(tmp_path / "out" / "replies_changed.csv")
    assert [row["what"] for row in listed] == ["text", "only in A"]
    assert listed[0]["text_a"] == first["text"]
    assert listed[0]["text_b"].lstrip("'") == "=1+1 other words"
    assert listed[0]["text_b"] != "=1+1 other words", "no formula for a spreadsheet"
    counts = rows_of(tmp_path / "out" / "replies.csv")
    assert [(row["tester"], row["n_other"]) for row in counts] == [("t1", "1"), ("t2", "0")]


def test_another_seed_is_another_set_of_requests(asked, tmp_path):
    with LoopbackServer(answer) as server:
        run = Run(
            new(tmp_path / "run"), server.base_url, gateway_model="obs-guess", testers=("t1",)
        )
        run.config["seed"] = 7
        run.save()
        run.job("t1")
    done = compare(tmp_path, asked.results, run.results)
    assert done.returncode == 1
    # 2 items of 3 trials in A, of one trial in B
    told = "t1 director: of 0 requests in both, 0 were answered otherwise; 6 only in A, 2 only in B"
    assert told in done.stdout
    assert "only in A, not compared: t2" in done.stdout


def test_flips_are_counted_over_pairs_that_both_sides_answered(tmp_path):
    # Trials 1 to 8 of b, A then B: right right, right right, wrong wrong, right wrong, wrong right,
    # wrong right, missing right, right missing. Of 6 pairs 2 both right, 1 both wrong, 1 only A,
    # 2 only B; the exact p of 1 in 3 is 2 * (1 + 3) / 8 = 1.
    a = [True, True, False, True, False, False, None, True]
    b = [True, True, False, False, True, True, True, None]
    sides = [
        results(
            tmp_path / name,
            outcomes__t1__director=(
                DIRECTOR_OUTCOMES,
                [outcome(trial, value) for trial, value in enumerate(values, 1)],
            ),
        )
        for name, values in (("a", a), ("b", b))
    ]
    done = compare(tmp_path, *sides, "--csv", "out")
    assert done.returncode == 1
    assert (
        "t1 canonical b (letter): n = 6: both right 2, both wrong 1, only A right 1, only B "
        "right 2, exact p = 1; missing in A alone 1, in B alone 1"
    ) in done.stdout
    (letter, strict) = rows_of(tmp_path / "out" / "flips.csv")
    assert {k: v for k, v in letter.items() if k != "level"} == {
        k: v for k, v in strict.items() if k != "level"
    }
    flipped = [r for r in rows_of(tmp_path / "out" / "flipped_items.csv") if r["level"] == "letter"]
    assert [row["trial"] for row in flipped] == ["4", "5", "6", "7", "8"]
    assert (flipped[0]["failure_mode_a"], flipped[0]["failure_mode_b"]) == ("correct", "egocentric")


def test_the_exact_p_of_a_paired_count_is_that_of_a_fair_coin():
    # 0 of 5: 2 / 2^5. 1 of 6: 2 * (1 + 6) / 2^6. R: mcnemar.exact gives the same two.
    assert mcnemar_exact(0, 5) == pytest.approx(0.0625)
    assert mcnemar_exact(5, 1) == pytest.approx(0.21875)
    assert mcnemar_exact(3, 3) == 1
    assert mcnemar_exact(0, 0) is None


def test_items_that_show_other_pictures_are_not_paired():
    def item(picture):
        turns = [{"role": "user", "text": "t", "pictures": [picture], "video": None}]
        return {"item_id": "i", "trials": 1, "batch": "d", "turns": turns}

    other = comparing.other_pictures([item("p")], [item("q")])
    assert other == {"i"}
    assert comparing.other_pictures([item("p")], [item("p")]) == set()
    assert comparing.other_pictures(None, [item("p")]) == set()
    rows = [outcome(1, True, item="i")], [outcome(1, False, item="i"), outcome(2, True, item="i")]
    counts, flipped = comparing.flips(*rows, other)
    assert flipped == []
    (letter, _) = counts
    assert (letter["n_pairs"], letter["n_other_pictures"], letter["not_in_a"]) == (0, 1, 1)


def test_pairs_of_which_no_picture_is_known_are_told(asked, tmp_path):
    outcomes = (DIRECTOR_OUTCOMES, [outcome(1, True)])
    a, b = (results(tmp_path / side, outcomes__t1__director=outcomes) for side in "ab")
    done = compare(tmp_path, a, b)
    assert "by name alone: without the items of A and B" in done.stdout
    assert done.returncode == 0
    shutil.copytree(asked.stimuli, b / "stimuli" / "director")
    assert "by name alone: without the items of A, other" in compare(tmp_path, a, b).stdout
    shutil.copytree(asked.stimuli, a / "stimuli" / "director")
    assert "by name alone" not in compare(tmp_path, a, b).stdout


def test_another_entry_under_a_name_shows_in_the_model_that_was_asked(tmp_path):
    runs = []
    with LoopbackServer(answer) as server:
        for name in ("obs-director", "obs-own-view"):
            run = Run(new(tmp_path / name), server.base_url, testers=("t1",), gateway_model=name)
            run.job("t1")
            runs.append(run.results)
    done = compare(tmp_path, *runs)
    assert done.returncode == 1
    assert "tester t1: requested_model obs-director:" in done.stdout
    assert "tester t1: requested_model obs-own-view: 0 in A" in done.stdout


def verdict(blind_id, intent, approp, request):
    return blank(
        VERDICTS,
        blind_id=blind_id,
        judge="j",
        overlay="blinded",
        arm="numbered",
        intent=intent,
        approp=approp,
        request_digest=request,
    )


def described(trial, blind_id):
    return blank(
        DESCRIPTIONS,
        tester="t1",
        arm="numbered",
        clip="tennis",
        item_id="triangles/numbered/tennis",
        trial=trial,
        blind_id=blind_id,
    )


def test_verdicts_are_paired_by_whose_description_they_are_of(tmp_path):
    # Trial 1: 4/3 then 2/3, the same words. Trial 2: 1/1 then 2/1, other words.
    # Trial 3: scored in A alone. Differences of intent: -2 and +1, mean -0.5; of approp 0.
    a = [("x", 4, 3, "d1"), ("y", 1, 1, "d2"), ("z", 5, 0, "d3")]
    b = [("p", 2, 3, "d1"), ("q", 2, 1, "d9"), ("r", None, None, "d3")]
    sides = [
        results(
            tmp_path / name,
            verdicts__j__blinded=(VERDICTS, [verdict(*one) for one in given]),
            outcomes__t1__triangles=(
                DESCRIPTIONS,
                [described(trial, one[0]) for trial, one in enumerate(given, 1)],
            ),
        )
        for name, given in (("a", a), ("b", b))
    ]
    done = compare(tmp_path, *sides, "--csv", "out")
    assert done.returncode == 1
    assert (
        "j blinded numbered: n = 2 (1 of the same words): intent changed 2 (mean −0.50), approp "
        "changed 0 (mean +0.00); scored only in A 1, only in B 0"
    ) in done.stdout
    listed = rows_of(tmp_path / "out" / "verdicts_changed.csv")
    same = [(row["trial"], row["same_request"]) for row in listed]
    assert same == [("1", "true"), ("2", "false")]


def cell(stimulus, value, tester="t1"):
    return blank(
        DIRECTOR_CELLS,
        tester=tester,
        arm="canonical",
        stimulus=stimulus,
        measure="b",
        level="letter",
        value=value,
    )


def label(tester, nearest, margin):
    return blank(TABLE8, tester=tester, nearest_triangles=nearest, triangles_margin=margin)


def test_cells_and_labels_that_changed_are_listed_for_testers_of_both(tmp_path):
    a = results(
        tmp_path / "a",
        cells__director=(DIRECTOR_CELLS, [cell("Q01", True), cell("Q02", True), cell("Q03", None)]),
        tables__table8=(TABLE8, [label("t1", "TD-adult", 0.25), label("t2", "TD-adult", 0.1)]),
    )
    b = results(
        tmp_path / "b",
        cells__director=(
            DIRECTOR_CELLS,
            [cell("Q01", True), cell("Q02", False), cell("Q04", True), cell("Q01", True, "t3")],
        ),
        tables__table8=(TABLE8, [label("t1", "HF-ASD-adult", 0.125)]),
    )
    done = compare(tmp_path, a, b, "--csv", "out")
    assert done.returncode == 1
    assert "1 of 2 changed, 1 only in A, 1 only in B" in done.stdout
    assert "t1 canonical Q02 b letter: value True → False" in done.stdout
    assert "t1: nearest_triangles TD-adult → HF-ASD-adult" in done.stdout
    assert "t1: triangles_margin 0.25 → 0.125" in done.stdout
    assert "only in B, not compared: t3" in done.stdout
    changes = rows_of(tmp_path / "out" / "director_cells.csv")
    assert [(r["stimulus"], r["what"]) for r in changes] == [
        ("Q02", "value"),
        ("Q03", "only in A"),
        ("Q04", "only in B"),
    ]


def test_every_column_of_a_table_is_compared(tmp_path):
    for name, value in {"a_strict": 7, "n_scenes": 9, "ties": 2, "kind": "llm"}.items():
        a, b = (
            results(
                tmp_path / name / side, tables__table2=(TABLE2, [blank(TABLE2, tester="t1") | new])
            )
            for side, new in (("a", {}), ("b", {name: value}))
        )
        done = compare(tmp_path, a, b)
        assert done.returncode == 1
        assert f"t1: {name} " in done.stdout


def test_a_part_that_one_side_lacks_is_told_and_counts_as_a_difference(tmp_path):
    cells = (DIRECTOR_CELLS, [cell("Q01", True)])
    outcomes = (DIRECTOR_OUTCOMES, [outcome(1, True)])
    a = results(tmp_path / "a", cells__director=cells, outcomes__t1__director=outcomes)
    b = results(tmp_path / "b", cells__director=cells)
    done = compare(tmp_path, a, b)
    assert done.returncode == 1
    assert "B has no Director Task outcomes" in done.stdout
    assert "Neither has items, replies, " in done.stdout
    assert "Traceback" not in done.stderr


def test_a_path_that_is_no_run_is_wrong_usage(tmp_path):
    a = results(tmp_path / "a", cells__director=(DIRECTOR_CELLS, [cell("Q01", True)]))
    for path in (tmp_path / "none", tmp_path):
        done = compare(tmp_path, a, path)
        assert done.returncode == 2
        assert "expected a folder of results" in done.stderr
    (tmp_path / "c" / "profiles").mkdir(parents=True)  # as a checkout has it
    shutil.copytree(a, tmp_path / "c" / "results")
    assert f"Did you mean {tmp_path}/c/results?" in compare(tmp_path, a, tmp_path / "c").stderr
    no_folder = compare(tmp_path, a, a, "--csv", a / "cells" / "director.parquet")
    assert no_folder.returncode == 2
    assert "director.parquet/.vlmtom.json: Not a directory." in no_folder.stderr
    (a / "cells" / "director.parquet").write_bytes(b"no Parquet")
    broken = compare(tmp_path, a, tmp_path / "c" / "results")
    assert broken.returncode == 2
    assert "cells/director.parquet" in broken.stderr


def test_tables_of_an_older_version_are_compared_in_the_columns_they_have(asked, tmp_path):
    older = tmp_path / "older"
    shutil.copytree(asked.results, older)
    path = older / "replies" / "t1" / "director.w1.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["turn", "cost_usd"]), path)
    done = compare(tmp_path, asked.results, older)
    assert done.returncode == 1
    assert "B: replies without turn, cost_usd; taken as not known" in done.stdout
    assert "Different: Tables of another version." in done.stdout


def test_keys_of_a_configuration_are_compared_one_by_one():
    a = {"seed": 1, "models": {"t1": {"sampling": {"temperature": 1.0}}}, "testers": ["t1"]}
    b = {"seed": 1, "models": {"t1": {"sampling": {"temperature": None}}}, "testers": ["t1", "t2"]}
    assert comparing.keys(a, b) == [
        {"what": "models.t1.sampling.temperature", "a": 1.0, "b": None},
        {"what": "testers", "a": "t1", "b": "t1, t2"},
    ]
    assert comparing.keys(a, a) == []


def test_signals_of_the_game_are_compared_for_pairs_of_both_runs(tmp_path):
    def signals(tocs, *more):
        rows = [
            blank(MOSAIC_SIGNALS, subject=s, participant=s, arm="standard", metric=m, value=v)
            for s, m, v in (("pcm", "tocs", tocs), ("pcm", "tas", 1.0), *more)
        ]
        return {"tables__mosaic_signals": (MOSAIC_SIGNALS, rows)}

    a = results(new(tmp_path / "a"), **signals(0.7))
    b = results(new(tmp_path / "b"), **signals(0.84, ("other", "tocs", 0.1)))
    done = compare(tmp_path, a, b, "--csv", tmp_path / "csv")
    assert "Treasure game: signals\n  1 of 2 changed\n" in done.stdout
    assert "pcm pcm standard x tocs: value 0.7 → 0.84" in done.stdout
    assert done.returncode == 1
    (row,) = rows_of(tmp_path / "csv" / "mosaic_signals.csv")
    assert (row["subject"], row["metric"], row["a"], row["b"]) == ("pcm", "tocs", "0.7", "0.84")
    shutil.rmtree(b / "tables")
    results(b, tables__table2=(TABLE2, []))
    assert "B has no signals of the treasure game" in compare(tmp_path, a, b).stdout
    assert "Treasure game" not in compare(tmp_path, b, b).stdout
