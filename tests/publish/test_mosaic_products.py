"""The game's tables and figures print the counted numbers, say where they come from, and fit."""

import re
import shutil
import subprocess
from fractions import Fraction

import pytest
from matplotlib import pyplot as plt

from tests.mosaic.rows import drawn_trials, steps_of, trial, trials_of_fixture
from vlmtom.publish.mosaic_details import ablations_tex, frames_tex, signals_tex, untested_tex
from vlmtom.publish.mosaic_figure2 import mosaic_figure2
from vlmtom.publish.mosaic_heatmaps import mosaic_figure3, mosaic_figure5, mosaic_figure6
from vlmtom.publish.mosaic_published import mosaic_published_tex
from vlmtom.publish.mosaic_tables import (
    table2_tex,
    table3_tex,
    table4_tex,
    table5_tex,
    table6_tex,
    table7_tex,
)
from vlmtom.publish.mosaic_text import Study, interval, p_text, pair_label, pair_name
from vlmtom.publish.provenance import pairs_note
from vlmtom.publish.style import save_figure
from vlmtom.stats.exact import plain
from vlmtom.stats.game import Pair, played_of
from vlmtom.stats.game_frames import frames
from vlmtom.stats.game_published import compare
from vlmtom.stats.game_signals import signals
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

STUDY = Study("test", 50)
OBSERVERS = "No agent here is a model"
MARKED = "Agents of pairs marked (observer) follow stated policies"
MIXED = "an agent follows a stated policy, or a model only words and reads what it says"


def rows_of_models():
    """Models, one of them in three arms, one without choices, one that cannot be read."""
    pairs = {
        ("internvl-8b", "standard"): {},
        ("internvl-8b", "blank"): {},
        ("internvl-8b", "face"): {},
        ("llava-7b", "standard"): {"neutral": 0.9},
        ("llama3.1-8b", "none"): {},
    }
    rows = [*trials_of_fixture()]
    for seed, ((name, arm), options) in enumerate(pairs.items()):
        who = {"subject": name, "participant": name, "arm": arm, "kind": "model"}
        rows += drawn_trials(seed, n=12, **options, **who)
    less = {"subject": "pcm-without-leak_&_50%", "participant": "pcm"}
    rows += drawn_trials(9, n=12, **less)
    mute = {"subject": "mute", "participant": "mute", "kind": "model"}
    counts = {"unreadable": (12, 9), "answers": (16, 16)}
    return rows + [trial(n, **counts, **mute) for n in (1, 2)]


def many_pairs():
    """A dozen observers, also those that always or never do a thing."""
    rows = []
    for number in range(12):
        who = {"subject": f"agent-{number}", "participant": f"agent-{number}"}
        share = number % 3 / 2
        rows += drawn_trials(number, n=30, follow=share, signal=1 - share, neutral=share, **who)
    return rows


def products(rows, resamples=50):
    """The LaTeX source of every table, by name, and the rows that figures read."""
    found = played_of(rows)
    steps = [step for row in rows for step in steps_of(row, 0, 1)]
    tables = {n: make(found) for n, make in enumerate((table3, table4, table5, table6), 3)}
    of_signals = signals(found, 1, resamples)
    kinds = [cell.kind for cell in found.cells]
    ours = {
        "table3": tables[3],
        "table4": tables[4],
        "table5": tables[5],
        "signals": of_signals,
    }
    printed = compare(read_published(), ours, {"PCM-LLM": "pcm+pcm"})
    lacking = untested_rows(*tables.values())
    losses = ablations(found, "pcm+pcm", ["pcm-without-leak_&_50%+pcm"])
    return {
        "table2": table2_tex(table2(found), STUDY, kinds),
        "table3": table3_tex(tables[3], STUDY),
        "table4": table4_tex(tables[4], STUDY),
        "table5": table5_tex(tables[5], STUDY),
        "table6": table6_tex(tables[6], STUDY, kinds),
        "table7": table7_tex(table7(found), STUDY),
        "signals": signals_tex(of_signals, STUDY),
        "frames": frames_tex(frames(found, steps), STUDY),
        "untested": untested_tex(lacking, STUDY, kinds),
        "ablations": ablations_tex(losses, STUDY),
        "published": mosaic_published_tex(printed, STUDY),
    }


def outcome_rows(rows):
    return plain(table3(played_of(rows)))


def signal_rows(rows):
    return plain(signals(played_of(rows), 1, 50))


def line_of(tex, start):
    return next(line for line in tex.splitlines() if line.startswith(start))


