"""Requests that come up one by one: each is answered once, and nobody waits for ever."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from tests.calls.helpers import STREAM, Place, spec
from tests.loopback.server import Fault, LoopbackServer
from vlmtom.calls import Engine, NotAsked, Stop, endpoint_for, journal_with_history, planned
from vlmtom.store import PictureStore, read_rows, schemas


async def served(place, one, use):
    """What `use(engine, ask, requests)` comes to, with an engine of the place's own journal."""
    requests = planned(read_rows(place.items, schemas.ITEMS), one)
    pictures = PictureStore(place.pictures, schemas.PICTURES, None)
    endpoint = endpoint_for(one)
    try:
        with journal_with_history(place.journal, STREAM) as (journal, history):
            engine = Engine(one, endpoint, pictures, journal)
            async with AsyncExitStack() as stack:
                ask = await stack.enter_async_context(engine.serving(len(requests)))
                return await asyncio.wait_for(use(engine, ask, requests, history), 20)
    finally:
        pictures.close()
        await endpoint.close()


def run(tmp_path, server, use, items=6, **changes):
    place = Place(tmp_path, items=items)
    return asyncio.run(served(place, spec(server.base_url, **changes), use))


def test_each_request_returns_once_its_reply_is_in_the_journal(tmp_path):
    async def use(engine, ask, requests, history):
        async def one(request):
            await ask(request)
            return history.status(request.digest)

        return await asyncio.gather(*map(one, requests))

    with LoopbackServer() as server:
        assert run(tmp_path, server, use) == ["ok"] * 6
    assert server.stats.requests == 6


def test_a_request_that_is_waited_for_is_not_sent_a_second_time(tmp_path):
    async def use(engine, ask, requests, history):
        first = asyncio.create_task(ask(requests[0]))
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="in flight"):
            await ask(requests[0])
        await first
        return history.status(requests[0].digest)

    with LoopbackServer(latency_s=0.1) as server:
        assert run(tmp_path, server, use) == "ok"
    assert server.stats.requests == 1


def test_a_stop_tells_everyone_who_waits_and_finishes_what_is_in_flight(tmp_path):
    async def use(engine, ask, requests, history):
        waiting = [asyncio.create_task(ask(request)) for request in requests]
        await asyncio.sleep(0.1)
        engine.stop(Stop("budget", "enough", resumable=True))
        found = await asyncio.gather(*waiting, return_exceptions=True)
        with pytest.raises(NotAsked):
            await ask(requests[-1])
        return found

    with LoopbackServer(latency_s=0.3) as server:
        found = run(tmp_path, server, use, model_concurrency=2)
    assert [type(one) for one in found] == [type(None)] * 2 + [NotAsked] * 4
    assert server.stats.answered.total() == 2


def test_nobody_waits_for_a_retry_that_a_stop_has_taken_away(tmp_path):
    async def use(engine, ask, requests, history):
        waiting = asyncio.create_task(ask(requests[0]))
        await asyncio.sleep(0.3)  # it failed, and is to be tried again in a minute
        engine.stop(Stop("budget", "enough", resumable=True))
        with pytest.raises(NotAsked):
            await waiting
        return True

    with LoopbackServer(script=[Fault(500)] * 9) as server:
        slow = {"calls_backoff_s": 60, "calls_max_backoff_s": 60}
        assert run(tmp_path, server, use, **slow)


def test_an_interrupt_gives_up_what_is_in_flight(tmp_path):
    async def use(engine, ask, requests, history):
        waiting = [asyncio.create_task(ask(request)) for request in requests]
        await asyncio.sleep(0.1)
        engine.interrupt()
        return await asyncio.gather(*waiting, return_exceptions=True)

    with LoopbackServer(latency_s=5) as server:
        found = run(tmp_path, server, use, model_concurrency=2)
    assert [type(one) for one in found] == [NotAsked] * 6
