"""The game's pages show what is behind a number and stay small; hostile words are inert."""

import re

import pytest

from tests.publish import mosaic_rows
from tests.publish.test_report import HOSTILE, Tags
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.mosaic.view import picture, state_of
from vlmtom.mosaic.world import ROLES
from vlmtom.publish.mosaic_page import Beside, mosaic_page
from vlmtom.publish.mosaic_pair_page import (
    MOST_BYTES,
    Logs,
    pair_css,
    pair_page,
    pair_pictures,
    read_logs,
    shown_trials,
)
from vlmtom.publish.mosaic_text import Study
from vlmtom.publish.report import picture_class
from vlmtom.rendering.images import decode_image
from vlmtom.rendering.pixels import pixel_sha256
from vlmtom.store import schemas, write_rows

STUDY = Study("test", 50)
INSTRUCTIONS = {
    "action": "You are in a room.\n\nOutput a move.\n\n",
    "question": "Ask her.\n\n",
    "answer": "Answer him.\n\n",
    "preferences": "Write triples.\n\n",
}
SPOKEN = (
    ("participant", "question", "participant"),
    ("subject", "preferences", "participant"),
    ("subject", "answer", "subject"),
    ("participant", "preferences", "subject"),
)


def call(row, round_, role, asked_for, state=None, ask=0, **changes):
    """A row of MOSAIC_CALLS in part; with a state, the picture that its role sees of it."""
    keys = ("subject", "participant", "arm", "kind", "condition", "trial")
    seen = None if state is None else pixel_sha256(picture(state, role, row["arm"]))
    made = {key: row[key] for key in keys} | {
        "round": round_,
        "role": role,
        "asked_for": asked_for,
        "ask": ask,
        "tester": row[role],
        "prompt": f"{INSTRUCTIONS[asked_for]}belief:\n[{role} {round_}]\n",
        "picture": seen,
        "status": "ok",
        "parse": "parsed",
        "reason": None,
        "repairs": [],
        "text": f"{asked_for} of {role} in round {round_}",
        "reasoning": None,
    }
    return made | changes


def played(condition="comp-tom1", number=1, pictures=False, rounds=10, words=None, **of_trial):
    """The logs of one trial whose agents were both asked about everything they did."""
    words = mosaic_rows.WORDS if words is None else words
    trials, steps, said = mosaic_rows.rows(
        condition, number, rounds=rounds, words=words, **{"kind": "model", **of_trial}
    )
    for row in trials:
        row |= {
            f"{what}_{role}": n
            for role in ROLES
            for what, n in (("unreadable", 1), ("answers", 16))
        }
    for step in steps:
        step |= {"felt": 0.0, "g_dark": 0.0, "g_light": 0.0, "picture": None}
        step |= {f"their_{what}": 0.5 for what in ("other", "dark", "light")}
        step |= {"stated_box": None, "toward_box": None}
    for row in said:
        row |= {"inner": "", "flags": [], "updates": [], "not_taken": False}

    def state(*ends):
        """The latest steps of both up to a round of each."""
        found = [
            s
            for s in steps
            for role, end in zip(ROLES, ends, strict=True)
            if (s["role"], s["round"]) == (role, end)
        ]
        return state_of(found) if pictures else None

    calls = []
    for round_ in range(1, rounds + 1):
        calls.append(call(trials[0], round_, "subject", "action", state(round_ - 1, round_ - 1)))
        calls.append(call(trials[0], round_, "participant", "action", state(round_, round_ - 1)))
        if round_ in (3, 6, 9):
            calls += [
                call(
                    trials[0],
                    round_,
                    role,
                    asked_for,
                    None if asked_for == "preferences" else state(round_, round_),
                )
                for role, asked_for, _ in SPOKEN
            ]
    return Logs(trials, steps, said, calls)


def together(*logs):
    return Logs(
        *(
            [row for own in logs for row in getattr(own, name)]
            for name in ("trials", "steps", "utterances", "calls")
        )
    )


def page(logs, drawn=()):
    return pair_page({"comp-tom1": logs}, STUDY, drawn)


def of_call(text, number, trial=1, condition="comp-tom1"):
    """The part of a page that is about a call."""
    found = re.search(
        rf'<div class="call" id="{condition}-{trial}-{number}">(.*?)(?=<div class="call"|<h3|<h2)',
        text,
        re.DOTALL,
    )
    return found[1]