def test_a_table_of_observers_says_that_no_agent_is_a_model_and_one_of_both_marks_them():
    alone = products(trials_of_fixture())
    both = products(rows_of_models())
    for name in ("table2", "table3", "table4", "table5", "table6", "signals", "frames"):
        assert OBSERVERS in alone[name] and "N = 50 trials" in alone[name], name
        assert MARKED in both[name] and OBSERVERS not in both[name], name
        assert "descriptive" in alone[name] and "Panel test" in alone[name], name
    for name in ("table3", "table4", "table5", "signals", "frames"):
        assert "pcm (observer)" in both[name] and "pcm (observer)" not in alone[name], name
        assert "llava-7b (observer)" not in both[name], name


def test_what_s_is_stands_wherever_an_s_is_printed():
    made = products(trials_of_fixture())
    for name in ("table5", "table6", "signals"):
        assert "S traj. is what the paper prints as S" in made[name], name
    assert "S: trajectory" in made["ablations"]


@pytest.mark.parametrize(
    ("kinds", "words", "labels"),
    [
        (("model", "model"), "", ("a", "b")),
        (("observer", "observer"), OBSERVERS, ("a", "b")),
        (("model", "observer"), MARKED, ("a", "b (observer)")),
        (("model", "mixed"), f"In pairs marked (mixed) {MIXED}", ("a", "b (mixed)")),
        (("mixed", "mixed"), f"Here {MIXED}", ("a", "b")),
        (
            ("observer", "mixed"),
            f"{MARKED}; they are not models. In pairs marked (mixed) {MIXED}",
            ("a (observer)", "b (mixed)"),
        ),
    ],
)
def test_who_follows_a_stated_policy_is_said_and_marked(kinds, words, labels):
    note = pairs_note(kinds)
    assert note.startswith(words) and bool(note) == bool(words)
    rows = [
        trial(1, subject=name, participant=name, kind=kind)
        for name, kind in zip("ab", kinds, strict=True)
    ]
    assert [pair_label(row, kinds) for row in rows] == list(labels)
    tex = table3_tex(table3(played_of(rows)), STUDY)
    assert note in tex and all(f"{{{label}}}" in tex for label in labels)


def test_a_draw_is_printed_once_and_the_mean_says_what_it_is():
    def table(rows):
        found = played_of(rows)
        return table2_tex(table2(found), STUDY, [cell.kind for cell in found.cells])

    def draw(name, light):
        who = {"subject": name, "participant": name}
        return [trial(n, reward=int(n <= light), **who) for n in range(1, 11)]

    shared = table([*draw("a", 2), *draw("b", 2), *draw("c", 2)])
    # Two of ten: 2 (1 + 10 + 45) / 1024 = .109.
    assert line_of(shared, "all 3 pairs") == r"all 3 pairs & 2/10 & 0.109 \\"
    assert line_of(shared, "mean over pairs") == r"mean over pairs & 2.0/10 & 0.109 \\"
    assert shared.count("0.109") == 2 and "pooled" not in shared
    assert "is tested once" in shared and "a mean of p is no test" in shared
    apart = table([*draw("a", 2), *draw("b", 5), *draw("c", 2)])
    assert line_of(apart, "a+a and 1 more") == r"a+a and 1 more & 2/10 & 0.109 \\"
    assert line_of(apart, "b+b") == r"b+b & 5/10 & 1.000 \\"
    assert line_of(apart, "mean over pairs") == r"mean over pairs & 3.0/10 & 0.406 \\"


def test_families_are_said_where_there_are_two_and_shared_draws_where_observers_are():
    both, alone = products(rows_of_models()), products(trials_of_fixture())
    models = products([row for row in rows_of_models() if row["kind"] == "model"])
    for name in ("table5", "table6"):
        assert "families: the" in both[name] and "of observers)" in both[name]
        for made in (alone, models):
            assert re.search(r"\(family: the \d+ tests that are defined\)", made[name])
        assert "no independent evidence" in both[name] and "no independent" in alone[name]
        assert "observers" not in models[name].casefold()
    heads = ("Pairs with a model: 3", "Pairs of observers: 2")
    assert all(f"{{{head}}}" in both["table6"] for head in heads)
    assert not any("Pairs with a model" in made["table6"] for made in (alone, models))


