"""A thousand requests, a tenth of which meet a fault of some kind, asked over real HTTP."""

from collections import Counter

from tests.calls.helpers import STREAM, Place, spec
from tests.loopback.server import MIXED, LoopbackServer, completion
from vlmtom.store import read_stream

ITEMS, IN_FLIGHT = 1000, 50
# By the name of the fault, the cause under which its attempt must be journalled.
CAUSES = {
    "429": ("rate_limited", 429),
    "500": ("server", 500),
    "reset": ("network", None),
    "cut body": ("network", None),
    "error inside 200": ("server", 503),
    "HTML inside 200": ("undecodable", 200),
    "no choices": ("undecodable", 200),
}


def question(body):
    return completion(body, body["messages"][1]["content"][1]["text"])


def test_every_item_ends_with_its_own_answer_and_every_fault_is_journalled_once(tmp_path):
    place = Place(tmp_path, items=ITEMS)
    # The plan of this seed has 8 of the 429s, each a second for the whole endpoint.
    # On a busy machine half a second passes until the client has read a 429 and all that came
    # before it; without the pause, hundreds would be asked in the other half.
    with LoopbackServer(
        question, latency_s=0.02, faults=MIXED, fault_rate=0.1, seed=78, on_its_way_s=0.5
    ) as server:
        one = spec(server.base_url, model_concurrency=IN_FLIGHT, calls_attempts=10)
        asked, replies = place.ask(one)
    stats = server.stats
    assert set(stats.faults) == set(CAUSES)
    served = stats.faults.total()
    assert 50 < served < 200  # 1000 * 0.1 / 0.9 on average

    assert asked.statuses == {"ok": ITEMS}
    assert asked.stop is None
    assert [reply["text"] for reply in replies] == [f"Question {n}?" for n in range(ITEMS)]

    journal = list(read_stream(place.journal, STREAM))
    digests = [record["digest"] for record in journal if record["kind"] == "reply"]
    assert len(digests) == len(set(digests)) == ITEMS
    assert set(stats.answered.values()) == {1}
    assert len(stats.answered) == ITEMS

    attempts = [record for record in journal if record["kind"] == "attempt"]
    assert len(attempts) == served == stats.requests - ITEMS
    causes = Counter((attempt["error_kind"], attempt["status_code"]) for attempt in attempts)
    expected = Counter()
    for name, times in stats.faults.items():
        expected[CAUSES[name]] += times
    assert causes == expected
    assert sum(reply["attempts"] for reply in replies) == stats.requests

    assert stats.max_live <= IN_FLIGHT
    assert stats.embargo_violations == 0
