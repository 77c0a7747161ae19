"""The game's tables over all pairs: what counts where, what drops out, and what is exact."""

from fractions import Fraction

import pytest

from tests.mosaic.rows import drawn_trials, steps_of, trial, trials_of_fixture
from vlmtom.mosaic.world import ROLES
from vlmtom.stats.exact import plain
from vlmtom.stats.game import METRICS, Pair, pair_of, played_of
from vlmtom.stats.game_frames import frames
from vlmtom.stats.game_published import compare
from vlmtom.stats.game_signals import signals, undecided
from vlmtom.stats.game_tables import (
    ablations,
    table2,
    table3,
    table4,
    table5,
    table6,
    table7,
    untested_rows,
)
from vlmtom.stats.published import read_published
from vlmtom.store import schemas

PCM = played_of(trials_of_fixture())
PRINTED = read_published()


def pair(name, kind="model", **options):
    return {"subject": name, "participant": name, "kind": kind, **options}


def of(rows, **named):
    return next(row for row in rows if all(row[key] == value for key, value in named.items()))


def unreadable_pair(name="mute"):
    return [trial(n, unreadable=(12, 8), answers=(16, 16), **pair(name)) for n in (1, 2)]


def run():
    """Four pairs: the reference agent, two that are drawn, and one that cannot be read."""
    return played_of(
        [
            *trials_of_fixture(),
            *drawn_trials(1, **pair("a")),
            *drawn_trials(2, neutral=0.9, **pair("b")),
            *unreadable_pair(),
        ]
    )


def drawn(name, *rewards, condition="coop-tom0", **options):
    return [
        trial(n, condition, reward=reward, **pair(name), **options)
        for n, reward in enumerate(rewards, 1)
    ]


def test_a_draw_that_all_pairs_share_is_tested_once_however_many_they_are():
    # Twenty of fifty: p = .203 for one pair and for twelve; pooled it would be 4e-7.
    rewards = [1] * 20 + [0] * 30
    for n_pairs in (1, 2, 12):
        rows = [row for name in range(n_pairs) for row in drawn(f"m{name}", *rewards)]
        draw, mean = table2(played_of(rows))
        assert (draw["draw"], draw["n_pairs"], draw["k"], draw["n"]) == (1, n_pairs, 20, 50)
        assert draw["p"] == pytest.approx(0.2026, abs=5e-5)
        assert (mean["draw"], mean["pairs"], mean["n_pairs"], mean["k"]) == (0, "all", n_pairs, 20)
        assert mean["p"] == pytest.approx(draw["p"])


def test_pairs_with_other_trials_have_draws_of_their_own_and_the_mean_is_over_pairs():
    rows = [
        *drawn("a", 1, 1, 0),
        *drawn("b", 1, 1, 1, 1, 1),
        *drawn("c", 1, 1, 0),
        *drawn("a", 1, condition="comp-tom1"),
    ]
    first, second, mean, deceived, _ = table2(played_of(rows))
    assert [row["pairs"] for row in (first, second, deceived)] == ["a+a c+c", "b+b", "a+a"]
    # Two of three: p = 1. Five of five heads or tails: 2 / 32.
    assert (first["k"], first["n"], first["p"]) == (2, 3, 1.0)
    assert (second["k"], second["p"]) == (5, pytest.approx(1 / 16))
    assert (mean["n_pairs"], mean["k"], mean["n"]) == (3, Fraction(9, 3), Fraction(11, 3))
    assert mean["p"] == pytest.approx((1 + 1 + 1 / 16) / 3)


def test_the_same_number_of_rewards_in_other_trials_is_another_draw():
    rows = [*drawn("a", 1, 0), *drawn("b", 0, 1)]
    assert [row["draw"] for row in table2(played_of(rows))] == [1, 2, 0]


