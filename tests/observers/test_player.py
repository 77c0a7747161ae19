"""What an observer must score in the treasure game, through the playing job, in every image arm."""

import pytest

from tests.mosaic.helpers import job, logs, play_spec
from vlmtom.observers import OBSERVERS
from vlmtom.settings import MOSAIC_CONDITIONS, MosaicPair

# Of docs/observers.md, by condition in their order: coop-tom0, coop-tom1, comp-tom0, comp-tom1.
# TOCS: does the participant end where theory of mind predicts? He follows what is signalled, so it
# fails where the subject is to mislead and does not. a: alignment of steps and of gaze with the
# reward's box, -1 where the empty one is signalled. FES: a smile in every round, or none.
DIRECTOR = {"tocs": (1, 1, 1, 1), "a": (1, 1, 1, -1), "fes": (1, 1, 1, 1)}
OTHERS = {"tocs": (1, 1, 1, 0), "a": (1, 1, 1, 1), "fes": (1, 1, 0, 0)}
TRIALS = 2  # the reward once in either box
ASKED_FOR_PICTURES = ("action", "question", "answer")  # an update of preferences has none


def played(folder, observer, arm, condition):
    folder.mkdir(parents=True)
    pair = MosaicPair(subject=observer, participant=observer, arm=arm)
    spec = play_spec(pair, condition, models={observer: ""}, trials=TRIALS, balanced=True)
    done = job(folder, spec)
    assert done.returncode == 0, done.stderr
    return logs(folder)


def must_score(trials, must, number):
    assert sorted(row["reward"] for row in trials) == [0, 1]
    for row in trials:
        assert row["status"] == "played"
        assert row["unreadable_subject"] == row["unreadable_participant"] == 0
        assert row["conforms"] == bool(must["tocs"][number])
        assert (row["a_traj"], row["a_gaze"]) == (must["a"][number], must["a"][number])
        assert (row["sens_traj"], row["sens_gaze"]) == (1, 1)
        assert row["expressive"] == must["fes"][number]


@pytest.mark.parametrize("number", range(4), ids=MOSAIC_CONDITIONS)
@pytest.mark.parametrize("observer", ["obs-director", "obs-own-view"])
def test_an_observer_scores_what_its_policy_implies(tmp_path, observer, number):
    tables = played(tmp_path / "run", observer, "none", MOSAIC_CONDITIONS[number])
    must_score(tables["trials"], DIRECTOR if observer == "obs-director" else OTHERS, number)


@pytest.mark.slow
@pytest.mark.parametrize("observer", [o for o in OBSERVERS if o != "obs-director"])
def test_every_other_observer_plays_as_obs_own_view_does(tmp_path, observer):
    for number, condition in enumerate(MOSAIC_CONDITIONS):
        tables = played(tmp_path / condition, observer, "none", condition)
        must_score(tables["trials"], OTHERS, number)


def without_arm(tables):
    """The tables without the arm's name, the pictures, and what is asked, which names a picture."""
    arm = ("arm", "picture", "prompt", "request_digest")
    return {
        name: [{key: value for key, value in row.items() if key not in arm} for row in rows]
        for name, rows in tables.items()
    }


def same_in_every_arm(folder, observer, condition):
    tables = {
        arm: played(folder / arm, observer, arm, condition)
        for arm in ("none", "standard", "blank", "face")
    }
    shown = {
        arm: {row["picture"] for row in of["calls"] if row["asked_for"] in ASKED_FOR_PICTURES}
        for arm, of in tables.items()
    }
    assert shown["none"] == {None}
    assert len(shown["blank"]) == 1 and None not in shown["blank"]  # one grey for all
    assert len(shown["standard"]) > 5 and len(shown["face"]) > 5
    assert not shown["standard"] & shown["face"] and None not in shown["standard"] | shown["face"]
    plain = without_arm(tables["none"])
    for arm in ("standard", "blank", "face"):
        assert without_arm(tables[arm]) == plain


def test_what_is_shown_changes_nothing_but_the_pictures(tmp_path):
    same_in_every_arm(tmp_path, "obs-director", "comp-tom1")


@pytest.mark.slow
@pytest.mark.parametrize("observer", ["obs-director", "obs-own-view"])
def test_what_is_shown_changes_nothing_but_the_pictures_in_any_condition(tmp_path, observer):
    for condition in MOSAIC_CONDITIONS:
        same_in_every_arm(tmp_path / condition, observer, condition)
