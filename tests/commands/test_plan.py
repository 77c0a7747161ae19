"""`vlmtom plan`: what it counts, what it reckons, and what it says where it does not know."""

import csv
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.calls.helpers import item
from tests.commands.helpers import MODEL, Run, vlmtom
from tests.loopback.server import Fault, LoopbackServer, completion
from vlmtom.commands.estimate import (
    NOTHING_EARLIER,
    Ask,
    Job,
    affordable_calls,
    ask_of,
    earlier_replies,
    estimate,
    picture_tokens,
    scheduled_seconds,
)
from vlmtom.commands.plan import plan
from vlmtom.commands.plan_text import duration, plan_lines_text
from vlmtom.commands.shown import shown
from vlmtom.director.prompts import POLARITIES, prompt
from vlmtom.settings import (
    EndpointEntry,
    ModelEntry,
    ask_spec,
    judge_spec,
    load_registry,
    load_settings,
)

pytestmark = pytest.mark.timeout(120)

PRICE = {"input_usd_per_mtok": 2.0, "output_usd_per_mtok": 10.0}


def planned_run(folder, base_url="http://127.0.0.1:9/v1", items=2, trials=1, **entry):
    """A run whose configuration asks for the items that are there."""
    run = Run(folder, base_url, items=items, trials=trials, **entry)
    run.config["director"] = {"arms": {"canonical": {"scenes": items, "trials": trials}}}
    run.save()
    return run


def unrendered(folder, testers=("t1", "t2"), judges=(), entries=(), **config):
    """A configuration without any results. entries: changes of the registry by model."""
    changed = dict(entries)
    models = {
        name: MODEL | {"gateway_model": name} | changed.get(name, {})
        for name in (*testers, *judges)
    }
    endpoints = {
        "loop": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"},
        "embedded": {"kind": "embedded"},
    }
    (folder / "models.yaml").write_text(yaml.safe_dump({"endpoints": endpoints, "models": models}))
    content = {"testers": list(testers), "judges": list(judges), "models": "models.yaml"} | config
    (folder / "config.yaml").write_text(yaml.safe_dump(content))
    return content


def planned(folder, settings=None):
    settings = settings or load_settings(folder / "config.yaml")
    changed = settings.model_copy(update={"results": str(folder / settings.results)})
    return plan(changed, load_registry(settings, folder))


def line_of(found, who, topic="director"):
    return next(line for line in found.lines if (line.who, line.topic) == (who, topic))


def model(**changes):
    return ModelEntry.model_validate(MODEL | {"gateway_model": "m"} | changes)


def record(arm="canonical", prompt_tokens=900, completion_tokens=12, **changes):
    return {
        "kind": "reply", "status": "ok", "arm": arm, "requested_model": "m",
        "parameters": '{"max_tokens":1024}', "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens, "cost_usd": None, "duration_s": 2.0,
    } | changes  # fmt: skip


SERVER = EndpointEntry(kind="openai", base_url="http://127.0.0.1:9/v1")


# --- counts and tokens before anything was asked ---------------------------------------------


def test_before_the_first_call_everything_is_to_be_asked_and_reckoned_from_text_and_pixels(
    tmp_path,
):
    price = {"price": PRICE}
    unrendered(tmp_path, entries={"t1": price, "t2": price})
    found = planned(tmp_path)
    one = line_of(found, "t1").estimate
    # 12 scenes x 3 prompts x 3 trials. Polarity is balanced: 6 scenes each. A scene's picture
    # takes 1024 x 768 / 750 = 1048.6, so 1049; four characters are a token.
    assert one.calls == 108
    texts = sum(
        math.ceil(len(prompt(sub, polarity)) / 4) for sub in "abc" for polarity in POLARITIES
    )
    assert one.prompt_tokens == 3 * (6 * texts + 36 * 1049)
    assert one.completion_tokens == 108 * 150
    assert one.completion_bound == 108 * 1024
    assert one.cost_usd == pytest.approx((one.prompt_tokens * 2 + 16_200 * 10) / 1e6)
    assert one.cost_bound_usd == pytest.approx((one.prompt_tokens * 2 + 110_592 * 10) / 1e6)
    assert one.seconds == 108 * 5 / 8
    assert (one.tokens_from, one.time_from) == ("estimate", "estimate")
    assert found.total.calls == 216
    assert found.total.cost_usd == pytest.approx(2 * one.cost_usd)
    assert found.total.seconds == 108 * 5 / 8  # both at once
    assert not found.rendered