def test_the_reward_is_counted_in_missing_trials_and_excluded_pairs_too():
    rows = [
        *drawn("a", 1, 1, 0),
        *drawn("b", 1, 1, 0, status="missing"),
        *drawn("c", 1, 1, 0, unreadable=(9, 0), answers=(9, 9)),
    ]
    draw, _ = table2(played_of(rows))
    assert (draw["pairs"], draw["k"], draw["n"]) == ("a+a b+b c+c", 2, 3)


def test_outcomes_of_the_reference_agent_are_the_printed_ones():
    printed = {r["condition"]: r for r in PRINTED["mosaic_table3"] if r["model"] == "PCM-LLM"}
    found = table3(PCM)
    assert [float(row["tocs"]) for row in found] == [float(r["tocs"]) for r in printed.values()]
    deceived = of(found, condition="comp-tom1")
    # 35 of 50 conform and 48 have a choice: (1 - 2/50) / 2 = .48, against which .70 is p = .002.
    assert (deceived["tocs_choice"], deceived["null_ur"]) == (Fraction(35, 48), Fraction(12, 25))
    assert deceived["p"] == pytest.approx(0.0066, abs=5e-5)
    assert 0.001 < deceived["p_ur"] < deceived["p"]
    assert (deceived["pb_all"], deceived["pb_choice"]) == (Fraction(1, 2), Fraction(25, 48))
    assert deceived["pb_class"] == "low"


def test_a_pair_that_cannot_be_read_is_named_with_counts_and_scored_nowhere():
    found = run()
    mute = of(table3(found), subject="mute")
    counts = [mute[f"{name}_{of}"] for of in ROLES for name in ("unreadable", "answers")]
    assert (mute["status"], counts) == ("excluded", [24, 32, 16, 32])
    assert mute["unread"] == "subject mute, 24 of 32 answers unreadable"
    assert [mute[name] for name in ("tocs", "p", "p_ur", "ur", "pb_class")] == [None] * 5
    for make in (table4, table5):
        assert Pair("mute", "mute") not in {pair_of(row) for row in make(found)}
    assert [(row["family"], row["n_pairs"]) for row in table6(found)[:: 4 * len(METRICS)]] == [
        *(("model", 2), ("observer", 1)),
    ]
    own = [row for row in signals(found, 1, 50) if row["subject"] == "mute"]
    assert {(row["status"], row["value"]) for row in own} == {("excluded", None)}
    assert {row["unread"] for row in own} == {mute["unread"]}
    assert len(own) == len(METRICS) + 1


def test_a_member_that_is_read_does_not_keep_in_one_that_is_not():
    who = {"subject": "mute", "participant": "m2", "kind": "model"}
    counts = {"unreadable": (16, 0), "answers": (16, 160)}
    rows = [
        *(row | trial_counts(counts) for row in drawn_trials(4, **who)),
        *drawn_trials(5, **pair("m2")),
    ]
    found = played_of(rows)
    for make in (table4, table5, table6):
        assert {row.get("subject", "m2") for row in make(found)} == {"m2"}
    first = table3(found)[0]
    assert first["status"] == "excluded"
    assert first["unread"] == "subject mute, 1280 of 1280 answers unreadable"


def trial_counts(counts):
    names = [f"{name}_{role}" for name in counts for role in ROLES]
    return dict(zip(names, [n for of in counts.values() for n in of], strict=True))


def test_a_participant_who_never_opens_a_box_has_no_null_of_its_own():
    rows = [trial(n, choice=-1, **pair("a")) for n in range(1, 51)]
    found = table3(played_of(rows))[0]
    assert (found["tocs"], found["ur"], found["null_ur"]) == (0, 1, 0)
    assert found["p"] == pytest.approx(2 / 2**50) and found["p_ur"] is None
    assert (found["status"], found["tocs_choice"], found["pb_choice"]) == ("no_choice", None, None)


