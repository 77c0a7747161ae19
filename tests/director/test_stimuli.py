"""Scenes are balanced and checked, prompts are the locked bytes, items hold no answer."""

import base64
import re
import secrets
from collections import Counter
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.stats import binom

from vlmtom.director import cells, controls, scenes
from vlmtom.director.prompts import asked, every_prompt, prompt
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
from vlmtom.rendering.raster import object_ids
from vlmtom.settings import DIRECTOR_ARMS, DirectorArm, load_settings
from vlmtom.store import PictureStore, read_rows, schemas, seed_for
from vlmtom.store.locks import check_locks
from vlmtom.tabletop import scene as tabletop

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
        if "rule" in name:  # which says what is out of play, and of nobody's view
            assert text.count("screen") == 1
            text = text.replace("screen", "")
            assert not re.search("director|person|see|view", text, re.IGNORECASE)
        assert not re.search(rf"\b({words})", text, re.IGNORECASE), name
        assert not re.search(r"\b[A-D] \(", text), name


def test_prompts_of_the_two_polarities_differ_in_that_word_alone():
    texts = every_prompt()
    for sub_prompt in ("b", "c"):
        largest = texts[f"director/{sub_prompt}.largest"]
        assert largest.count("largest") == 1
        assert largest.replace("largest", "smallest") == texts[f"director/{sub_prompt}.smallest"]


@pytest.mark.parametrize("seed", [1, 2026, 987654321])
def test_every_twelve_scenes_are_balanced(seed):
    drawn = scenes.designs("canonical", 24, seed)
    for twelve in (drawn[:12], drawn[12:]):
        assert Counter(d.polarity for d in twelve) == {"largest": 6, "smallest": 6}
        pairs = Counter((d.polarity, d.target, d.hidden) for d in twelve)
        assert len(pairs) == 12
        palettes = Counter(frozenset(d.colors) for d in twelve)
        assert set(palettes.values()) == {4}
        assert set(palettes) == {frozenset(palette) for palette in scenes.PALETTES}
        assert len({d.colors for d in twelve}) == 12
    assert [d.name for d in drawn[:3]] == ["Q01", "Q02", "Q03"]
    assert scenes.designs("canonical", 12, seed) == drawn[:12]
    assert scenes.designs("canonical", 12, seed) != scenes.designs("canonical", 12, seed + 1)


@pytest.mark.parametrize("seed", [1, 2026, 987654321])
def test_every_twelve_scenes_of_four_blocks_are_balanced(seed):
    drawn = scenes.designs("four_block", 24, seed)
    for twelve in (drawn[:12], drawn[12:]):
        assert Counter(d.polarity for d in twelve) == {"largest": 6, "smallest": 6}
        assert len({(d.target, d.hidden) for d in twelve}) == 12
        for place in ("target", "hidden"):
            places = Counter(getattr(d, place) for d in twelve)
            assert places == dict.fromkeys(range(4), 3)
            for polarity in ("largest", "smallest"):
                of_one = Counter(getattr(d, place) for d in twelve if d.polarity == polarity)
                assert set(of_one.values()) == {1, 2}
        palettes = Counter(frozenset(d.colors) for d in twelve)
        assert palettes == {frozenset(palette): 4 for palette in scenes.PALETTES_OF_FOUR}
        for palette in palettes:
            bound = [d.colors for d in twelve if set(d.colors) == palette]
            assert all(len(set(of_letter)) == 4 for of_letter in zip(*bound, strict=True))
            of_palette = [d for d in twelve if set(d.colors) == palette]
            assert {d.colors[d.target] for d in of_palette} == palette
            assert max(Counter(d.colors[d.hidden] for d in of_palette).values()) <= 2
        for design in twelve:
            upwards = sorted(range(4), key=design.size_ranks.__getitem__)
            if design.polarity == "smallest":
                upwards.reverse()
            assert upwards[2:] == [design.target, design.hidden]


def test_neither_letter_nor_colour_gives_the_answer_away():
    drawn = scenes.designs("canonical", 12, 2026)
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


@pytest.mark.parametrize("seed", [31, 2026])
def test_where_nothing_is_hidden_both_eyes_give_one_answer(seed):
    canonical = scenes.scenes("canonical", 6, seed)
    for arm in ("no_occluder", "same_side"):
        for control, scene in zip(scenes.scenes(arm, 6, seed), canonical, strict=True):
            assert control.hidden is None
            assert control.visible == {0, 1, 2}
            assert control.target == control.own_view
            assert (control.name, control.polarity) == (scene.name, scene.polarity)
            looks = [
                [(b.label, b.color, b.size_m) for b in s.scene.blocks] for s in (control, scene)
            ]
            assert looks[0] == looks[1]
            stands = [mesh for mesh in tabletop.meshes(control.scene) if "partition" in mesh.name]
            assert bool(stands) == (arm == "same_side")


