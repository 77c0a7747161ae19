"""Scenes are balanced and checked, prompts are the locked bytes, items hold no answer."""

import base64
import re
import secrets
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import binom

from vlmtom.director import cells, scenes
from vlmtom.director.prompts import every_prompt
from vlmtom.director.scoring import outcomes
from vlmtom.director.stimuli import (
    build_stimuli,
    instruments,
    item_rows,
    key_rows,
    picture_rows,
    write_stimuli,
)
from vlmtom.observers import OBSERVERS, answer
from vlmtom.settings import DIRECTOR_ARMS, DirectorArm, load_settings
from vlmtom.store import PictureStore, read_rows, schemas, seed_for
from vlmtom.store.locks import check_locks

ROOT = Path(__file__).parents[2]
PROMPTS = Path(__file__).parents[1] / "data" / "prompts"


@pytest.fixture(scope="module")
def stimuli():
    return build_stimuli({"canonical": DirectorArm(scenes=3, trials=3)}, seed=5)


def test_every_prompt_is_the_committed_bytes(request):
    """Prompts are instruments: a change must be seen here and accepted with `vlmtom lock`."""
    texts = {name.replace("/", "."): text for name, text in every_prompt().items()}
    assert {path.stem for path in PROMPTS.glob("director.*.txt")} == set(texts)
    for name, text in texts.items():
        assert (PROMPTS / f"{name}.txt").read_bytes() == text.encode(), name


def test_no_prompt_names_the_trap_the_arm_or_an_answer():
    words = r"partition|screen|hid|occlu|block(ed|s) (from )?view|canonical|arm|trap|perspective"
    for name, text in every_prompt().items():
        assert not re.search(rf"\b({words})", text, re.IGNORECASE), name
        assert not re.search(r"\b[ABC] \(", text), name


def test_prompts_of_the_two_polarities_differ_in_that_word_alone():
    texts = every_prompt()
    for sub_prompt in ("b", "c"):
        largest = texts[f"director/{sub_prompt}.largest"]
        assert largest.count("largest") == 1
        assert largest.replace("largest", "smallest") == texts[f"director/{sub_prompt}.smallest"]


@pytest.mark.parametrize("seed", [1, 2026, 987654321])
def test_every_twelve_scenes_are_balanced(seed):
    drawn = scenes.designs(24, seed)
    for twelve in (drawn[:12], drawn[12:]):
        assert Counter(d.polarity for d in twelve) == {"largest": 6, "smallest": 6}
        pairs = Counter((d.polarity, d.target, d.hidden) for d in twelve)
        assert len(pairs) == 12
        palettes = Counter(frozenset(d.colors) for d in twelve)
        assert set(palettes.values()) == {4}
        assert set(palettes) == {frozenset(palette) for palette in scenes.PALETTES}
        assert len({d.colors for d in twelve}) == 12
    assert [d.name for d in drawn[:3]] == ["Q01", "Q02", "Q03"]
    assert scenes.designs(12, seed) == drawn[:12]
    assert scenes.designs(12, seed) != scenes.designs(12, seed + 1)


def test_neither_letter_nor_colour_gives_the_answer_away():
    drawn = scenes.designs(12, 2026)
    assert set(Counter(d.target for d in drawn).values()) == {4}
    assert set(Counter(d.hidden for d in drawn).values()) == {4}
    assert max(Counter(d.colors[d.target] for d in drawn).values()) <= 4


def test_the_arms_of_the_settings_are_those_that_can_be_drawn():
    assert tuple(scenes.ARMS) == DIRECTOR_ARMS


def test_answers_are_read_from_what_each_eye_sees():
    for scene in scenes.scenes("canonical", 12, seed=31):
        assert scene.hidden == scene.own_view
        assert scene.target not in {scene.hidden}
        assert scene.visible == {0, 1, 2} - {scene.hidden}
        assert scene.facts.size_order("tester") == scene.facts.size_order()


def test_a_scene_that_breaks_an_invariant_is_named():
    scene = scenes.scenes("canonical", 1, seed=31)[0]
    other = "smallest" if scene.polarity == "largest" else "largest"
    wrong = replace(scene, polarity=other)
    problems = " ".join(scenes._problems(wrong))
    assert "the hidden block is not the extremum in the tester's view" in problems
    assert "the answer is the same from both views" in problems
    open_table = replace(scene.scene, partition=False)
    facts = scenes.inspect(open_table)
    assert scenes._problems(replace(scene, scene=open_table, facts=facts)) == []