def test_the_four_counts_of_a_choice_add_up_with_the_neutral_ones():
    for row in table4(run()):
        counts = [row[f"{r}_{b}"] for r in ("dark", "light") for b in ("dark", "light")]
        n = 50 if row["subject"] == "pcm" else 20
        assert sum(counts) + row["n_neutral"] == n


def test_the_factors_of_the_reference_agent_and_the_family_of_what_is_defined():
    found = table5(PCM)
    # expressive is .5 in every trial: FES has no test, 6 metrics x 3 factors remain.
    assert {row["family_size"] for row in found} == {18}
    h = {row["factor"]: float(row["h"]) for row in found if row["metric"] == "s_traj"}
    assert {name: round(value, 2) for name, value in h.items()} == {
        "mode": 22.25,
        "tom": 35.42,
        "mode x tom": 24.67,
    }
    for row in found:
        if row["metric"] == "fes":
            assert (row["h"], row["p"], row["p_adj"], row["status"]) == (
                None,
                None,
                None,
                "constant",
            )
        else:
            assert row["p_adj"] == min(1.0, 18 * row["p"])


def test_the_papers_five_metrics_make_the_papers_family():
    five = ("tocs", "tas", "gas", "fes", "s_traj")
    assert {row["family_size"] for row in table5(PCM, five)} == {12}
    assert {(row["family"], row["family_size"]) for row in table6(run(), five)} == {
        *(("model", 20), ("observer", 0)),
    }


def test_pairs_are_compared_by_condition_and_metric_in_one_family():
    found = [row for row in table6(run()) if row["family"] == "model"]
    assert len(found) == 4 * len(METRICS)
    assert all(row["p_adj"] == min(1.0, 28 * row["p"]) for row in found)
    assert of(found, condition="coop-tom0", metric="tocs")["p_adj"] < 0.01
    alone = table6(PCM)
    assert {(row["status"], row["h"], row["family"]) for row in alone} == {
        ("one_pair", None, "observer")
    }


def seeded(seed, name, kind):
    return drawn_trials(seed, **pair(name, kind))


def test_observers_are_no_part_of_what_models_are_tested_in():
    models = [*seeded(1, "a", "model"), *seeded(2, "b", "model"), *seeded(3, "c", "mixed")]
    observers = [*seeded(4, "silent", "observer"), *seeded(5, "random", "observer")]
    both, apart, alone = (played_of(rows) for rows in (models + observers, models, observers))
    for make, n in ((table5, 3 * 7 * 3), (table6, 4 * 7)):
        found = make(both)
        # Observers beside them change no number of the models, nor the other way round.
        assert [row for row in found if row["family"] == "model"] == make(apart)
        assert [row for row in found if row["family"] == "observer"] == make(alone)
        assert {row["family_size"] for row in make(apart)} == {n}
    assert {row["n_pairs"] for row in table6(apart)} == {3}
    assert {row["kind"]: row["family"] for row in table5(both)} == {
        "model": "model",
        "mixed": "model",
        "observer": "observer",
    }


def test_arms_stand_beside_each_other_only_where_there_are_several():
    rows = [
        *drawn_trials(1, **pair("a")),
        *drawn_trials(2, **pair("a", arm="blank")),
        *drawn_trials(3, **pair("b")),
    ]
    found = played_of(rows)
    assert [pair_of(row).slug for row in table7(found)] == ["a+a"] * 4 + ["a+a+blank"] * 4
    # The other tables have each pair once.
    assert {pair_of(row).slug for row in table3(found)} == {"a+a", "b+b"}
    assert table7(PCM) == []