def test_of_four_blocks_one_is_hidden_and_the_answer_is_the_next_in_size():
    for scene in scenes.scenes("four_block", 12, seed=8):
        assert scene.hidden == scene.own_view
        assert scene.visible == {0, 1, 2, 3} - {scene.hidden}
        sizes = sorted((block.size_m for block in scene.scene.blocks), reverse=True)
        wanted = sizes[1] if scene.polarity == "largest" else sizes[-2]
        assert scene.scene.blocks[scene.target].size_m == wanted
        assert scene.facts.size_order("tester") == scene.facts.size_order()


def test_arms_of_other_words_show_the_canonical_scenes():
    canonical = scenes.scenes("canonical", 4, seed=9)
    for arm in ("unasked", "rule", "reasoning"):
        shown = scenes.scenes(arm, 4, seed=9)
        assert [s.scene for s in shown] == [s.scene for s in canonical]
        assert [s.facts for s in shown] == [s.facts for s in canonical]
        assert [s.person for s in shown] == [arm != "rule"] * 4


def test_without_the_director_all_else_in_the_picture_stays():
    scene = scenes.scenes("rule", 1, seed=9)[0].scene
    without, with_her = (tabletop.picture(scene, person=person) for person in (False, True))
    ids, _ = object_ids(tabletop.meshes(scene), tabletop.tester_camera())
    differ = (without != with_her).any(axis=2)
    beside = np.isin(ids, [tabletop.DIRECTOR, tabletop.TABLE, tabletop.ROOM])
    blocks_and_partition = ~beside
    # But for the blended edges where she ends: two pixels around her.
    near_her = cv2.dilate((ids == tabletop.DIRECTOR).astype(np.uint8), np.ones((5, 5))) > 0
    assert not (differ & blocks_and_partition & ~near_her).any()
    assert differ[ids == tabletop.DIRECTOR].mean() > 0.9


def test_prompts_of_arms_that_show_other_pictures_are_the_canonical_bytes():
    for arm in ("no_occluder", "same_side", "four_block"):
        assert asked(arm) == asked("canonical") == ("a", "b", "c")
        for sub_prompt in asked(arm):
            for polarity in ("largest", "smallest"):
                assert prompt(sub_prompt, polarity, arm) == prompt(sub_prompt, polarity)


def test_unasked_is_c_without_its_first_question():
    for polarity in ("largest", "smallest"):
        whole, alone = prompt("c", polarity), prompt("cQ2", polarity, "unasked")
        lines = whole.replace("these two lines", "this one line").splitlines()
        assert alone.splitlines() == [line for line in lines if not line.startswith("Q1:")]


def test_reasoning_differs_in_the_one_line_that_allows_it():
    for sub_prompt in asked("reasoning"):
        pairs = zip(
            prompt(sub_prompt, "largest").splitlines(),
            prompt(sub_prompt, "largest", "reasoning").splitlines(),
            strict=True,
        )
        differ = [(one, other) for one, other in pairs if one != other]
        assert len(differ) == 1
        assert "no reasoning" in differ[0][0]
        assert "reason" in differ[0][1]
        assert "no reasoning" not in differ[0][1]


def test_the_rule_asks_for_the_same_move_under_the_same_form():
    for sub_prompt, arm in (("b", "canonical"), ("cQ2", "unasked")):
        ruled = prompt(sub_prompt, "largest", "rule").split("\n\n")
        other = prompt(sub_prompt, "largest", arm).split("\n\n")
        assert ruled[2:] == other[2:]
        assert '"Move the largest block to the right." Which block do you move?' in ruled[1]


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
    assert not any(item["reasoning"] for item in items)
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


@pytest.mark.slow
def test_the_shipped_stimuli_prompts_and_gates_are_the_locked_ones():
    settings = load_settings(ROOT / "config" / "config.yaml")
    built = build_stimuli(settings.director.arms, settings.seed)
    check_locks(ROOT / settings.locks, instruments(built, settings.seed))


# What the observers must score --------------------------------------------------------------


def cells_of(built, trials=3):
    """The observers' cells on some scenes, through messages, parsing and scoring."""
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
    return cells.cells(outcomes(replies, list(keys.values())))


