"""A loopback server that is OpenAI-compatible, counts what it is asked, and fails on demand.

In a test: `with LoopbackServer(says("red"), script=[Fault(429)]) as server:`. As a process of its
own: `python -m tests.loopback.server --latency 0.05`, which prints its base URL.
"""

import argparse
import asyncio
import bisect
import hashlib
import importlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any

from aiohttp import web

Answer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Fault:
    """What one request gets instead of an answer, or around it.

    body: JSON (dict or list) or raw text; None answers normally under status 200, else with an
    ordinary error body. Headers may be a function, for dates counted from now.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] | Callable[[], Mapping[str, str]] = field(default_factory=dict)
    content_type: str = "application/json"
    cut_after_bytes: int | None = None  # the connection ends in the middle of the body
    reset: bool = False  # it ends before any byte
    hang_s: float | None = None  # silence first
    dribble_s: float | None = None  # the body byte by byte, over so long
    name: str = "fault"  # under which it is counted


HTML = Fault(body="<html><body>502 Bad gateway</body></html>", content_type="text/html")
RESET = Fault(reset=True)
RETRY_AFTER_S = 1
# One of each kind of passing fault.
MIXED = (
    Fault(429, headers={"Retry-After": f"{RETRY_AFTER_S}"}, name="429"),
    Fault(500, name="500"),
    replace(RESET, name="reset"),
    Fault(cut_after_bytes=40, name="cut body"),
    Fault(body={"error": {"code": 503}}, name="error inside 200"),
    replace(HTML, name="HTML inside 200"),
    Fault(body={"choices": []}, name="no choices"),
)


@dataclass
class Stats:
    """What the server saw. Times are monotonic seconds."""

    requests: int = 0  # that came whole
    cut: int = 0  # that ended before their body did: whoever sent them is gone
    statuses: Counter[int] = field(default_factory=Counter)  # -1: no whole reply was sent
    faults: Counter[str] = field(default_factory=Counter)  # served, by name
    bodies: Counter[str] = field(default_factory=Counter)  # by SHA-256 of the body
    answered: Counter[str] = field(default_factory=Counter)  # of these, answered with 200 in full
    received: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)  # at which each began to come, in order
    last_reply: float | None = None  # when the last whole reply was out
    authorizations: set[str] = field(default_factory=set)
    live: int = 0
    max_live: int = 0
    pauses: list[tuple[float, float]] = field(default_factory=list)  # from, and until, by reply
    embargo_violations: int = 0  # requests sent before a Retry-After had passed

    def as_json(self) -> dict[str, Any]:
        """The counts, without bodies and keys."""
        return {
            "requests": self.requests,
            "cut": self.cut,
            "faults": dict(self.faults),
            "statuses": {str(status): n for status, n in self.statuses.items()},
            "unique_bodies": len(self.bodies),
            "max_live": self.max_live,
            "embargo_violations": self.embargo_violations,
            "span_s": self.span_s,
            "paused_s": self.paused_s,
        }

    @property
    def span_s(self) -> float:
        """From the first request in to the last whole reply out."""
        return 0.0 if self.last_reply is None else self.last_reply - self.times[0]

    @property
    def paused_s(self) -> float:
        """Seconds that lay inside any pause that was asked for."""
        total, counted_until = 0.0, float("-inf")
        for start, end in sorted(self.pauses):
            total += max(0.0, end - max(start, counted_until))
            counted_until = max(counted_until, end)
        return total


def completion(body: Mapping[str, Any], content: Any, **changes: Any) -> dict[str, Any]:
    """A chat completion that answers a body. changes: of the first choice's or the top fields.

    `finish_reason`, `refusal` and `reasoning…` go to their place; every other to the top.
    """
    message = {"role": "assistant", "content": content}
    message |= {key: changes.pop(key) for key in list(changes) if key.startswith(("reas", "refu"))}
    choice = {"index": 0, "finish_reason": changes.pop("finish_reason", "stop"), "message": message}
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model"),
        "choices": [choice],
        "usage": {"prompt_tokens": 900, "completion_tokens": 12, "total_tokens": 912},
    } | changes


def says(content: Any, **changes: Any) -> Answer:
    """An answer function that always says the same."""
    return lambda body: completion(body, content, **dict(changes))


def digest_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """An answer that depends on the whole body, so that replies mixed up are seen."""
    text = json.dumps(body, sort_keys=True)
    return completion(body, "answer " + hashlib.sha256(text.encode()).hexdigest()[:12])


class LoopbackServer:
    """The server in a thread of this process, as a context manager.

    script: what the first requests get, in order of arrival (None: an answer). faults: with
    probability `fault_rate` a request outside the script gets one of these, by seed. answer:
    a chat completion for a body. on_its_way_s: so long after a Retry-After was sent, a request
    may have been on its way before the client could read it, and counts as no violation.
    """

    def __init__(
        self,
        answer: Answer = digest_of,
        *,
        latency_s: float = 0.0,
        script: Sequence[Fault | None] = (),
        faults: Sequence[Fault] = (),
        fault_rate: float = 0.0,
        seed: int = 0,
        port: int = 0,
        on_its_way_s: float = 0.1,
    ) -> None:
        self.answer, self.latency_s = answer, latency_s
        self.script, self.faults, self.fault_rate = list(script), list(faults), fault_rate
        self.stats = Stats()
        self._random = random.Random(seed)
        self._port = port
        self._on_its_way_s = on_its_way_s
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="loopback", daemon=True)

    @property
    def base_url(self) -> str:
        """Up to and including /v1."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> "LoopbackServer":
        self._thread.start()
        self._ready.wait(10)
        if self._failed is not None:
            raise self._failed
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._end is not None:
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failed = error
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/stats", self._show_stats)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "mock", "object": "model"}]})

    async def _show_stats(self, _: web.Request) -> web.Response:
        return web.json_response(self.stats.as_json())

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        stats, now = self.stats, time.monotonic()
        stats.live += 1
        stats.max_live = max(stats.max_live, stats.live)
        stats.embargo_violations += any(
            start + self._on_its_way_s < now < end for start, end in stats.pauses
        )
        try:
            try:
                content = await request.read()
            except (OSError, web.RequestPayloadError):
                stats.cut += 1
                return web.Response(status=400)
            return await self._answer(request, content, now)
        finally:
            stats.live -= 1

    async def _answer(self, request: web.Request, content: bytes, came: float) -> web.Response:
        """Answer a whole request; returns once the reply is out."""
        stats, status = self.stats, -1
        stats.requests += 1
        bisect.insort(stats.times, came)  # a later one may have come whole before
        digest = hashlib.sha256(content).hexdigest()
        stats.bodies[digest] += 1
        stats.authorizations.add(request.headers.get("Authorization", ""))
        fault = self._fault()
        if fault is not None:
            stats.faults[fault.name] += 1
        try:
            body = json.loads(content)
            stats.received.append(body)
            await asyncio.sleep(self.latency_s if fault is None else fault.hang_s or self.latency_s)
            response, intended = await self._respond(request, body, fault)
            if intended >= 0 and await _sent(request, response):
                status, stats.last_reply = intended, time.monotonic()
                if status == 200 and fault is None:
                    stats.answered[digest] += 1
            return response
        finally:
            stats.statuses[status] += 1

    def _fault(self) -> Fault | None:
        if self.script:
            return self.script.pop(0)
        if self.faults and self._random.random() < self.fault_rate:
            return self._random.choice(self.faults)
        return None

    async def _respond(
        self, request: web.Request, body: dict[str, Any], fault: Fault | None
    ) -> tuple[web.StreamResponse, int]:
        """The response, and its status; -1 if it is not sent whole."""
        if fault is None:
            return web.json_response(self.answer(body)), 200
        if fault.reset:
            request.transport.abort()
            return web.Response(status=500), -1
        headers = dict(fault.headers() if callable(fault.headers) else fault.headers)
        if "Retry-After" in headers:
            self._ask_to_pause(headers["Retry-After"])
        content = self._content(body, fault)
        if fault.cut_after_bytes is None and fault.dribble_s is None:
            response = web.Response(
                status=fault.status, body=content, headers=headers, content_type=fault.content_type
            )
            return response, fault.status
        return await self._partly(request, fault, headers, content)

    async def _partly(
        self, request: web.Request, fault: Fault, headers: dict[str, str], content: bytes
    ) -> tuple[web.StreamResponse, int]:
        headers |= {"Content-Type": fault.content_type, "Content-Length": str(len(content))}
        response = web.StreamResponse(status=fault.status, headers=headers)
        await response.prepare(request)
        for byte in content[: fault.cut_after_bytes]:
            await response.write(bytes([byte]))
            await asyncio.sleep((fault.dribble_s or 0) / len(content))
        if fault.cut_after_bytes is None:
            return response, fault.status
        request.transport.close()
        return response, -1

    def _content(self, body: dict[str, Any], fault: Fault) -> bytes:
        chosen = fault.body
        if chosen is None and fault.status == 200:
            chosen = self.answer(body)
        elif chosen is None:
            chosen = {"error": {"message": f"loopback fault {fault.status}", "type": "fault"}}
        return (chosen if isinstance(chosen, str) else json.dumps(chosen)).encode()

    def _ask_to_pause(self, retry_after: str) -> None:
        """From this reply until its Retry-After, requests are counted as violations."""
        try:
            seconds = float(retry_after)
        except ValueError:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        now = time.monotonic()
        self.stats.pauses.append((now, now + seconds))


async def _sent(request: web.Request, response: web.StreamResponse) -> bool:
    """Whether the whole reply could be handed over; aiohttp's own end of it then does nothing."""
    try:
        await response.prepare(request)
        await response.write_eof()
    except OSError:
        return False
    return True


def main() -> None:
    """Serve until killed; the first line printed is the base URL."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--answer", default="tests.loopback.server:digest_of", help="MODULE:NAME")
    parser.add_argument("--fault-rate", type=float, default=0.0)
    parser.add_argument("--fault-status", type=int, action="append", default=[])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    module, name = options.answer.split(":")
    with LoopbackServer(
        getattr(importlib.import_module(module), name),
        latency_s=options.latency,
        faults=[Fault(status) for status in options.fault_status],
        fault_rate=options.fault_rate,
        seed=options.seed,
        port=options.port,
    ) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