def test_ablations_stand_beside_the_reference_with_their_loss():
    less = {"subject": "pcm-less", "participant": "pcm"}
    rows = [
        *trials_of_fixture(),
        *(trial(n, "comp-tom1", choice=0, **less) for n in range(1, 11)),
    ]
    found = ablations(played_of(rows), "pcm+pcm", ["pcm-less+pcm", "never+pcm"])
    assert [row["reference"] for row in found] == [True] * 4 + [False]
    last = found[-1]
    # The reward is in the dark box, which opens: no trial conforms where deception is predicted.
    assert (last["tocs"], last["tocs_less"]) == (0, Fraction(-7, 10))
    assert (last["tas"], last["gas"], last["s_traj"]) == (1, 1, 1)
    without = ablations(played_of(rows), "other+other", ["pcm-less+pcm"])
    assert [row["tocs_less"] for row in without] == [None]


def test_every_test_without_a_p_is_listed_with_why():
    found = run()
    tables = [make(found) for make in (table3, table4, table5, table6)]
    listed = untested_rows(*tables)
    lacking = sum(row["p"] is None for table in tables[1:] for row in table) + sum(
        (row["p"] is None) + (row["p_ur"] is None)
        for row in tables[0]
        if row["status"] != "excluded"
    )
    excluded = of(listed, status="excluded")
    assert (excluded["test"], excluded["pair"], excluded["condition"]) == (
        *("all", "mute+mute", "all"),
    )
    assert sum(row["n_tests"] for row in listed if row is not excluded) == lacking > 0
    assert excluded["why"].endswith("read: subject mute, 24 of 32 answers unreadable")
    # All that the pair would have had, were it scored: it was played in one condition.
    read = {f"unreadable_{role}": 0 for role in ROLES}
    scored = played_of([row | read for row in unreadable_pair()])
    own = 2 * len(table3(scored)) + len(table4(scored)) + len(table5(scored))
    assert excluded["n_tests"] == own == 3 + 21
    of_pairs = [row for row in listed if row["test"] == "kruskal_wallis"]
    assert {(row["pair"], row["status"]) for row in of_pairs} == {("observer", "one_pair")}
    fes = of(listed, test="scheirer_ray_hare", pair="pcm+pcm")
    assert (fes["metric"], fes["status"], fes["n_tests"]) == ("fes", "constant", 3)


def test_signals_are_exact_means_inside_their_intervals():
    rows = signals(run(), seed=3, resamples=400)
    scored = [row for row in rows if row["status"] == "ok"]
    for row in scored:
        assert isinstance(row["value"], Fraction)
        assert row["low"] - 1e-12 <= row["value"] <= row["high"] + 1e-12
        low = -1 if row["metric"] not in ("tocs", "ur", "fes") else 0
        assert low <= row["low"] and row["high"] <= 1
    deceived = {
        r["metric"]: r for r in rows if (r["subject"], r["condition"]) == ("pcm", "comp-tom1")
    }
    assert [float(deceived[m]["value"]) for m in ("tas", "gas", "s_traj", "s_gaze", "s_eq12")] == [
        *(1.0, 0.74, -0.44, -0.18, -0.31)
    ]
    assert (deceived["tas"]["low"], deceived["tas"]["high"]) == (1.0, 1.0)
    # Clopper and Pearson for 35 of 50, as R's binom.test(35, 50) prints it.
    assert (round(deceived["tocs"]["low"], 4), round(deceived["tocs"]["high"], 4)) == (
        *(0.5539, 0.8214),
    )
    assert (deceived["tocs"]["method"], deceived["fes"]["method"]) == ("exact", "bootstrap")


def test_a_cells_resamples_do_not_depend_on_other_pairs():
    alone = signals(PCM, 5, 200)
    assert [row for row in signals(run(), 5, 200) if row["subject"] == "pcm"] == alone
    assert signals(PCM, 6, 200) != alone


def test_the_undecided_are_those_above_one_half_over_all_conditions():
    rows = [
        *(trial(n, "coop-tom0", choice=-1 if n <= 5 else 0, **pair("half")) for n in range(1, 11)),
        *(trial(n, "coop-tom0", choice=-1, **pair("more")) for n in range(1, 4)),
        *(trial(n, "coop-tom1", choice=-1 if n == 1 else 0, **pair("more")) for n in range(1, 4)),
    ]
    assert undecided(plain(signals(played_of(rows), 1, 20))) == [Pair("more", "more")]


