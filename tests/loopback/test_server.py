"""What the loopback server counts, asked by a client that behaves as it is told."""

import http.client
import json
import socket
import time
import urllib.error
import urllib.request

import pytest

from tests.loopback.server import RESET, Fault, LoopbackServer, Stats, says

BODY = json.dumps({"model": "m", "messages": []}).encode()


def ask(server):
    """The status of the reply; -1 without a whole one."""
    request = urllib.request.Request(
        f"{server.base_url}/chat/completions", BODY, {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:
            reply.read()
            return reply.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except (OSError, http.client.HTTPException):
        return -1


def send_part(server, content):
    """Send so much of a request, and go away."""
    port = int(server.base_url.split(":")[2].split("/")[0])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(content)
        time.sleep(0.05)


def counted(server, name):
    """The server's count, once it has seen what was sent last."""
    until = time.monotonic() + 5
    while not getattr(server.stats, name) and time.monotonic() < until:
        time.sleep(0.01)
    return getattr(server.stats, name)


def test_the_span_ends_with_the_last_reply_out_and_not_with_the_last_request_in():
    with LoopbackServer(latency_s=0.3) as server:
        ask(server)
    assert len(server.stats.times) == 1
    assert server.stats.span_s >= 0.3
    assert server.stats.as_json()["span_s"] == server.stats.span_s


def test_there_is_no_span_before_a_reply():
    with LoopbackServer(script=[RESET]) as server:
        assert server.stats.span_s == 0
        ask(server)
    assert (server.stats.requests, server.stats.span_s) == (1, 0)


def test_a_request_that_is_cut_is_none_and_takes_no_fault():
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n"
    with LoopbackServer(script=[Fault(500)]) as server:
        send_part(server, head + BODY)
        assert counted(server, "cut") == 1
        assert (server.stats.requests, server.stats.times) == (0, [])
        assert ask(server) == 500
    stats = server.stats
    assert (stats.requests, stats.cut, stats.live) == (1, 1, 0)
    assert stats.statuses == {500: 1}


@pytest.mark.parametrize(
    "fault",
    [RESET, Fault(cut_after_bytes=40), Fault(503), Fault(body="<html>")],
    ids=["reset", "cut body", "503", "HTML"],
)
def test_every_fault_that_is_served_is_counted_by_name(fault):
    fault = Fault(**vars(fault) | {"name": "mine"})
    with LoopbackServer(says("red"), script=[fault, None, fault]) as server:
        statuses = [ask(server) for _ in range(3)]
    assert statuses[1] == 200
    assert server.stats.faults == {"mine": 2}
    assert server.stats.statuses.total() == server.stats.requests == 3
    assert server.stats.answered.total() == 1


@pytest.mark.parametrize(("waits_s", "violations"), [(0.0, 1), (1.1, 0)])
def test_a_request_inside_a_pause_is_a_violation(waits_s, violations):
    paused = Fault(429, headers={"Retry-After": "1"})
    with LoopbackServer(script=[paused], on_its_way_s=0) as server:
        ask(server)
        time.sleep(waits_s)
        ask(server)
    assert server.stats.embargo_violations == violations


def test_pauses_that_overlap_are_counted_once():
    stats = Stats(pauses=[(10, 12), (11, 11.5), (11, 13), (20, 21)])
    assert stats.paused_s == 3 + 1


def test_a_request_that_was_on_its_way_is_no_violation():
    paused = Fault(429, headers={"Retry-After": "60"})
    with LoopbackServer(script=[paused], on_its_way_s=30) as server:
        ask(server)
        ask(server)
    assert server.stats.embargo_violations == 0