def test_items_hold_no_answer_and_keys_hold_them_all(stimuli):
    items, keys = item_rows(stimuli), key_rows(stimuli)
    assert [item["item_id"] for item in items] == [key["item_id"] for key in keys]
    assert len(items) == 9
    for item in items:
        assert set(item) == set(schemas.ITEMS.names)
        assert len(item["turns"]) == 1
        assert item["turns"][0]["text"] in every_prompt().values()
    for key in keys:
        assert key["target"] in key["visible"]
        assert key["hidden"] == key["own_view"]
        assert key["hidden"] not in key["visible"]
        place = key["labels"].index(key["hidden"])
        assert key["director_visible_max"][place] == 0
        assert min(key["tester_visible"]) >= 0.999


def test_a_picture_is_stored_once_under_a_name_that_says_nothing(stimuli, tmp_path):
    rows = picture_rows(stimuli)
    assert len(rows) == len({row["pixel_sha256"] for row in rows}) == 3
    for row in rows:
        assert row["image"]["path"] == row["pixel_sha256"][:16] + ".png"
        assert (row["width"], row["height"]) == (1024, 768)
    places = [str(tmp_path / name) for name in ("p.parquet", "i.parquet", "k.parquet")]
    write_stimuli(stimuli, *places, [str(tmp_path / "sheet.png")])
    pictures = PictureStore(places[0], schemas.PICTURES)
    for item in read_rows(places[1], schemas.ITEMS):
        assert item["turns"][0]["pictures"][0] in pictures
    pictures.close()
    assert (tmp_path / "sheet.png").stat().st_size > 10_000


def test_the_shipped_stimuli_prompts_and_gates_are_the_locked_ones():
    settings = load_settings(ROOT / "config" / "config.yaml")
    built = build_stimuli(settings.director.arms, settings.seed)
    check_locks(ROOT / settings.locks, instruments(built, settings.seed))


# What the observers must score --------------------------------------------------------------


def table_of(built, trials=3):
    """Table 2 of the observers on some scenes, through messages, parsing and scoring."""
    keys = {key["item_id"]: key for key in key_rows(built)}
    pngs = {row["pixel_sha256"]: row["image"]["bytes"] for row in picture_rows(built)}
    replies = []
    for item in item_rows(built):
        turn = item["turns"][0]
        url = "data:image/png;base64," + base64.b64encode(pngs[turn["pictures"][0]]).decode()
        parts = [
            {"type": "image_url", "image_url": {"url": url}},
            {"type": "text", "text": turn["text"]},
        ]
        for observer in OBSERVERS:
            for trial in range(1, trials + 1):
                seed = seed_for("test", item["item_id"], trial) % 2**31
                body = {"model": observer, "seed": seed}
                body["messages"] = [{"role": "user", "content": parts}]
                replies.append(
                    {name: item[name] for name in ("item_id", "arm", "stimulus")}
                    | {"tester": observer, "kind": "observer", "trial": trial, "status": "ok"}
                    | {"text": answer(body)["choices"][0]["message"]["content"]}
                )
    table = cells.table2(cells.cells(outcomes(replies, list(keys.values()))))
    return {row["tester"]: row for row in table}


def assert_policies_hold(table, n):
    """The rows that follow from the policies; the guesser inside its binomial interval."""
    #                    a  b  cQ1 cQ2 ego_b ego_cQ2
    expected = {
        "obs-director": (n, n, n, n, 0, 0),
        "obs-own-view": (n, 0, n, 0, n, n),
        "obs-gated": (n, 0, n, n, n, 0),
        "obs-all-visible": (0, 0, 0, 0, n, n),
    }
    measures = ("a", "b", "cQ1", "cQ2", "ego_b", "ego_cQ2")
    for observer, counts in expected.items():
        assert tuple(table[observer][m] for m in measures) == counts, observer
        assert table[observer]["unparsed"] == table[observer]["missing"] == 0
        assert table[observer]["a_strict"] == table[observer]["a"]
        assert table[observer]["b_strict"] == table[observer]["b"]
    # a trial of a is right with (1/2)^3, one of b with 1/3; two of three make a cell
    cell = {p: 3 * p**2 * (1 - p) + p**3 for p in (1 / 8, 1 / 3)}
    for measure in measures:
        p = cell[1 / 8] if measure in ("a", "cQ1") else cell[1 / 3]
        low, high = binom.interval(0.999999, n, p)
        assert low <= table["obs-guess"][measure] <= high, measure


def test_each_observer_scores_what_its_policy_says():
    built = build_stimuli({"canonical": DirectorArm(scenes=12, trials=3)}, seed=404)
    assert_policies_hold(table_of(built), 12)


@pytest.mark.slow
def test_the_policies_hold_on_200_scenes_of_a_seed_that_no_one_looked_at():
    seed = secrets.randbelow(2**31)
    built = build_stimuli({"canonical": DirectorArm(scenes=200, trials=3)}, seed)
    try:
        assert_policies_hold(table_of(built), 200)
    except AssertionError as error:
        raise AssertionError(f"run seed {seed}: {error}") from error