def test_frames_count_what_was_said_against_where_it_went():
    rows = [
        *(trial(n, **pair("a")) for n in (1, 2, 3)),
        trial(4, status="missing", **pair("a")),
    ]
    said = {1: (0, 1), 2: (0, 0), 3: (None, 1), 4: (0, 1)}
    steps = [step for row in rows for step in steps_of(row, *said[row["trial"]])]
    for step in steps:
        step["unreadable"] = step["trial"] == 2 and step["round"] == 10
    subject, _ = frames(played_of(rows), steps)
    # Ten rounds a trial, not the start, not the missing trial; one could not be read.
    assert (subject["n_rounds"], subject["n_unreadable"]) == (29, 1)
    assert (subject["said_dark_went_light"], subject["said_dark_went_dark"]) == (10, 9)
    assert (subject["said_none_went_light"], subject["n_both"], subject["n_against"]) == (
        10,
        19,
        10,
    )
    assert subject["against"] == Fraction(10, 19)


PREFERRED = [
    f"{name}_{box}" for name in ("prefers", "first") for box in ("dark", "light", "neither")
]


def test_a_preference_of_round_1_is_before_any_cue_only_where_marie_has_shown_nothing():
    """She acts first: where she did anything that can be seen, it may be what he goes by."""
    shown = {
        1: {"action": "stay idle"},
        2: {"action": "move", "direction": "forward", "blocked": True},
        3: {"unreadable": True, "action": "stay idle"},
        4: {"action": "rotate", "direction": "other"},  # whom she faces already
        5: {"action": "move", "direction": "left forward", "x": -1, "y": 1},
        6: {"action": "rotate", "direction": "dark", "hx": 1.0, "hy": 0.0},
        7: {"action": "stay idle", "facial": 0.4},
        8: {"action": "stay idle", "physiological": -0.01},
        9: {"action": "stay idle", "felt": 0.9},  # which nobody sees
        10: {"action": "stay idle"},
        11: {"action": "stay idle"},
    }
    biases = [0.4, -0.1, 0.0, 0.2, 0.9, 0.9, -0.9, 0.0, 0.1, None, 0.3]
    rows = [
        trial(n, bias=bias, status="missing" if n == 11 else "played", **pair("a"))
        for n, bias in enumerate(biases, 1)
    ]
    steps = [step for row in rows for step in steps_of(row, shows=shown[row["trial"]])]
    subject, participant = frames(played_of(rows), steps)
    assert {subject[name] for name in ("n_uncued", "n_first", *PREFERRED)} == {None}
    # Uncued: trials 1 to 4 and 9. Of all that were played, trial 10 has no preference.
    assert (participant["n_uncued"], participant["n_first"]) == (5, 9)
    assert [participant[name] for name in PREFERRED] == [3, 1, 1, 5, 2, 2]


def test_what_marie_did_is_counted_for_each_trial_of_each_pair_and_condition():
    rows = [
        trial(1, condition, bias=0.5, **pair(name))
        for name in ("a", "b")
        for condition in ("coop-tom0", "comp-tom1")
    ]
    stayed = ("b", "coop-tom0")
    steps = [
        step
        for row in rows
        for step in steps_of(
            row, shows=None if (row["subject"], row["condition"]) == stayed else {"facial": 1.0}
        )
    ]
    found = [row for row in frames(played_of(rows), steps) if row["role"] == "participant"]
    assert {(row["subject"], row["condition"]): row["n_uncued"] for row in found} == {
        (row["subject"], row["condition"]): int((row["subject"], row["condition"]) == stayed)
        for row in rows
    }