def test_a_trial_is_shown_with_its_rounds_words_and_calls():
    text = page(played())
    # MARIE of the made-up trial: she goes left forward from (0, -4), and scowls in round 2
    assert "<td>(-1 -3)</td><td>went left forward</td><td" in text
    assert '<td>(-2 -2)</td><td>went left forward</td><td class="n">−0.80</td>' in text
    assert "turned to the dark box" in text and "turned to Participant" in text
    assert "No, I will not." in text
    assert "The treasure is in the light box; the participant ends nearer the dark box" in text
    # 2 x 10 actions and 3 x 4 turns of speech
    assert text.count('<div class="call"') == 32 and "32 calls" in text


def test_calls_stand_in_the_order_in_which_they_were_made():
    text = page(played())
    names = re.findall(r"<b>round 3: (.*?)</b>", text)
    assert names == [
        "Marie, an action",
        "Participant, an action",
        "Participant, a question",
        "Marie, taking in what was said",
        "Marie, an answer",
        "Participant, taking in what was said",
    ]


def test_a_call_shows_its_reply_its_parse_and_what_came_of_it():
    logs = played()
    logs.calls[0] |= {"parse": "unparsed", "reason": "no_move", "text": "Hm?"}
    again = call(logs.trials[0], 1, "subject", "action", ask=1, repairs=["loose_objects"])
    heard = next(c for c in logs.calls if c["asked_for"] == "preferences")
    logs.utterances[0]["updates"] = ["participant | dark | more positive"]
    lines = page(Logs(logs.trials, logs.steps, logs.utterances, [again, *logs.calls]))
    first, second = of_call(lines, 1), of_call(lines, 2)
    assert "Hm?" in first and "unparsed (no_move)" in first and "→ asked again" in first
    assert "re-ask 1" in second and "parsed; repaired: loose_objects" in second
    # FACES[0] and a skin of 0.05 in round 1
    assert "→ went left forward, at (-1 -3); facial 0.00, physiological 0.05" in second
    # 2 (0.5 + 0.03) - 1 = 0.06
    assert "preferences dark 0.06, light −0.06" in of_call(lines, 3)
    place = 1 + next(i for i, c in enumerate(logs.calls, 1) if c is heard)
    assert "→ changed: participant | dark | more positive" in of_call(lines, place)
    assert "→ said: If you know which box" in of_call(lines, place - 1)


def test_what_was_never_readable_came_to_nothing():
    logs = played()
    logs.calls[1] |= {"parse": "unparsed", "reason": "no_move"}
    next(s for s in logs.steps if (s["round"], s["role"]) == (1, "participant"))["unreadable"] = (
        True
    )
    text = page(logs)
    assert "→ nothing: not asked again" in of_call(text, 2)
    assert "stayed: no reply could be read" in text


def test_prompts_stand_once_and_the_instructions_of_a_kind_once():
    logs = played()
    again = call(logs.trials[0], 1, "subject", "action", ask=1)
    text = page(Logs(logs.trials, logs.steps, logs.utterances, [*logs.calls, again]))
    # of both roles
    assert text.count("Output a move.") == 2 and text.count("Ask her.") == 1
    assert text.count("belief:\n[subject 1]") == 1
    assert '<a href="#comp-tom1-1-1">the same words</a>' in of_call(text, 2)
    assert '<a href="#asked-subject-action">the instructions</a>' in of_call(text, 1)


def test_the_instructions_are_whole_paragraphs():
    logs = played()
    for i, own in enumerate(c for c in logs.calls if c["asked_for"] == "action"):
        own["prompt"] = f"Act.\n\nA step:\n- forward: closer\n- left: {i}\n\nbelief:\n[]\n"
    text = page(logs)
    assert "- forward: closer\n- left: 0\n\nbelief:" in of_call(text, 1)
    assert "<pre>Act.\n\n</pre>" in text


def test_every_picture_is_drawn_again_once_from_the_steps():
    logs = {"comp-tom1": played(pictures=True)}
    seen = {own["picture"] for own in logs["comp-tom1"].calls} - {None}
    drawn = pair_pictures(logs)
    assert set(drawn) == seen and len(seen) > 10
    assert all(pixel_sha256(decode_image(png)) == name for name, png in drawn.items())
    css, text = pair_css(drawn), pair_page(logs, STUDY, drawn)
    shown = set(re.findall(r'class="picture (p\w+)"', text))
    assert shown == {picture_class(name) for name in seen}
    assert all(css.count(f".{name}{{") == 1 for name in shown)
    assert '<link rel="stylesheet" href="mosaic.pcm+pcm.css">' in text


