"""Asks many requests at once, tries again where that can help, and journals every reply at once."""

import asyncio
import contextlib
import heapq
import logging
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from vlmtom.calls.adaptation import Adaptations
from vlmtom.calls.budget import Estimate, Spending
from vlmtom.calls.endpoints import Endpoint
from vlmtom.calls.gate import Gate
from vlmtom.calls.leases import Ledger
from vlmtom.calls.limit import Limit, is_overload
from vlmtom.calls.messages import Pictures, sent_body
from vlmtom.calls.replies import read_completion
from vlmtom.calls.requests import next_question, questions_after
from vlmtom.calls.types import WAITED_FOR, CallFailure, ErrorKind, Reply, Request, Status
from vlmtom.settings import CallSpec
from vlmtom.store import JournalWriter, canonical_json

SYNC_S = 0.5  # a reply is on the disk at most twice this after it came
PROGRESS_S = 3.0
BUDGET_S = 1.0  # until another job's reservation is looked at again
PROMPT_TOKENS = 1000.0  # expected of a prompt before the first reply says more

log = logging.getLogger("vlmtom.calls")


@dataclass(frozen=True)
class Stop:
    """Why a job ended before every request was asked.

    resumable: waiting is all it takes, so that asking is not over.
    """

    error_kind: ErrorKind
    message: str
    resumable: bool = False


@dataclass
class Asked:
    """What one run of the engine came to."""

    planned: int
    statuses: Counter[str] = field(default_factory=Counter)
    failed_attempts: Counter[str] = field(default_factory=Counter)
    stop: Stop | None = None

    @property
    def done(self) -> int:
        """Requests that are over, with a reply or for good without one."""
        return self.statuses.total()


@dataclass
class _Pending:
    """A request between its attempts."""

    request: Request
    first_started: float = 0.0
    sent_at: float = 0.0
    reserved_usd: float = 0.0  # for the attempt in flight
    sent: dict[str, Any] = field(default_factory=dict)  # the last attempt's parameters
    adapted: int = 0  # attempts that only taught what the model refuses
    failures: list[dict[str, Any]] = field(default_factory=list)


class NotAsked(Exception):
    """The job ended before a request that somebody waits for was answered; `stop` says why."""

    def __init__(self, stop: Stop | None) -> None:
        super().__init__(stop.message if stop else "interrupted")
        self.stop = stop