def test_items_without_pictures_differ_from_rendered_ones_in_the_pictures_alone(tmp_path):
    scenes = {"arms": {"canonical": {"scenes": 2, "trials": 3}}}
    unrendered(tmp_path, judges=("j",), director=scenes, triangles={})
    settings = load_settings(tmp_path / "config.yaml")
    settings = settings.model_copy(update={"results": str(tmp_path / "results")})
    for experiment in ("director", "triangles"):
        quick, made = (shown(settings, experiment, exact) for exact in (False, True))
        assert sorted(quick.sizes.values()) == sorted(made.sizes.values())

        def without_pictures(items):
            return [
                one | {"turns": [turn | {"pictures": None} for turn in one["turns"]]}
                for one in items
            ]

        assert without_pictures(quick.items) == without_pictures(made.items)


def test_judges_are_reckoned_one_verdict_for_each_tester_clip_and_trial(tmp_path):
    observer = {"endpoint": "embedded", "kind": "observer"}
    entries = {"obs": observer | {"sampling": {"max_tokens": None}}}
    unrendered(tmp_path, ("t1", "obs"), ("j1",), entries, triangles={})
    found = planned(tmp_path)
    # 2 testers x 12 clips x 3 trials, of which the observer's are paid for as well
    line = line_of(found, "j1", "blinded.numbered")
    assert (line.calls, line.assumed) == (72, 72)
    assert line.estimate.completion_tokens == 72 * 60
    assert line_of(found, "t1", "triangles").estimate.prompt_tokens > 36 * 1600
    assert [line.who for line in found.paid] == ["t1", "t1", "j1"]
    text = plan_lines_text(found)
    assert "1 observer answers on this machine; no cost." in text
    assert "72 descriptions are not written yet" in text
    assert "obs" not in {line.split()[0] for line in text.splitlines()}
    assert "obs" in {line.split()[0] for line in plan_lines_text(found, every=True).splitlines()}


# --- what the journal answers ----------------------------------------------------------------


def test_what_is_answered_is_not_counted_and_an_api_error_is(tmp_path):
    # Of 5 items x 2 trials the first two requests fail for good: 8 of 10 are answered.
    with LoopbackServer(script=[Fault(400), Fault(400)]) as server:
        run = planned_run(tmp_path, server.base_url, 5, 2, concurrency=1, price=PRICE)
        assert "2 of 10 replies are missing" in run.job("t1", ok=False).stderr
    found = planned(tmp_path)
    line, other = line_of(found, "t1"), line_of(found, "t2")
    assert (line.planned, line.calls) == (10, 2)
    assert (other.planned, other.calls) == (10, 10)
    # The server reports 900 and 12 tokens for every reply.
    one = line.estimate
    assert (one.prompt_tokens, one.completion_tokens) == (1800, 24)
    assert (one.tokens_from, one.time_from) == ("journal", "journal")
    assert one.cost_usd == pytest.approx((1800 * 2 + 24 * 10) / 1e6)
    # Spent: 8 x (900 x 2 + 12 x 10) / 1e6 = 8 x 0.00192
    assert found.spent.value == pytest.approx(0.01536)
    assert found.spent.unknown == 0
    assert other.estimate.tokens_from == "estimate"
    done = run.vlmtom("plan")
    assert done.returncode == 0, done.stderr
    assert "2 of 10" in done.stdout
    assert "Spent so far: 0.0154 USD." in done.stdout
    assert done.stdout.splitlines()[0].split()[-2:] == ["time", "from"]
    assert "\x1b" not in done.stdout