def test_a_picture_that_comes_out_otherwise_is_not_shown_as_the_one_that_was():
    logs = {"comp-tom1": played(pictures=True, rounds=1, status="missing")}
    logs["comp-tom1"].calls[0]["picture"] = "ab" * 32
    drawn = pair_pictures(logs)
    assert "ab" * 32 not in drawn and len(drawn) == 1
    text = pair_page(logs, STUDY, drawn)
    assert "Picture abababababababab… could not be drawn again" in of_call(text, 1)


def test_where_no_picture_was_shown_none_is_drawn():
    logs = {"comp-tom1": played(arm="none")}
    assert not pair_pictures(logs)
    assert pair_css({}) == ""
    assert 'class="picture' not in page(logs["comp-tom1"])


def test_the_first_played_and_the_first_missing_trial_are_shown_and_all_are_listed():
    logs = together(
        played(number=1, rounds=2, status="missing"),
        played(number=2),
        played(number=3),
        played(number=4, rounds=4, status="missing"),
    )
    assert shown_trials(logs.trials) == [2, 1]
    text = page(logs)
    assert text.index("Trial 2</h3>") < text.index("Trial 1, missing</h3>")
    assert "the trial is missing: timeout." in text
    assert "Trial 3</h3>" not in text
    assert "vlmtom mosaic card results pcm+pcm comp-tom1 --trial 3 --out card" in text
    assert "--trial 2" not in text and '<a href="#comp-tom1-2">2</a>' in text
    assert text.count("<td>missing</td>") == 2
    assert text.count("<td>1 of 16</td><td>1 of 16</td>") == 4


def test_a_missing_trial_ends_with_the_call_that_brought_no_reply():
    logs = played(rounds=1, status="missing")
    lost = call(logs.trials[0], 2, "subject", "action", status="api_error", parse=None, text=None)
    last = of_call(page(Logs(logs.trials, logs.steps, [], [*logs.calls, lost])), 3)
    assert "status: api_error" in last and "parse: no text" in last and "(no text)" in last
    assert "→ nothing: the trial is missing from here on" in last


def test_a_trial_that_was_lost_before_its_start_is_named():
    lost = played(status="missing")
    text = page(Logs(lost.trials, [], [], []))
    assert "Trial 1, missing" in text and "Nothing of it was played." in text


def test_a_voice_is_asked_for_words_alone():
    logs = played()
    spoken = [own for own in logs.calls if own["asked_for"] != "action"]
    text = page(Logs(logs.trials, logs.steps, logs.utterances, spoken))
    assert "12 calls" in text and "went left forward" in text


def hostile(condition, number, text, **of_trial):
    """A trial in which every word is hostile, and re-asked twice."""
    words = tuple((round_, text, text) for round_ in (3, 6, 9))
    logs = played(condition, number, words=words, **of_trial)
    calls = []
    for own in logs.calls:
        own |= {
            "prompt": f"{own['prompt']}query: {text}",
            **dict.fromkeys(("text", "reasoning", "reason"), text),
            "parse": "unparsed",
        }
        calls += [own, own | {"ask": 1}, own | {"ask": 2}]
    logs.trials[0]["lost"] = text
    return Logs(logs.trials, logs.steps, logs.utterances, calls)


@pytest.mark.parametrize("char", ["\"<&'>", "\x00\ud800", "👩", "\u202e", "\\n\n"])
def test_a_page_stays_below_its_size_whatever_was_said(char):
    text = (HOSTILE + char * 100_000)[:100_000]
    logs = {
        condition: together(
            hostile(condition, 1, text),
            hostile(condition, 2, text, status="missing"),
            *(Logs(mosaic_rows_of(condition, number), [], [], []) for number in range(3, 51)),
        )
        for condition in BY_SLUG
    }
    made = pair_page(logs, STUDY, ())
    assert len(made.encode()) <= MOST_BYTES
    assert made.count('<div class="call"') == 4 * 2 * 32 * 3


def mosaic_rows_of(condition, number):
    return played(condition, number, rounds=1).trials


def test_an_ordinary_page_is_not_cut():
    logs = {condition: played(condition) for condition in BY_SLUG}
    for own in logs.values():
        for one in own.calls:
            # as long as what is asked and answered: docs/mosaic_prompts.md
            one["prompt"] += '"Marie | position", ' * (450 if one["round"] > 8 else 120)
            one["prompt"] += str(id(one))
            one["text"] = "Reasoning. " * 100
    text = pair_page(logs, STUDY, ())
    assert "(cut; all" not in text
    assert len(text.encode()) < MOST_BYTES


def test_a_cut_text_says_how_long_it_was_and_where_it_is_whole():
    logs = played()
    logs.calls[0]["text"] = "x" * 1201
    assert "cut; all 1,201 characters are in the calls" in of_call(page(logs), 1)