class Engine:
    """One run of asking one endpoint.

    As many workers as requests may be in flight take requests from a queue; one that waits for
    its next attempt is back in the queue, and occupies no worker. ledger: what other jobs of the
    machine know of the endpoint; without one the job keeps to its own pauses and rates.
    adaptations: what is known of the parameters that the model refuses; asking teaches more.
    spending: what the run's jobs have spent together; without one nothing is limited.
    """

    def __init__(
        self,
        spec: CallSpec,
        endpoint: Endpoint,
        pictures: Pictures,
        journal: JournalWriter,
        ledger: Ledger | None = None,
        adaptations: Adaptations | None = None,
        spending: Spending | None = None,
    ) -> None:
        self._spec, self._calls = spec, spec.calls
        self._endpoint, self._pictures, self._journal = endpoint, pictures, journal
        self._gate = Gate(
            ledger,
            rpm=spec.endpoint.rpm,
            tpm=spec.endpoint.tpm,
            expected_tokens=PROMPT_TOKENS + (spec.model.sampling.max_tokens or 0),
        )
        self._adaptations = adaptations or Adaptations()
        self._spending, self._estimate = spending, Estimate(spec.model)
        self._limit = Limit(spec.model.concurrency, spec.model.max_concurrency)
        self._jitter = random.Random()  # spreads retries only; no result depends on it
        self._fresh: deque[_Pending] = deque()
        self._delayed: list[tuple[float, int, _Pending]] = []  # a heap by time
        self._pushed = 0
        self._in_flight = 0
        self._interrupted = False
        self._workers: set[asyncio.Task[None]] = set()
        self._group: asyncio.TaskGroup | None = None
        self._changed = asyncio.Event()
        self._waiting: dict[str, asyncio.Future[None]] = {}  # for a request's reply, by digest
        self.asked = Asked(0)

    async def ask(self, requests: Sequence[Request], more: int = 0) -> Asked:
        """Ask the requests, in this order; each reply is journalled before the next is taken.

        Where an item has a further question, it is asked next, with the answer carried on. Returns
        when all are over, or the job stopped. more: further calls of the job, for what is said of
        it. Raises what the journal or the pictures raise: without either, asking on would pay for
        what is lost.
        """
        planned = sum(1 + questions_after(request) for request in requests)
        self.asked = Asked(planned + more)
        if self._interrupted:
            return self.asked
        self._fresh = deque(_Pending(request) for request in requests)
        async with self._working():
            self._hire()
        return self.asked

    @contextlib.asynccontextmanager
    async def serving(self, planned: int) -> AsyncIterator[Callable[[Request], Awaitable[None]]]:
        """Ask requests one by one, as they come up, many at once; `planned` of them are expected.

        What is given is awaited with a request: it returns once the journal holds the reply, of
        whatever status, and raises NotAsked where the job stopped before. It raises ValueError for
        a request that is waited for already: it would be paid for twice. On leaving, what is in
        flight is finished. Raises as `ask` does.
        """
        self.asked = Asked(planned)
        async with self._working():
            yield self._serve

    async def _serve(self, request: Request) -> None:
        if self._interrupted or self.asked.stop is not None:
            raise NotAsked(self.asked.stop)
        if request.digest in self._waiting:
            raise ValueError(f"request {request.digest[:16]} is in flight: await it once")
        done = self._waiting[request.digest] = asyncio.get_running_loop().create_future()
        # Re-asks come beyond what was expected.
        self.asked.planned = max(self.asked.planned, self.asked.done + len(self._waiting))
        self._fresh.append(_Pending(request))
        self._hire()
        self._wake()
        try:
            await done
        finally:
            self._waiting.pop(request.digest, None)

    @contextlib.asynccontextmanager
    async def _working(self) -> AsyncIterator[None]:
        """Workers for what is queued, until the queue and the hands are empty, or a stop."""
        try:
            async with asyncio.TaskGroup() as group:
                helpers = [
                    group.create_task(self._sync_regularly()),
                    group.create_task(self._report_regularly()),
                ]
                self._group = group
                yield
                while self._workers:
                    await asyncio.wait(self._workers)
                for helper in helpers:
                    helper.cancel()
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            self._group = None
            self._journal.sync()
        log.info("%s", self._progress())

    def stop(self, stop: Stop) -> None:
        """Send nothing more; calls in flight are finished, because they are paid for."""
        if self.asked.stop is None:
            self.asked.stop = stop
        self._wake()
        self._tell_waiting()

    def interrupt(self) -> None:
        """End now: calls in flight are given up, what came is in the journal."""
        self._interrupted = True  # what is yet to be asked is not begun either
        self._group = None  # nobody is hired any more
        for worker in self._workers:
            worker.cancel()
        self._tell_waiting(everyone=True)

    def _tell_waiting(self, everyone: bool = False) -> None:
        """Tell whoever waits for a request that will not be sent."""
        queued = {pending.request.digest for pending in self._fresh}
        queued |= {pending.request.digest for _, _, pending in self._delayed}
        for digest, done in self._waiting.items():
            if not done.done() and (everyone or digest in queued):
                done.set_exception(NotAsked(self.asked.stop))

    def _hire(self) -> None:
        """As many workers as the limit allows and the queue has work for."""
        waiting = len(self._fresh) + len(self._delayed)
        wanted = min(self._limit.now, waiting + self._in_flight)
        if self._group is not None:
            for _ in range(wanted - len(self._workers)):
                worker = self._group.create_task(self._work())
                self._workers.add(worker)
                worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        while (pending := await self._next()) is not None:
            try:
                await self._attempt(pending)
            finally:
                self._in_flight -= 1
                self._wake()
        # At once: the next worker that looks must not count this one and leave as well.
        self._workers -= {asyncio.current_task()}

    async def _next(self) -> _Pending | None:
        """The next request that may be sent now; None once this worker will get none."""
        clock = asyncio.get_running_loop().time
        while self.asked.stop is None and len(self._workers) <= self._limit.now:
            if not (self._fresh or self._delayed or self._in_flight):
                return None
            now = clock()
            pending = self._due(now)
            wait: float | None
            if pending is None:
                wait = self._delayed[0][0] - now if self._delayed else None
            else:
                wait = self._leave(pending, now)
                if not wait:
                    self._take(pending)
                    return pending
                if self.asked.stop is not None:
                    return None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._changed.wait()
        return None

    def _due(self, now: float) -> _Pending | None:
        """A request whose wait is over goes before one that was not asked yet."""
        if self._delayed and self._delayed[0][0] <= now:
            return self._delayed[0][2]
        return self._fresh[0] if self._fresh else None

    def _take(self, pending: _Pending) -> None:
        """Out of the queue, into flight."""
        if self._delayed and self._delayed[0][2] is pending:
            heapq.heappop(self._delayed)
        else:
            self._fresh.popleft()
        self._in_flight += 1

    def _leave(self, pending: _Pending, now: float) -> float:
        """Leave to send: 0 with it, else seconds until asking again helps. It may stop the job."""
        paused_s = self._gate.paused_s(now)
        if paused_s > self._calls.max_pause_s:
            self.stop(self._asked_to_wait("rate_limited", paused_s))
            return paused_s
        if self._spending is None:
            return self._gate.take(now)
        if wait := self._gate.wait_s(now):
            return wait
        usd = self._estimate.usd(pending.request)
        leave = self._spending.reserve(usd)
        if leave == "refused":
            self.stop(self._out_of_budget(usd))
        if leave != "granted":
            return BUDGET_S
        if wait := self._gate.take(now):
            self._spending.settle(usd, 0.0)
            return wait
        pending.reserved_usd = usd
        return 0.0

    def _wake(self) -> None:
        """Let every waiting worker look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def _attempt(self, pending: _Pending) -> None:
        clock = asyncio.get_running_loop().time
        pending.sent = self._adaptations.sent(pending.request.parameters)
        sent = replace(pending.request, parameters=pending.sent)
        body = sent_body(sent, self._pictures)
        started, started_utc = clock(), datetime.now(UTC).isoformat()
        pending.sent_at = started
        reserved = self._gate.expected_tokens
        if not pending.failures:
            pending.first_started = started
        try:
            # The client's own limit is for a silence; this one is for the whole reply.
            async with asyncio.timeout(self._spec.model.timeout_s):
                raw = await self._endpoint.complete(body)
            reply = read_completion(raw, sent, self._spec.model)
        except TimeoutError:
            failure = CallFailure(
                "network",
                f"no whole reply within {self._spec.model.timeout_s:g} s",
                retryable=True,
            )
            self._failed(pending, failure, started_utc, clock() - started)
        except CallFailure as failure:
            self._failed(pending, failure, started_utc, clock() - started)
        else:
            reply = replace(reply, started_utc=started_utc, duration_s=clock() - started)
            self._account(pending, reply, reserved)
            self._settle(pending, reply, attempts=len(pending.failures) + 1)
            self._go_on(pending.request, reply)

    def _go_on(self, request: Request, reply: Reply) -> None:
        """Queue the item's next question, before all that was not begun."""
        if reply.status == "ok" and reply.text is not None:
            following = next_question(request, reply.text, self._spec)
            if following is not None:
                self._fresh.appendleft(_Pending(following))

    def _account(self, pending: _Pending, reply: Reply, reserved: float) -> None:
        """What an answer says of the rates, of money, and of how much the endpoint bears."""
        self._estimate.learn(pending.request, reply)
        if self._spending is not None:
            # A cost that nobody tells is taken to be what was feared.
            cost = pending.reserved_usd if reply.cost_usd is None else reply.cost_usd
            self._spending.settle(pending.reserved_usd, cost)
        if reply.prompt_tokens is not None and reply.completion_tokens is not None:
            now = asyncio.get_running_loop().time()
            self._gate.took(now, reply.prompt_tokens + reply.completion_tokens, reserved)
        self._limit.succeeded(self._in_flight)
        self._hire()

    def _failed(
        self, pending: _Pending, failure: CallFailure, started_utc: str, duration_s: float
    ) -> None:
        """Journal a failed attempt; then try again later, give up the request, or stop."""
        if self._spending is not None:
            self._spending.settle(pending.reserved_usd, 0.0)
        what = {
            "error_kind": failure.error_kind,
            "status_code": failure.status_code,
            "message": failure.message,
        }
        pending.failures.append(what)
        self.asked.failed_attempts[failure.error_kind] += 1
        self._journal.append(
            {"kind": "attempt", "digest": pending.request.digest, **what}
            | {"started_utc": started_utc, "duration_s": duration_s}
        )
        now = asyncio.get_running_loop().time()
        if failure.parameter is not None and failure.parameter in pending.sent:
            self._adapt(pending, failure.parameter)
            self._try_again(pending, now)
            return
        if is_overload(failure):
            self._limit.overloaded(pending.sent_at, now)
        delay = self._delay(len(pending.failures), failure)
        if failure.retry_after_s:
            # Also where this job will not wait so long: no other one must ask meanwhile.
            self._gate.pause(now, failure.retry_after_s)
        spent = now + max(delay, self._gate.paused_s(now)) - pending.first_started
        stop = None if failure.filtered else self._reason_to_stop(failure)
        if failure.filtered:
            self._give_up(pending, failure, status="filtered")
        elif (
            stop is not None
            or not failure.retryable
            or len(pending.failures) - pending.adapted >= self._calls.attempts
            or spent > self._calls.total_time_s
        ):
            self._give_up(pending, failure)
        else:
            self._try_again(pending, now + delay)
        if stop is not None:
            self.stop(stop)

    def _try_again(self, pending: _Pending, at: float) -> None:
        self._pushed += 1
        heapq.heappush(self._delayed, (at, self._pushed, pending))
        if self.asked.stop is not None:
            self._tell_waiting()

    def _adapt(self, pending: _Pending, parameter: str) -> None:
        """Learn that the model refuses a parameter, unless another request taught it already."""
        pending.adapted += 1
        action = self._adaptations.learn(parameter)
        if action is None:
            return
        model, endpoint = pending.request.model, self._spec.model.endpoint
        log.warning("%s refuses the parameter %s: %s", self._spec.slug, parameter, action)
        self._journal.append(
            {"kind": "learned", "model": model, "endpoint": endpoint, "parameter": parameter}
            | {"action": action, "message": pending.failures[-1]["message"]}
            | self._spec.provenance
        )

    def _delay(self, attempts: int, failure: CallFailure) -> float:
        """Seconds until the next attempt: doubling, with jitter; no less than is asked for."""
        longest = min(self._calls.max_backoff_s, self._calls.backoff_s * 2 ** (attempts - 1))
        backoff = longest * self._jitter.uniform(0.5, 1.0)
        # "Retry-After: 0" is no leave to try six times in a row.
        return max(backoff, failure.retry_after_s or 0.0)

    def _reason_to_stop(self, failure: CallFailure) -> Stop | None:
        slug = self._spec.slug
        if failure.stops_the_job:
            return Stop(
                failure.error_kind,
                f"{slug}: stopped asking, because every other request would fail alike "
                f"({failure.error_kind}: {failure.message}).",
                resumable=failure.error_kind in WAITED_FOR,
            )
        wait_s = failure.retry_after_s
        if wait_s is not None and wait_s > self._calls.max_pause_s:
            return self._asked_to_wait(failure.error_kind, wait_s)
        return None

    def _asked_to_wait(self, kind: ErrorKind, wait_s: float) -> Stop:
        back = datetime.now(UTC) + timedelta(seconds=wait_s)
        return Stop(
            kind,
            f"{self._spec.slug}: stopped asking, because the endpoint asks to wait {wait_s:.0f} s, "
            f"longer than max_pause_s ({self._calls.max_pause_s:.0f} s). "
            f"Come back after {back:%Y-%m-%d %H:%M:%S} UTC.",
            resumable=True,
        )

    def _out_of_budget(self, usd: float) -> Stop:
        limit, spent = self._spending.limit_usd, self._spending.spent_usd()
        left = self.asked.planned - self.asked.done
        return Stop(
            "budget",
            f"{self._spec.slug}, {self._spec.topic}: stopped before the budget of {limit:g} USD "
            f"would be passed. {spent:.4f} USD are spent by all testers and judges together, and "
            f"the next call may cost up to {usd:.4f} USD. {left} of {self.asked.planned} calls "
            "of this job are left (in flight: "
            f"{self._in_flight}). Raise `budget` in the configuration and run the same command "
            "to go on; `vlmtom plan` tells what is left of every job.",
            resumable=True,
        )

    def _give_up(
        self, pending: _Pending, failure: CallFailure, status: Status = "api_error"
    ) -> None:
        reply = Reply(
            status=status,
            parameters=canonical_json(pending.sent),
            error_kind=failure.error_kind if status == "api_error" else None,
            error=failure.message,
        )
        self._settle(pending, reply, attempts=len(pending.failures))

    def _settle(self, pending: _Pending, reply: Reply, attempts: int) -> None:
        request = pending.request
        self._journal.append(
            {
                "kind": "reply",
                "digest": request.digest,
                **self._spec.provenance,
                "item_id": request.item_id,
                "arm": request.arm,
                "stimulus": request.stimulus,
                "trial": request.trial,
                "batch": request.batch,
                "turn": request.turn,
                "ask": request.ask,
                "requested_model": request.model,
                **asdict(replace(reply, attempts=attempts)),
                "attempts_failed": pending.failures,
            }
        )
        self.asked.statuses[reply.status] += 1
        done = self._waiting.get(request.digest)
        if done is not None and not done.done():
            done.set_result(None)

    async def _sync_regularly(self) -> None:
        while True:
            await asyncio.sleep(SYNC_S)
            await asyncio.to_thread(self._journal.sync)

    async def _report_regularly(self) -> None:
        while True:
            await asyncio.sleep(PROGRESS_S)
            log.info("%s", self._progress())

    def _progress(self) -> str:
        asked = self.asked
        allowed = f" of {self._limit.now} allowed" if self._limit.adaptive else ""
        parts = [f"{asked.done}/{asked.planned} done", f"{self._in_flight} in flight{allowed}"]
        if pause := self._gate.paused_s(asyncio.get_running_loop().time()):
            parts.append(f"endpoint paused for {pause:.0f} s")
        if asked.failed_attempts:
            counted = (f"{kind} {n}" for kind, n in sorted(asked.failed_attempts.items()))
            parts.append(f"failed attempts: {', '.join(counted)}")
        missing = {s: n for s, n in asked.statuses.items() if s != "ok"}
        if missing:
            parts.append("; ".join(f"{status} {n}" for status, n in sorted(missing.items())))
        return f"{self._spec.slug}, {self._spec.topic}: " + ", ".join(parts)