def test_a_judge_is_asked_what_was_described_and_not_judged_and_what_is_still_to_come(tmp_path):
    from vlmtom.commands.shown import built
    from vlmtom.judging import blind_rows, blind_salt
    from vlmtom.store import read_rows, schemas, write_rows

    def answer(body):
        asked_to_judge = "response_format" in body
        return completion(body, '{"intent": 1, "approp": 1}' if asked_to_judge else "They move.")

    with LoopbackServer(answer) as server:
        run = Run(tmp_path, server.base_url, testers=("t1", "t2"))
        run.config |= {"judges": ["t2"], "triangles": {"arms": {"numbered": {"trials": 1}}}}
        run.save()
        settings = load_settings(tmp_path / "config.yaml")
        registry = load_registry(settings, tmp_path)
        made = built(settings, "triangles")
        stimuli, keys = run.results / "stimuli/triangles", run.results / "keys/triangles.parquet"
        write_rows(stimuli / "items.parquet", made.items, schemas.ITEMS)
        write_rows(stimuli / "pictures.parquet", made.pictures, schemas.PICTURES)
        write_rows(keys, made.keys, schemas.TRIANGLES_KEYS)
        replies = run.replies("t1") / "triangles.w1.parquet"
        job(
            "ask",
            ask_spec(settings, registry, "t1", "triangles", 1),
            journal=run.replies("t1") / "journal",
            out=replies,
            items=stimuli / "items.parquet",
            pictures=stimuli / "pictures.parquet",
        )

        # t1 described 12 clips, t2 has 12 to go; no blind file is made yet.
        line = line_of(planned(tmp_path), "t2", "blinded.numbered")
        assert (line.planned, line.calls, line.assumed) == (24, 24, 12)

        described = read_rows(replies, schemas.REPLIES)
        rows = blind_rows(described, made.keys, blind_salt(settings.seed), "numbered")
        blind = run.results / "blind/numbered.parquet"
        write_rows(blind, rows, schemas.BLIND)
        folder = run.results / "verdicts/t2"
        job(
            "judge",
            judge_spec(settings, registry, "t2", "blinded", "numbered"),
            journal=folder / "journal",
            out=folder / "blinded.numbered.parquet",
            blind=blind,
        )
    line = line_of(planned(tmp_path), "t2", "blinded.numbered")
    assert (line.planned, line.calls, line.assumed) == (24, 12, 12)
    assert line.estimate.tokens_from == "journal"