def test_preferences_before_any_cue_stand_beside_those_after_her_first_action():
    rows = [trial(n, bias=bias) for n, bias in enumerate((0.5, 0.5, -0.5, 0.0), 1)]
    steps = [
        step
        for row in rows
        for step in steps_of(row, shows={"facial": 0.5} if row["trial"] > 2 else None)
    ]
    tex = frames_tex(frames(played_of(rows), steps), STUDY)
    lines = tex.partition("midrule")[2].splitlines()
    subject, participant = (next(x for x in lines if role in x) for role in ("& subj", "& part"))
    assert participant.endswith(r"& 2/0/0 & 2/1/1 \\") and subject.endswith(r"& -- & -- \\")
    assert "before any cue; and all, after Marie's first action" in tex


def test_the_outcomes_of_the_reference_agent_are_printed():
    tex = products(trials_of_fixture())["table3"]
    line = line_of(tex, "Comp-ToM1")
    cells = [cell.strip(" \\") for cell in line.split("&")]
    assert cells == [
        *("Comp-ToM1", "50", "0", "0.70", "0.007", "0.73", "0.04", "0.50", "0.52", "low"),
        *("0.48", "0.003"),
    ]


def test_the_printed_chi_squares_and_factors_of_the_reference_agent_are_in_its_tables():
    made = products(trials_of_fixture())
    assert "28.57 & \\textless{}0.001" in line_of(made["table4"], "Coop-ToM0")
    line = line_of(made["table5"], "S traj.")
    assert [cell.strip(" \\") for cell in line.split("&")][2::2] == ["22.25", "35.42", "24.67"]


def test_an_excluded_pair_is_named_with_the_members_that_could_not_be_read():
    made = products(rows_of_models())
    for words in ("subject mute, 24 of 32", "participant mute, 18 of 32"):
        assert f"mute: excluded: {words} answers unreadable" in made["table3"]
        for name in ("table3", "signals"):
            assert words in made[name].partition(r"\toprule")[0], name
    for name in ("table4", "table5"):
        assert "mute" not in made[name]
    assert "mute+mute" in made["untested"]


def test_missing_trials_are_counted_in_the_table():
    rows = [trial(1), trial(2, status="missing")]
    line = line_of(table3_tex(table3(played_of(rows)), STUDY), "Coop-ToM0")
    assert [cell.strip(" \\") for cell in line.split("&")][1:3] == ["1", "1"]
    assert "(1 missing)" in signals_tex(signals(played_of(rows), 1, 20), STUDY)


def test_a_pair_that_stands_for_a_model_of_another_name_is_named():
    made = products(trials_of_fixture())["published"]
    assert "PCM-LLM is pcm here, as the configuration says." in made
    line = line_of(made.partition("PCM-LLM}")[2], "FES")
    assert "0.50 (0.62)" in line  # our fixture has no faces of its own
    other = mosaic_published_tex(
        compare(
            read_published(),
            {"table3": [], "table4": [], "table5": [], "signals": []},
            {},
        ),
        STUDY,
    )
    assert other.count(r"\begin{table}") == 1 and " is " not in line_of(other, "all")


def test_tables_without_a_row_are_comments():
    nothing = [
        *(make([], STUDY) for make in (table3_tex, table4_tex, table5_tex)),
        *(make([], STUDY, []) for make in (table2_tex, table6_tex, untested_tex)),
        *(make([], STUDY) for make in (table7_tex, signals_tex, frames_tex, ablations_tex)),
    ]
    assert all(tex.startswith("% ") and tex.count("\n") == 1 for tex in nothing)
    alone = products(trials_of_fixture())
    assert alone["table7"] == "% No pair was played in several image arms.\n"


def test_numbers_are_printed_half_up_with_a_minus_sign_and_small_ps_as_such():
    assert interval(-0.44, 0.125) == "[−.44, .13]"
    assert [interval(*ends) for ends in ((0.0, 1.0), (-1.0, -0.005), (1.0, 1.0), (None, 1.0))] == [
        *("[0, 1]", "[−1, −.01]", "", "")
    ]
    assert [p_text(p) for p in (None, 0.0009, 0.001, 0.0066, 1.0)] == [
        *("–", "<0.001", "0.001", "0.007", "1.000")
    ]
    assert [pair_name(Pair(*of)) for of in (("a", "a"), ("a", "b"), ("a", "a", "face"))] == [
        *("a", "a + b", "a, face")
    ]


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not here")
@pytest.mark.parametrize("rows", [rows_of_models, trials_of_fixture, many_pairs])
def test_all_tables_compile_and_fit_a_page(tmp_path, rows):
    tables = products(rows())
    for name, tex in tables.items():
        (tmp_path / f"{name}.tex").write_text(tex, encoding="utf-8")
    inputs = "".join(rf"\input{{{name}}}\clearpage" for name in tables)
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\n"
        f"\\begin{{document}}{inputs}\\end{{document}}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout and "too large for page" not in done.stdout