def test_nothing_said_has_no_share_against():
    row = trial(1)
    subject, participant = frames(played_of([row]), steps_of(row))
    assert (subject["n_rounds"], subject["n_both"], subject["against"]) == (10, 0, None)
    assert [participant[name] for name in ("n_uncued", "n_first", *PREFERRED)] == [0] * 8


def ours(found):
    return {
        "table3": plain(table3(found)),
        "table4": plain(table4(found)),
        "table5": plain(table5(found)),
        "signals": plain(signals(found, 1, 50)),
    }


def test_printed_values_are_compared_only_where_the_names_match():
    observers = compare(PRINTED, ours(PCM), {})
    assert {row["status"] for row in observers} == {"not_run"}
    assert len({(row["file"], row["row"], row["measure"]) for row in observers}) == len(observers)
    named = compare(PRINTED, ours(PCM), {"PCM-LLM": "pcm+pcm"})
    run_ = [row for row in named if row["status"] != "not_run"]
    assert {row["model"] for row in run_} == {"PCM-LLM"}
    # The fixture's trials were made to have the paper's TOCS, TAS, GAS, S and chi-square.
    for row in run_:
        if row["table"] in ("Table 3", "Table 4") or " / FES" not in row["row"]:
            differs = row["table"] == "Table 5"
            assert differs or (row["status"], row["ours"]) == ("same", row["printed"]), row
    s = of(named, table="Table 5", row="PCM-LLM / S / Mode", measure="H")
    assert (s["status"], s["ours"]) == ("same", "22.25")
    tas = of(named, table="Table 5", row="PCM-LLM / TAS / Mode", measure="H")
    assert (tas["status"], tas["ours"]) == ("differs", "2.01")


def test_a_printed_image_arm_is_the_pair_in_that_arm_and_a_text_model_has_none():
    rows = [
        *drawn_trials(1, **pair("internvl-8b")),
        *drawn_trials(2, **pair("internvl-8b", arm="blank")),
        *drawn_trials(3, **pair("llama3.1-8b", arm="none")),
        *drawn_trials(4, subject="minicpm-8b", participant="pcm", kind="model"),
    ]
    found = compare(PRINTED, ours(played_of(rows)), {})
    of_model = {row["model"]: row["pair"] for row in found if row["pair"]}
    assert of_model == {
        "internvl-8b": "internvl-8b+internvl-8b",
        "internvl-8b-blank": "internvl-8b+internvl-8b+blank",
        "llama3.1-8b": "llama3.1-8b+llama3.1-8b+none",
    }
    for row in found:
        if row["difference"] is not None:
            assert row["difference"] == row["value"] - Fraction(row["printed"])


@pytest.mark.parametrize(
    ("make", "schema"),
    [
        (table2, schemas.MOSAIC_TABLE2),
        (table3, schemas.MOSAIC_TABLE3),
        (table4, schemas.MOSAIC_TABLE4),
        (table5, schemas.MOSAIC_TABLE5),
        (table6, schemas.MOSAIC_TABLE6),
        (lambda found: signals(found, 1, 20), schemas.MOSAIC_SIGNALS),
        (lambda found: frames(found, []), schemas.MOSAIC_FRAMES),
        (lambda found: ablations(found, "pcm+pcm", ["a+a"]), schemas.MOSAIC_ABLATIONS),
        (lambda found: compare(PRINTED, ours(found), {}), schemas.MOSAIC_PUBLISHED),
        (
            lambda found: untested_rows(*(m(found) for m in (table3, table4, table5, table6))),
            schemas.MOSAIC_UNTESTED,
        ),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_rows_are_those_of_the_declared_table_with_a_unique_key_and_no_nan(make, schema):
    rows = plain(make(run()))
    table = schema.table(rows)
    assert table.num_rows == len(rows) > 0
    for column in schema.columns:
        assert column.nullable or not table[column.name].null_count, column.name
    keys = [tuple(row[name] for name in schema.key) for row in rows]
    assert len(set(keys)) == len(keys)
    assert not any(value != value for row in rows for value in row.values())