def job(name, spec, **paths):
    parts = [part for option, path in paths.items() for part in (f"--{option}", str(path))]
    command = [
        sys.executable,
        "-m",
        f"vlmtom.jobs.{name}",
        *parts,
        "--spec",
        spec.model_dump_json(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def test_gaps_that_were_allowed_are_not_asked_again(tmp_path):
    with LoopbackServer(script=[Fault(400)]) as server:
        run = planned_run(tmp_path, server.base_url, 5, concurrency=1)
        run.config["allow_missing"] = True
        run.save()
        run.job("t1")
    assert line_of(planned(tmp_path), "t1").calls == 0
    run.config["allow_missing"] = False
    run.save()
    assert line_of(planned(tmp_path), "t1").calls == 1


def test_usage_that_nobody_reported_is_an_assumption_and_not_zero(tmp_path):
    with LoopbackServer(lambda body: completion(body, "A", usage=None)) as server:
        run = planned_run(tmp_path, server.base_url, 3, price=PRICE)
        run.job("t1")
        run.config["director"]["arms"]["canonical"]["trials"] = 1
    run.registry["models"]["t1"]["sampling"] = {"temperature": 0.5}  # so that all is asked anew
    run.save()
    found = planned(tmp_path)
    one = line_of(found, "t1").estimate
    assert (one.calls, one.tokens_from, one.time_from) == (3, "estimate", "journal")
    assert one.completion_tokens == 3 * 150
    assert (found.spent.value, found.spent.unknown) == (None, 3)
    assert "Spent so far: not known, 3 replies told no cost." in plan_lines_text(found)


def test_a_changed_number_of_scenes_is_planned_although_the_old_ones_are_rendered(tmp_path):
    run = planned_run(tmp_path, items=2)
    assert line_of(planned(tmp_path), "t1").planned == 2
    run.config["director"]["arms"]["canonical"]["scenes"] = 4
    run.save()
    assert line_of(planned(tmp_path), "t1").planned == 4 * 3


def test_replies_count_although_the_stimuli_are_not_rendered_any_more(tmp_path):
    from vlmtom.commands.shown import built
    from vlmtom.store import schemas, write_rows

    with LoopbackServer() as server:
        run = planned_run(tmp_path, server.base_url, items=1)
        made = built(load_settings(tmp_path / "config.yaml"), "director")
        for name, rows, schema in (
            ("items", made.items, schemas.ITEMS),
            ("pictures", made.pictures, schemas.PICTURES),
        ):
            (run.stimuli / f"{name}.parquet").unlink()
            write_rows(run.stimuli / f"{name}.parquet", rows, schema)
        run.job("t1")
    for path in run.stimuli.iterdir():
        path.unlink()
    found = planned(tmp_path)
    # one scene under a, b and c
    assert [(line.planned, line.calls) for line in found.lines] == [(3, 0), (3, 3)]


def test_a_broken_journal_is_told_in_its_line_and_the_others_are_counted(tmp_path):
    with LoopbackServer() as server:
        run = planned_run(tmp_path, server.base_url)
        run.job("t1")
    (segment,) = (run.replies("t1") / "journal").glob("*.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"answer", b"amswer", 1))
    done = run.vlmtom("plan")
    assert done.returncode == 0, done.stderr
    assert "? of 2" in done.stdout
    assert "see below" in done.stdout
    assert f"{segment.name}, line " in done.stdout
    assert "The journal was changed after it was written" in done.stdout
    found = planned(tmp_path)
    assert (line_of(found, "t1").estimate, line_of(found, "t2").calls) == (None, 2)
    assert found.total.hidden == 1
    assert "Spent so far: not known." in done.stdout
    run.config["testers"] = ["t2"]  # what it cost is hidden all the same
    run.save()
    done = run.vlmtom("plan")
    assert "Spent so far: not known." in done.stdout
    assert f"{segment.name}, line " in done.stdout


# --- arithmetic ------------------------------------------------------------------------------


def test_a_cost_is_list_price_times_tokens_and_at_most_max_tokens():
    # 3 calls: prompts of 1000 + 2000 + 3000, completions of 150 each
    asks = [Ask("x", 1, n) for n in (1000, 2000, 3000)]
    one = estimate(asks, model(price=PRICE), SERVER, 150, NOTHING_EARLIER)
    assert one.cost_usd == pytest.approx((6000 * 2 + 450 * 10) / 1e6)
    assert one.cost_bound_usd == pytest.approx((6000 * 2 + 3 * 1024 * 10) / 1e6)


def test_without_max_tokens_there_is_no_upper_bound():
    one = estimate(
        [Ask("x", 1, 10)],
        model(price=PRICE, sampling={"max_tokens": None}),
        SERVER,
        150,
        NOTHING_EARLIER,
    )
    assert (one.completion_bound, one.cost_bound_usd) == (None, None)
    assert one.cost_usd is not None


def test_without_a_price_the_cost_is_unknown_unless_the_gateway_reported_one():
    asks = [Ask("canonical", 1, 10)] * 4
    assert estimate(asks, model(), SERVER, 150, NOTHING_EARLIER).cost_usd is None
    told = earlier_replies([record(cost_usd=0.5), record(cost_usd=0.7), record()], model())
    # the mean of the two that said so: 0.6
    assert estimate(asks, model(), SERVER, 150, told).cost_usd == pytest.approx(2.4)


def test_nothing_left_costs_nothing_even_without_a_price():
    one = estimate([], model(), SERVER, 150, NOTHING_EARLIER)
    assert (one.calls, one.cost_usd, one.seconds) == (0, 0.0, 0.0)


def test_replies_of_the_same_arm_come_before_those_of_the_topic():
    told = earlier_replies(
        [record("a", 100, 10), record("a", 300, 30), record("b", 1000, 100)], model()
    )
    asks = [Ask("a", 1, 0), Ask("c", 1, 0)]
    one = estimate(asks, model(), SERVER, 150, told)
    # a: 200 and 20; c by all three: 1400 / 3 and 140 / 3
    assert (one.prompt_tokens, one.completion_tokens) == (
        round(200 + 1400 / 3),
        round(20 + 140 / 3),
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"requested_model": "other"},
        {"status": "api_error"},
        {"arm": "probe"},
        {"parameters": '{"max_tokens":64}'},
        {"parameters": '{"max_tokens":1024,"reasoning_effort":"high"}'},
    ],
)
def test_replies_that_were_asked_otherwise_say_nothing(changes):
    assert earlier_replies([record(**changes)], model()) == NOTHING_EARLIER


def test_what_reasoning_took_says_nothing_of_arms_without_it():
    long = [record("reasoning", 900, 5000, parameters='{"max_tokens":8192}')] * 10
    told = earlier_replies([record()] * 10 + long, model(), {"reasoning"})
    (one,) = (estimate([Ask("rule", 1, 0)], model(), SERVER, 150, told),)
    assert (one.completion_tokens, one.completion_bound) == (12, 1024)
    again = estimate([Ask("reasoning", 1, 0, reasoning=True)], model(), SERVER, 150, told)
    assert (again.completion_tokens, again.completion_bound) == (5000, 8192)


def test_replies_with_the_limits_of_another_arm_say_nothing():
    sent = '{"max_tokens":8192}'
    assert earlier_replies([record(parameters=sent)], model(), {"reasoning"}) == NOTHING_EARLIER
    limited = record("reasoning", parameters='{"max_tokens":1024}')
    assert earlier_replies([limited], model(), {"reasoning"}) == NOTHING_EARLIER


def test_a_renamed_limit_is_the_same_limit():
    told = earlier_replies([record(parameters='{"max_completion_tokens":1024}')], model())
    assert told.all.prompt_tokens == 900


def test_a_completion_beyond_max_tokens_raises_the_upper_bound():
    told = earlier_replies([record(completion_tokens=5000)], model())
    assert estimate([Ask("canonical", 1, 0)], model(), SERVER, 150, told).completion_bound == 5000


def test_time_is_bounded_by_the_rates_of_the_endpoint():
    asks = [Ask("x", 1, 850)] * 80
    # 80 x 5 s / 8 in flight; 80 calls at 30 a minute; 80 x 1000 tokens at 20,000 a minute
    for rates, seconds in (({}, 50), ({"rpm": 30}, 160), ({"rpm": 600, "tpm": 20_000}, 240)):
        endpoint = SERVER.model_copy(update=rates)
        assert estimate(asks, model(), endpoint, 150, NOTHING_EARLIER).seconds == seconds


def test_jobs_fill_the_slots_and_judging_waits_for_the_descriptions():
    jobs = [Job(30), Job(20, needed=True), Job(10), Job(5, judges=True)]
    # slots: 30 | 20 then 10, both end at 30; judging could start at 20, but no slot is free: 35
    assert scheduled_seconds(jobs, 2) == 35
    assert scheduled_seconds(jobs, 4) == 30
    assert scheduled_seconds(jobs, 1) == 65
    assert scheduled_seconds([Job(1), Job(50, needed=True), Job(5, judges=True)], 2) == 55
    assert scheduled_seconds([], 4) == 0


def test_a_picture_takes_its_pixels_over_750_and_at_most_1600():
    assert [picture_tokens(size) for size in ((750, 2), (1024, 768), (1280, 960), None)] == [
        2, 1049, 1600, 1600,
    ]  # fmt: skip


def turn(role, text="1234", pictures=()):
    return {"role": role, "text": text, "pictures": list(pictures), "video": None}


@pytest.mark.parametrize(
    ("roles", "calls"),
    [
        (("user",), 1),
        (("system", "user"), 1),
        (("user", "user"), 2),
        (("user", "assistant", "user"), 1),
        (("user", "assistant", "user", "user"), 2),
    ],
)
def test_a_question_whose_answer_is_given_takes_no_call(roles, calls):
    assert ask_of("a", [turn(role) for role in roles], {}, 100).calls == calls


def test_each_further_question_sends_everything_before_it_again():
    turns = [turn("user", "12345678", ["p"]), turn("user", "1234")]
    ask = ask_of("a", turns, {"p": (750, 10)}, completion=100)
    # first: 2 + 10; second: the same, the answer's 100, and 1
    assert (ask.calls, ask.prompt_tokens) == (2, 12 + 12 + 100 + 1)


def with_two_questions(run):
    """The last of the run's items asks twice."""
    from vlmtom.store import read_rows, schemas, write_rows

    path = run.stimuli / "items.parquet"
    rows = read_rows(path, schemas.ITEMS)
    rows[-1]["turns"].append(turn("user", "And then?"))
    path.unlink()
    write_rows(path, rows, schemas.ITEMS)


def test_every_question_of_an_item_is_a_call(tmp_path):
    run = planned_run(tmp_path)
    with_two_questions(run)
    line = line_of(planned(tmp_path), "t1")
    assert (line.planned, line.calls) == (3, 3)


def test_a_conversation_is_planned_from_where_it_stopped(tmp_path):
    def answer(body):
        return completion(body, "red", usage=None)

    with LoopbackServer(answer, script=[None, Fault(400)]) as server:
        run = planned_run(tmp_path, server.base_url, items=1)
        with_two_questions(run)
        run.job("t1", ok=False)
    assert server.stats.received[-1]["messages"][-1]["content"] == "And then?"
    line = line_of(planned(tmp_path), "t1")
    assert (line.planned, line.calls) == (2, 1)


def test_the_first_call_that_shows_a_square_is_told_and_not_counted(tmp_path):
    unrendered(tmp_path, entries={"t1": {"probe": True}})
    found = planned(tmp_path)
    assert line_of(found, "t1").calls == 108
    assert "Not counted: one call for each tester before all others" in plan_lines_text(found)
    unrendered(tmp_path)
    assert "Not counted" not in plan_lines_text(planned(tmp_path))


def test_windows_divide_the_trials_and_all_of_them_are_planned(tmp_path):
    unrendered(tmp_path, windows=3)
    found = planned(tmp_path)
    assert line_of(found, "t1").calls == 108
    assert "divided over 3 windows, 8 h apart" in plan_lines_text(found)


# --- what is said ----------------------------------------------------------------------------


def test_a_model_without_a_price_is_named_and_makes_the_total_a_lower_bound(tmp_path):
    unrendered(tmp_path, entries={"t1": {"price": PRICE}})
    found = planned(tmp_path)
    assert found.total.unpriced == ("t2",)
    assert line_of(found, "t2").estimate.cost_usd is None
    text = plan_lines_text(found)
    cost = line_of(found, "t1").estimate.cost_usd
    assert f"≥ {cost:.4f}" in text
    assert "t2: no price in models.yaml" in text


def test_a_model_that_reasons_or_has_no_limit_is_named(tmp_path):
    thinks = {"sampling": {"reasoning_effort": "high", "max_tokens": None}, "price": PRICE}
    plain = {"sampling": {"reasoning_effort": "none"}, "price": PRICE}
    unrendered(tmp_path, entries={"t1": thinks, "t2": plain})
    found = planned(tmp_path)
    assert found.total.reasoning == found.total.unbounded == ("t1",)
    assert found.total.cost_bound_usd is None
    text = plan_lines_text(found)
    assert "t1: asked to reason" in text
    assert "t1: max_tokens is null" in text


def test_a_run_on_observers_alone_costs_nothing(tmp_path):
    observer = {"endpoint": "embedded", "kind": "observer", "sampling": {"max_tokens": None}}
    unrendered(
        tmp_path, ("o1", "o2"), ("j",), dict.fromkeys(("o1", "o2", "j"), observer), triangles={}
    )
    text = plan_lines_text(planned(tmp_path))
    assert text.splitlines() == [
        "2 observers and 1 embedded judge answer on this machine; no cost.",
        "Spent so far: nothing.",
    ]


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (100, "it suffices, even if every completion runs to its limit."),
        # expected 0.03 + 0.015, at most 0.03 + 0.1024
        (0.05, "it suffices as expected, but not for the upper bound."),
        # a call is expected to take (1500 x 2 + 150 x 10) / 1e6 = 0.0045 USD: 4 of 10 fit
        (0.02, "it does not suffice. It lets about 4 of 10 calls through;"),
    ],
)
def test_a_budget_is_held_against_what_is_expected_and_against_the_upper_bound(
    budget, said, tmp_path
):
    from vlmtom.store import schemas, write_rows

    run = planned_run(tmp_path, items=10, price=PRICE, testers=("t1",))
    rows = [item(n, "0" * 64) for n in range(10)]
    for row in rows:
        row["turns"] = [turn("user", "x" * 5999 + row["item_id"][-1])]  # 1500 tokens
    (run.stimuli / "items.parquet").unlink()
    write_rows(run.stimuli / "items.parquet", rows, schemas.ITEMS)
    run.config["budget"] = budget
    run.save()
    found = planned(tmp_path)
    assert found.total.cost_usd == pytest.approx(0.045)
    assert said in plan_lines_text(found)