# -- figures --------------------------------------------------------------------------------


def words_of(figure):
    texts = [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]
    return re.sub(r"\s+", " ", " ".join(text.get_text() for text in texts))


def cells_of(axes):
    return [text.get_text() for text in axes.texts]


def test_outcome_against_uncertainty_has_a_mark_a_pair_where_it_belongs():
    rows = outcome_rows(rows_of_models())
    figure = mosaic_figure2(rows, STUDY, {"internvl-8b": "InternVL"})
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        *("a  Coop-ToM0", "b  Coop-ToM1", "c  Comp-ToM0", "d  Comp-ToM1")
    ]
    for axes, condition in zip(
        figure.axes, ("coop-tom0", "coop-tom1", "comp-tom0", "comp-tom1"), strict=True
    ):
        marks = sorted(
            (line.get_xdata()[0], line.get_ydata()[0])
            for line in axes.lines
            if line.get_linestyle() == "None"
        )
        scored = [r for r in rows if r["condition"] == condition and r["tocs"] is not None]
        assert marks == sorted((row["ur"], row["tocs"]) for row in scored)
    assert "mute" in words_of(figure) and MARKED in words_of(figure)
    plt.close(figure)


def test_a_mark_is_as_large_as_its_bias():
    rows = outcome_rows(
        [trial(n, choice=0, subject="one", participant="one") for n in range(4)]
        + [trial(n, choice=n % 2, subject="both", participant="both") for n in range(4)]
    )
    figure = mosaic_figure2(rows, STUDY, {})
    sizes = {
        line.get_ydata()[0]: line.get_markersize()
        for line in figure.axes[0].lines
        if line.get_linestyle() == "None"
    }
    assert sizes[1.0] > sizes[0.5]  # one box every time; each box twice
    plt.close(figure)


def test_heat_maps_part_the_pairs_by_their_uncertainty_and_print_every_number():
    rows = signal_rows(rows_of_models())
    decided, undecided = mosaic_figure3(rows, STUDY), mosaic_figure5(rows, STUDY)
    names = [
        [label.get_text() for label in figure.axes[0].get_yticklabels()]
        for figure in (decided, undecided)
    ]
    assert names == [
        [
            "pcm (observer)",
            "internvl-8b",
            "llama3.1-8b, none",
            "pcm-without-leak_&_50% + pcm (observer)",
        ],
        ["llava-7b"],
    ]
    own = {
        (r["metric"], r["condition"]): Fraction(r["value"]).limit_denominator(100)
        for r in rows
        if r["subject"] == "pcm"
    }
    assert cells_of(decided.axes[3])[:4] == ["0.84", "0.72", "0.90", "−0.44"]
    assert cells_of(decided.axes[0])[:4] == ["0.96", "0.96", "1.00", "1.00"]
    assert own["s_traj", "comp-tom1"] == Fraction(-11, 25)
    assert [axes.images[0].get_clim() for axes in decided.axes] == [
        *((-1, 1), (-1, 1), (0, 1), (-1, 1))
    ]
    for figure in (decided, undecided):
        plt.close(figure)


def test_image_arms_stand_below_each_other():
    figure = mosaic_figure6(signal_rows(rows_of_models()), STUDY)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        *("internvl-8b", "internvl-8b, blank", "internvl-8b, face")
    ]
    assert "mute" not in words_of(figure)
    plt.close(figure)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mosaic_figure2([], STUDY, {}), "no pair was scored."),
        (lambda: mosaic_figure3([], STUDY), "no pair has an uncertainty rate of .50 or less."),
        (
            lambda: mosaic_figure5(signal_rows(trials_of_fixture()), STUDY),
            "no pair has an uncertainty rate above .50.",
        ),
        (
            lambda: mosaic_figure6(signal_rows(trials_of_fixture()), STUDY),
            "no pair was played in several image arms.",
        ),
    ],
)
def test_a_figure_with_nothing_to_show_says_so(make, words):
    figure = make()
    assert not figure.axes and words in words_of(figure)
    plt.close(figure)


def test_a_condition_without_a_played_trial_is_a_dash_in_the_heat_map(tmp_path):
    rows = signal_rows([trial(1), trial(1, "comp-tom1", status="missing")])
    figure = mosaic_figure3(rows, STUDY)
    assert cells_of(figure.axes[0]) == ["1.00", "–", "–", "–"]
    save_figure(figure, tmp_path / "f.pdf", tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 5000
