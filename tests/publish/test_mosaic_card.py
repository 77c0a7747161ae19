"""The card of one trial: what it shows, of which trial, and that words in it are inert."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from tests.publish.mosaic_rows import rows, shown
from vlmtom.errors import BadData
from vlmtom.mosaic.view import picture
from vlmtom.publish.mosaic_card import mosaic_card
from vlmtom.publish.mosaic_trial import chosen, plain, trial_of, wrapped
from vlmtom.publish.style import save_figure
from vlmtom.rendering.images import decode_image

HOSTILE = (
    r"$\frac{1}{2}$ & %_^{} \input{/etc/passwd} $unbalanced " + "x" * 10_000,
    "\u202eשלום\u202c مرحبا 你好 👩\x00\x1b[31m\r\n\ttab " + "word " * 3_000,
    "W" * 10_000,
)


@pytest.fixture
def card():
    made = []

    def make(*args, **kwargs):
        made.append(mosaic_card(*args, **kwargs))
        return made[-1]

    yield make
    for figure in made:
        plt.close(figure)


def texts(figure):
    return [t.get_text() for t in figure.findobj(Text) if t.get_text()]


def panel(figure, title):
    for axes in figure.axes:
        if title in axes.get_title(loc="left"):
            return axes
    raise AssertionError(f"no panel {title}")


def line(axes, label):
    return next(drawn for drawn in axes.lines if drawn.get_label() == label)


def test_the_panels_hold_the_trials_own_numbers(card):
    trial = shown()
    figure = card(trial)
    expression = panel(figure, "Marie's expression")
    # FACES of the made-up trial, after a neutral start.
    faces = [0.0, 0.0, -0.8, 0.1, 0.2, -0.6, 0.3, 0.3, -0.4, 0.2, 0.9]
    assert list(line(expression, "facial").get_ydata()) == faces
    assert line(expression, "physiological").get_ydata()[10] == pytest.approx(0.5)
    preferences = panel(figure, "Participant's preferences")
    # 2 (0.5 + 0.03 * 10) - 1 = 0.6, and its opposite.
    assert line(preferences, "dark box").get_ydata()[10] == pytest.approx(0.6)
    assert line(preferences, "light box").get_ydata()[10] == pytest.approx(-0.6)
    assert set(line(preferences, "for Marie").get_ydata()) == {0.0}


def test_paths_are_in_centimetres_and_the_star_is_on_the_reward(card):
    axes = panel(card(shown()), "Paths")
    # From (0, -4) by (-1, 1) twice and (0, 1) once: -160 and -80 cm; 80 cm a cell.
    path = next(drawn for drawn in axes.lines if len(drawn.get_xdata()) == 11)
    assert (path.get_xdata()[0], path.get_ydata()[0]) == (0, -320)
    assert (path.get_xdata()[-1], path.get_ydata()[-1]) == (-160, -80)
    star = next(drawn for drawn in axes.lines if drawn.get_marker() == "*")
    assert (list(star.get_xdata()), list(star.get_ydata())) == ([-160], [0])
    axes = panel(card(shown(reward=0)), "Paths")
    star = next(drawn for drawn in axes.lines if drawn.get_marker() == "*")
    assert list(star.get_xdata()) == [160]


def test_a_place_is_marked_with_all_rounds_in_which_somebody_came_to_it(card):
    trial = shown()
    # The participant steps back to (0, 4), where it was at the start, in round 2.
    back = next(s for s in trial.steps if (s["round"], s["role"]) == (2, "participant"))
    back.update(x=0, y=4)
    third = next(s for s in trial.steps if (s["round"], s["role"]) == (3, "participant"))
    third.update(x=1, y=4)
    # From (1, 4), where it came in rounds 1 and 3, on to (3, 1) in round 4.
    assert "1, 3" in texts(card(trial))


def test_the_views_are_those_of_the_round_and_the_arm(card):
    trial = shown(arm="face")
    views = [axes.images[0].get_array() for axes in card(trial, round_=3).axes if axes.images]
    for seen, role in zip(views, ("subject", "participant"), strict=True):
        assert (np.asarray(seen) == picture(trial.state(3), role, "face")).all()
    hidden = card(shown(arm="none"), round_=3)
    assert sum("not shown in this arm" in text for text in texts(hidden)) == 2


def test_a_round_that_was_not_played_is_refused():
    with pytest.raises(BadData, match="round 7 was not played; give one of 0 to 4"):
        mosaic_card(shown(rounds=4, status="missing"), round_=7)


def test_what_was_said_stands_by_its_exchange_and_silence_is_called_so(card):
    words = ((3, "Where?", "There."), (6, "", "Dark."))
    said = texts(card(shown(words=words)))
    assert {"Q1, round 3", "Q: Where?", "A: There.", "Q: (silence)", "A: Dark."} <= set(said)
    assert {"Q: –", "A: –"} <= set(said)  # nobody spoke in round 9
    trial = shown()
    trial.utterances[1]["unreadable"] = True
    assert "A: (no reply could be read)" in texts(card(trial))


def test_the_head_says_who_found_what_and_a_missing_trial_why(card):
    ending = "The treasure is in the light box; the participant ends nearer the dark box"
    assert shown().ending == f"{ending} (as predicted)."
    assert shown("coop-tom0").ending == f"{ending} (against the prediction)."
    assert "none opens" in shown(choice=-1).ending
    lost = shown(rounds=2, status="missing")
    assert lost.ending == "The treasure is in the light box; the trial is missing: timeout."
    card(lost)


def test_observers_are_never_shown_as_models(card):
    assert any("No agent here is a model" in text for text in texts(card(shown())))
    assert not any("No agent here is a model" in text for text in texts(card(shown(kind="model"))))
    assert any("Panel p; N = 4" in text for text in texts(card(shown(), ["Panel p; N = 4."])))


def test_a_long_reason_for_a_missing_trial_stays_on_the_page(tmp_path):
    lost = shown(rounds=2, status="missing")
    lost.trial["lost"] = "no reply $" + " W" * 3_000
    save_figure(mosaic_card(lost), tmp_path / "card.pdf", tmp_path / "card.png")
    pixels = decode_image((tmp_path / "card.png").read_bytes())
    # The head is above the panels, in the first 0.6 inches at 200 dpi.
    assert pixels[:120, -8:].min() == 255


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_cut_inert_and_within_the_page(card, text, tmp_path):
    words = ((3, text, text), (6, text, text), (9, text, text))
    figure = card(shown(words=words))
    # Missing glyphs and mathtext would warn or raise, and warnings are errors here.
    save_figure(figure, tmp_path / "card.pdf", tmp_path / "card.png")
    width, height = (side * 200 for side in figure.get_size_inches())
    pixels = decode_image((tmp_path / "card.png").read_bytes())
    assert pixels.shape[:2] == (round(height), round(width))
    assert height <= 9.5 * 200
    # The outermost pixels of the page stay white: nothing runs over an edge.
    assert pixels[:, -8:].min() == 255
    assert pixels[-4:].min() == 255
    assert all(t.get_parse_math() is False for t in figure.texts)


def test_a_card_is_the_same_file_in_every_run(tmp_path):
    files = []
    for name in ("a", "b"):
        save_figure(mosaic_card(shown()), tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
        files.append([(tmp_path / f"{name}.{form}").read_bytes() for form in ("pdf", "png")])
    assert files[0] == files[1]
    assert b"CreationDate" not in io.BytesIO(files[0][0]).read()


def test_one_line_of_printable_characters_is_left_of_a_text():
    assert plain("a\n b\t\x00c\u202ed") == "a b cd"
    assert plain("你") == "\ufffd"
    assert plain("x" * 5_000) == "x" * 1_200 + "…"


def test_words_are_wrapped_by_their_width_and_cut_by_lines():
    assert wrapped("one two", 1_000, 7, 2) == ["one two"]
    lines = wrapped("word " * 100, 100, 7, 3)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert wrapped("", 100, 7, 2) == [""]
    # A W is wider than an i, so fewer of them fit.
    narrow, wide = (len(wrapped(char * 900, 100, 7, 1)[0]) for char in "iW")
    assert narrow > 2 * wide


def test_a_trial_that_is_not_there_is_named_with_those_that_are():
    trials, steps, utterances = rows(number=4)
    with pytest.raises(BadData, match="0 rows of trial 9; there are 4 to 4"):
        trial_of(trials, steps, utterances, 9)
    with pytest.raises(BadData, match="there is no trial"):
        trial_of([], [], [], 4)
    with pytest.raises(BadData, match="not even the start"):
        trial_of(trials, [], utterances, 4)
    with pytest.raises(BadData, match="of 2 pairs and conditions"):
        trial_of([*trials, {**trials[0], "arm": "blank"}], steps, utterances, 4)


def test_rows_of_other_trials_are_left_out():
    one, other = rows(number=1), rows(number=2, words=())
    both = [a + b for a, b in zip(one, other, strict=True)]
    found = trial_of(*both, 2)
    assert len(found.steps) == 2 * 11
    assert not found.utterances


def test_the_trial_that_stands_for_a_condition_ended_as_predicted():
    def head(**how):
        return rows(**how)[0][0]

    # Competition with theory of mind is as predicted where the empty box opens.
    fooled, found = head(number=3), head(number=2, choice=1)
    missing = head(number=1, status="missing")
    assert chosen([missing, found, fooled]) == 3
    assert chosen([missing, found]) == 2
    with pytest.raises(BadData, match="no trial was played"):
        chosen([missing])


def test_the_round_to_show_is_that_in_which_both_see_and_the_face_says_most():
    # In round 2 both still face each other, and Marie scowls at -0.8.
    assert shown().telling_round == 2