def test_a_sum_pays_for_one_line_after_the_other():
    lines = [(10, 1.0), (5, None), (0, 0.0), (10, 4.0)]
    assert [affordable_calls(lines, usd) for usd in (-1, 0.55, 1.0, 3.0, 5.0)] == [0, 5, 10, 15, 20]


def test_a_duration_is_told_in_the_largest_unit_of_which_there_are_two():
    assert [duration(s) for s in (0, 119, 120, 7200, 200_000)] == [
        "0 s", "119 s", "2 min", "2 h", "2 d",
    ]  # fmt: skip


# --- the command -----------------------------------------------------------------------------


def given(folder, text):
    return subprocess.run(
        [sys.executable, "-m", "vlmtom.cli", "plan", "--config", "-"],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )


def test_a_configuration_on_standard_input_stands_alone(tmp_path):
    content = unrendered(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("testers: [nobody]\nseed: 5\n")
    done = given(tmp_path, json.dumps(content))
    assert done.returncode == 0, done.stderr
    assert "108 of 108" in done.stdout
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a complete configuration, found nothing"),
        ("[1]", "expected a complete configuration, found list"),
        ("{", "not valid YAML or JSON"),
        ("testrs: [a]", "testrs: unknown key. Did you mean 'testers'?"),
    ],
)
def test_what_is_no_configuration_is_refused(tmp_path, text, message):
    done = given(tmp_path, text)
    assert done.returncode == 1
    assert message in done.stderr


