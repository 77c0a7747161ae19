"""What is asked, in which order, and under which digest."""

import pytest

from tests.calls.helpers import item, spec
from vlmtom.calls import asking_order, planned, trial_seed
from vlmtom.errors import BadConfig, BadData
from vlmtom.store import seed_for, sha256_json

URL = "http://127.0.0.1:9/v1"
PICTURE = "ab" * 32


def digests(items, one):
    return [request.digest for request in planned(items, one)]


def test_requests_are_items_in_their_order_by_trials_from_one():
    requests = planned([item(2, PICTURE, 2), item(1, PICTURE, 1)], spec(URL))
    assert [(r.item_id[-2:], r.trial) for r in requests] == [("02", 1), ("02", 2), ("01", 1)]


def test_a_trial_sends_the_seed_of_its_own_identity():
    (request,) = planned([item(1, PICTURE)], spec(URL, seed=5))
    expected = seed_for(5, "director", "canonical", "scene-01", 1) % 2**31
    assert request.parameters == {"max_tokens": 1024, "seed": expected}
    assert trial_seed(spec(URL, seed=5), "canonical", "scene-01", 1) == expected


def test_a_digest_is_of_the_body_with_pixel_hashes_and_of_trial_batch_and_ask():
    (request,) = planned([item(1, PICTURE)], spec(URL, model_sampling={"send_seed": False}))
    content = [{"pixel_sha256": PICTURE}, {"type": "text", "text": "Question 1?"}]
    body = {
        "model": "vendor/model-x",
        "messages": [
            {"role": "system", "content": "Answer briefly."},
            {"role": "user", "content": content},
        ],
        "max_tokens": 1024,
    }
    assert request.digest == sha256_json({"intended": body, "trial": 1, "batch": "main", "ask": 0})


@pytest.mark.parametrize("windows", [1, 2, 3, 5])
def test_windows_divide_the_trials_and_change_no_digest(windows):
    items = [item(1, PICTURE, trials=4), item(2, PICTURE)]
    parts = [digests(items, spec(URL, window=w, windows=windows)) for w in range(1, windows + 1)]
    assert sum(len(part) for part in parts) == 5
    assert len(parts[0]) == max(len(part) for part in parts)  # some of every item comes first
    assert sorted(d for part in parts for d in part) == sorted(digests(items, spec(URL)))


@pytest.mark.parametrize(
    "changes",
    [
        {"tester": "renamed"},
        {"allow_missing": True},
        {"calls_attempts": 9},
        {"model_timeout_s": 9},
        {"model_concurrency": 1},
    ],
)
def test_how_a_request_is_made_is_not_in_its_digest(changes):
    assert digests([item(1, PICTURE)], spec(URL, **changes)) == digests(
        [item(1, PICTURE)], spec(URL)
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2},
        {"model_gateway_model": "vendor/model-y"},
        {"model_sampling": {"temperature": 0}},
        {"model_sampling": {"extra": {"provider": {"order": ["a"]}}}},
    ],
)
def test_what_is_asked_is_in_its_digest(changes):
    assert digests([item(1, PICTURE)], spec(URL, **changes)) != digests(
        [item(1, PICTURE)], spec(URL)
    )


def test_arms_are_interleaved_in_an_order_that_a_seed_fixes():
    arms = ("canonical", "numbered")
    items = [item(n, PICTURE, 3, arm=arm, item_id=f"{arm}.{n}") for arm in arms for n in range(12)]
    requests = planned(items, spec(URL))
    order = asking_order(requests, spec(URL))
    assert order == asking_order(requests, spec(URL))
    assert order != asking_order(requests, spec(URL, seed=2))
    assert sorted(order, key=requests.index) == requests
    first_half = [request.arm for request in order[:36]]
    assert 9 <= first_half.count("numbered") <= 27  # 18 expected; 3 standard deviations are 9


def test_items_of_another_experiment_are_refused():
    with pytest.raises(BadData, match="of the experiment 'mosaic'; this job asks 'director'"):
        planned([item(1, PICTURE, experiment="mosaic")], spec(URL))


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ([], "ends before its first turn"),
        ([("system", "Answer.")], "ends with the role 'system'"),
        ([("user", "Which?"), ("assistant", "A.")], "ends with the role 'assistant'"),
    ],
)
def test_an_item_that_asks_nothing_is_refused(turns, words):
    turns = [{"role": r, "text": t, "pictures": [], "video": None} for r, t in turns]
    with pytest.raises(BadData, match=words):
        planned([item(1, PICTURE, turns=turns)], spec(URL))


def test_two_items_that_one_reply_would_answer_are_refused():
    items = [item(1, PICTURE), item(1, PICTURE, item_id="twin")]
    with pytest.raises(BadData, match="and twin ask exactly the same in trial 1"):
        planned(items, spec(URL))


@pytest.mark.parametrize("name", ["model", "stream", "n", "seed", "max_tokens"])
def test_extra_fields_cannot_override_what_is_asked(name):
    one = spec(URL, model_sampling={"extra": {name: 1}})
    with pytest.raises(BadConfig, match=rf"t1: sampling.extra cannot set {name}; use the setting"):
        planned([item(1, PICTURE)], one)


def test_an_observer_s_code_is_part_of_what_is_asked(monkeypatch):
    one = spec("x", endpoint_kind="embedded", model_gateway_model="obs-director")
    monkeypatch.setattr("vlmtom.calls.requests.code_digest", lambda *rooms: f"{rooms}-1")
    (before,) = planned([item(1, PICTURE)], one)
    monkeypatch.setattr("vlmtom.calls.requests.code_digest", lambda *rooms: f"{rooms}-2")
    (after,) = planned([item(1, PICTURE)], one)
    assert before.digest != after.digest
    assert before.model == after.model == "obs-director"