def test_hostile_words_are_inert_wherever_they_stand():
    made = pair_page({"comp-tom1": hostile("comp-tom1", 1, HOSTILE)}, STUDY, ())
    clean = pair_page({"comp-tom1": hostile("comp-tom1", 1, "x")}, STUDY, ())
    assert Tags(made).tags == Tags(clean).tags
    assert not [name for name in Tags(made).attributes if name.startswith("on")]
    assert "<script" not in made and "49 &lt;" not in made
    assert "\x00" not in made and "\ud800" not in made
    assert "default-src 'none'" in made


def test_logs_are_read_with_the_calls_of_shown_trials_alone(tmp_path):
    logs = together(played(number=1), played(number=2))
    spent = {
        **dict.fromkeys(("request_digest", "served_model"), "d"),
        **dict.fromkeys(("prompt_tokens", "completion_tokens", "cost_usd", "duration_s"), None),
        **{"attempts": 1, "started_utc": None},
    }
    calls = [row | spent for row in logs.calls]
    for name, rows, schema in (
        ("trials", logs.trials, schemas.MOSAIC_TRIALS),
        ("steps", logs.steps, schemas.MOSAIC_STEPS),
        ("utterances", logs.utterances, schemas.MOSAIC_UTTERANCES),
        ("calls", calls, schemas.MOSAIC_CALLS),
    ):
        rows = [{key: row.get(key) for key in schema.names} for row in rows]
        write_rows(tmp_path / name, rows, schema)
    found = read_logs(*(tmp_path / name for name in ("trials", "steps", "utterances", "calls")))
    assert {row["trial"] for row in found.calls} == {1}
    assert {row["trial"] for row in found.trials} == {1, 2}
    assert page(found) == page(logs)


METRICS = ("tocs", "ur", "tas", "gas", "fes", "s_traj", "s_gaze", "s_eq12")


def numbers(value=0.5, **pair):
    """Rows of MOSAIC_SIGNALS and of MOSAIC_TABLE3 of a pair, in part."""
    head = {"subject": "m", "participant": "m", "arm": "standard", "kind": "model"} | pair
    counts = {"n": 49, "n_missing": 1, "status": "ok" if value is not None else "excluded"}
    asked = {"unreadable_subject": 3, "answers_subject": 800}
    asked |= {"unreadable_participant": 0, "answers_participant": 0}
    signals = [
        head | counts | {"condition": condition, "metric": metric, "value": value}
        for condition in BY_SLUG
        for metric in METRICS
    ]
    return signals, [head | counts | asked | {"condition": condition} for condition in BY_SLUG]


def leading(*pairs, **beside):
    signals = [row for of_pair, _ in pairs for row in of_pair]
    outcomes = [row for _, of_pair in pairs for row in of_pair]
    return mosaic_page(signals, outcomes, STUDY, Beside(**beside))


def test_the_leading_page_has_the_numbers_of_every_pair_and_leads_on():
    text = leading(
        numbers(),
        numbers(-1 / 3, subject="pcm", participant="pcm", kind="observer"),
        tables=["mosaic_table3"],
        figures=["mosaic_figure2"],
        film=True,
        joint=True,
        pages=["m+m"],
    )
    head = '<td>Coop-ToM0</td><td class="n">49</td><td class="n">1</td>'
    assert head + '<td class="n">0.50</td>' * 8 in text
    assert head + '<td class="n">−0.33</td>' * 8 in text
    assert '<a href="mosaic.m+m.html">m</a>' in text
    assert "pcm (observer)</td>" in text and "mosaic.pcm" not in text
    assert "subject: 3 of 800" in text and "participant: 0 of 0" not in text
    assert ">Table 3: outcomes against chance</a>" in text
    for path in (
        "../tables/mosaic_table3.csv",
        "../figures/mosaic_figure2.png",
        "../figures/mosaic_film.mp4",
        "joint.html",
    ):
        assert f'"{path}"' in text
    assert "observer) follow stated policies" in text


def test_what_was_not_made_is_not_linked():
    text = leading(numbers())
    assert "joint.html" not in text and "film" not in text and "mosaic.m+m" not in text


def test_an_excluded_pair_is_named_with_its_counts_and_has_no_numbers():
    text = leading(numbers(None))
    assert "excluded<br>subject: 3 of 800" in text
    assert text.count('<td class="n">–</td>') == 4 * 8


def test_an_arm_that_is_in_no_table_3_has_no_count_of_unreadable_answers():
    signals, _ = numbers(arm="face")
    text = mosaic_page(signals, [], STUDY, Beside())
    assert '<td rowspan="4">–</td>' in text and "m, face" in text