def test_the_lines_are_written_as_csv_with_empty_fields_for_what_is_unknown(tmp_path):
    unrendered(tmp_path, entries={"t1": {"price": PRICE}})
    for _ in range(2):  # its own file is written again
        done = vlmtom(tmp_path, "plan", "--config", "config.yaml", "--csv", "plan.csv")
        assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "plan.csv").read_text().splitlines()))
    assert [(row["model"], row["calls"]) for row in rows] == [("t1", "108"), ("t2", "108")]
    assert float(rows[0]["cost_usd"]) > 0
    assert rows[1]["cost_usd"] == ""


def test_the_configuration_for_a_model_of_one_s_own_is_planned_as_the_readme_gives_it(tmp_path):
    root = Path(__file__).parents[2]
    assert "vlmtom try local-model --config config/local.yaml" in (root / "README.md").read_text()
    for part in ("config", "resources"):
        shutil.copytree(root / part, tmp_path / part)
    done = vlmtom(tmp_path, "plan", "--config", "config/local.yaml", "--csv", "plan.csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "plan.csv").read_text().splitlines()))
    # 12 scenes x 3 trials x (5 arms of 3 prompts, 1 of 2, 1 of 1), 12 clips x 9 trials; no judge
    # but the embedded three
    assert [(row["model"], row["calls"]) for row in rows] == [
        ("local-model", "648"),
        ("local-model", "108"),
    ]