MEASURES = ("a", "b", "cQ1", "cQ2", "ego_b", "ego_cQ2")
# Shares by arm and observer; None: not asked. docs/observers.md says why.
TRAPPED = {
    "obs-director": (1, 1, 1, 1, 0, 0),
    "obs-own-view": (1, 0, 1, 0, 1, 1),
    "obs-gated": (1, 0, 1, 1, 1, 0),
    "obs-all-visible": (0, 0, 0, 0, 1, 1),
}
OPEN = dict.fromkeys(TRAPPED, (1, 1, 1, 1, 0, 0))
NO = None
IN_ARM = {
    "canonical": TRAPPED,
    "no_occluder": OPEN,
    "same_side": OPEN,
    "four_block": TRAPPED,
    "unasked": {
        "obs-director": (NO, NO, NO, 1, NO, 0),
        "obs-own-view": (NO, NO, NO, 0, NO, 1),
        "obs-gated": (NO, NO, NO, 0, NO, 1),
        "obs-all-visible": (NO, NO, NO, 0, NO, 1),
    },
    "rule": {
        "obs-director": (NO, 1, NO, 1, 0, 0),
        "obs-own-view": (NO, 1, NO, 1, 0, 0),
        "obs-gated": (NO, 1, NO, 1, 0, 0),
        "obs-all-visible": (NO, 0, NO, 0, 1, 1),
    },
    "reasoning": TRAPPED,
}


def assert_policies_hold(cell_rows, arm, n):
    """The rows that follow from the policies; the guesser inside its binomial interval."""
    table = {row["tester"]: row for row in controls.arm_counts(cell_rows, [arm])}
    for observer, shares in IN_ARM[arm].items():
        row = table[observer]
        for measure, share in zip(MEASURES, shares, strict=True):
            asked_of = row[f"n_{measure.removeprefix('ego_')}"]
            assert asked_of == (0 if share is None else n), (arm, observer, measure)
            assert row[measure] == n * (share or 0), (arm, observer, measure)
            # Observers name letter and colour of one block: the levels agree.
            assert row[f"{measure}_strict"] == row[measure]
        assert row["unparsed"] == row["missing"] == 0
        floor = {"no_occluder": True, "same_side": True}
        assert row["floor_pass"] is floor.get(arm)
    # With k blocks a trial of a is right with (1/2)^k, one of b with 1/k; two of three make a cell.
    k = 4 if arm == "four_block" else 3
    for measure, share in zip(MEASURES, IN_ARM[arm]["obs-director"], strict=True):
        p = 0.5**k if measure in ("a", "cQ1") else 1 / k
        if share is None or (arm in floor and measure.startswith("ego")):
            assert table["obs-guess"][measure] == 0
            continue
        low, high = binom.interval(0.999999, n, 3 * p**2 * (1 - p) + p**3)
        assert low <= table["obs-guess"][measure] <= high, (arm, measure)


@pytest.fixture(scope="module")
def every_arm():
    """The observers' cells on twelve scenes of every arm, of a seed that nothing else uses."""
    return cells_of(build_stimuli({arm: DirectorArm() for arm in DIRECTOR_ARMS}, seed=404))


@pytest.mark.parametrize("arm", DIRECTOR_ARMS)
def test_each_observer_scores_what_its_policy_says(every_arm, arm):
    assert_policies_hold(every_arm, arm, 12)


def test_contrasts_are_those_of_the_policies(every_arm):
    table = controls.contrasts(every_arm, DIRECTOR_ARMS)
    points = {(row["tester"], row["contrast"]): row["difference"] for row in table}
    names = [one.name for one in controls.CONTRASTS]
    expected = {
        "obs-director": (0, 0, 0, 0, 0, 0, 0),
        "obs-own-view": (0, 0, 1, 1, 0, 0, 0),
        "obs-gated": (1, 0, 1, 1, 0, 0, 0),
        "obs-all-visible": (0, 0, 0, 0, 0, 0, 0),
    }
    for observer, values in expected.items():
        assert tuple(points[observer, name] for name in names) == values, observer
    assert all(row["n"] == row["n_planned"] == 12 for row in table)
    assert controls.contrasts(every_arm, ["canonical", "rule"])[0]["contrast"] == "rule for view"


@pytest.mark.slow
def test_the_policies_hold_on_200_scenes_of_a_seed_that_no_one_looked_at():
    seed = secrets.randbelow(2**31)
    built = build_stimuli({"canonical": DirectorArm(scenes=200, trials=3)}, seed)
    try:
        assert_policies_hold(cells_of(built), "canonical", 200)
    except AssertionError as error:
        raise AssertionError(f"run seed {seed}: {error}") from error


@pytest.mark.slow
@pytest.mark.parametrize("arm", ["no_occluder", "same_side", "four_block", "rule"])
def test_the_controls_hold_on_scenes_of_a_seed_that_no_one_looked_at(arm):
    seed = secrets.randbelow(2**31)
    built = build_stimuli({arm: DirectorArm(scenes=12, trials=3)}, seed)
    try:
        assert_policies_hold(cells_of(built), arm, 12)
    except AssertionError as error:
        raise AssertionError(f"run seed {seed}: {error}") from error
