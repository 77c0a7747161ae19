"""What asking costs: our job beside other clients, against a loopback server.

`python -m benchmarks.calls` runs everything; `--only calls --requests 100 --rounds 1` is a quick
try. docs/benchmarks.md says what the figures mean.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.inputs import Inputs, ManyInputs, ask_spec, job_command
from benchmarks.measure import Cost, Failed, Measured, measure
from tests.calls.helpers import STREAM
from tests.loopback.server import RETRY_AFTER_S
from vlmtom.store import read_stream

ROOT = Path(__file__).parents[1]
LATENCY_S = 0.2
CLIENTS = ("vlmtom", "openai", "aiohttp", "inspect")
PARTS = ("calls", "faults", "pause", "finished", "memory")
MEMORY_ASKS_S = 15.0
FAULT_RATE, FAULT_SEED = 0.1, 78  # the seed's plan for 1,000 replies: 103 faults, 8 of them 429
ON_ITS_WAY_S = 0.5  # until a busy client has read a 429 and all that came before it


@dataclass(frozen=True)
class Figures:
    """One client's best of all rounds, figure by figure. start_*: of asking a single request."""

    wall_s: float
    span_s: float
    cpu_s: float
    rss_mb: float
    start_cpu_s: float
    cpu_ms_a_request: float  # above start-up


@dataclass(frozen=True)
class Target:
    """A bound, what was measured, and whether it holds; None where a client is not there."""

    what: str
    measured: float | None
    at_most: float

    def row(self) -> list[str]:
        """Its cells."""
        if self.measured is None:
            return [self.what, "–", f"{self.at_most:g}", "not measured"]
        verdict = "met" if self.measured <= self.at_most else "NOT met"
        return [self.what, f"{self.measured:.2f}", f"{self.at_most:g}", verdict]


class Server:
    """A server process of its own; `seen` asks it what it saw."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.base_url = process.stdout.readline().strip()

    def seen(self) -> dict[str, Any]:
        """Its counts, and the span from the first request in to the last reply out."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """A fresh server."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.server", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield Server(process)
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(heads), rule, *map(line, rows)])


# 1,000 requests --------------------------------------------------------------------------------


def calls(options: argparse.Namespace, folder: Path) -> list[Target]:
    """Every client on the same requests; prints the table, returns the targets."""
    many = Inputs(folder / "many", options.requests)
    single = Inputs(folder / "single", 1)
    found: dict[str, Figures] = {}
    for client in CLIENTS:
        if client == "inspect" and not _has_inspect(options.inspect_python):
            print("Inspect AI: skipped, not installed (see --inspect-python).", flush=True)
            continue
        start, _ = _best(client, single, options, folder / f"{client}-start")
        cost, span = _best(client, many, options, folder / client)
        asking_s = max(0.0, cost.cpu_s - start.cpu_s)
        a_request = 1000 * asking_s / max(1, options.requests - 1)
        found[client] = Figures(cost.wall_s, span, cost.cpu_s, cost.rss_mb, start.cpu_s, a_request)
        print(f"{client}: {found[client]}", flush=True)
    ideal = LATENCY_S * -(-options.requests // options.concurrency)
    heads = ["client", "wall s", "span s", "span / ideal", "CPU s", "of it start-up"]
    heads += ["CPU ms a request", "peak RSS MB"]
    rows = [
        [
            *(name, f"{f.wall_s:.1f}", f"{f.span_s:.2f}", f"{f.span_s / ideal:.2f}"),
            *(f"{f.cpu_s:.2f}", f"{f.start_cpu_s:.2f}", f"{f.cpu_ms_a_request:.2f}"),
            f"{f.rss_mb:.0f}",
        ]
        for name, f in found.items()
    ]
    print(f"\n{options.requests} requests; ideal span {ideal:.1f} s\n")
    print(table(heads, rows))
    return _call_targets(found["vlmtom"], found["openai"], found.get("inspect"), ideal)


def _call_targets(
    ours: Figures, openai: Figures, inspect: Figures | None, ideal: float
) -> list[Target]:
    def share(value: float, peer: Callable[[Figures], float]) -> float | None:
        return None if inspect is None else value / peer(inspect)

    return [
        Target("CPU ms a request above start-up", ours.cpu_ms_a_request, 4),
        Target("CPU a request / openai's", ours.cpu_ms_a_request / openai.cpu_ms_a_request, 2),
        Target("CPU of all / Inspect's", share(ours.cpu_s, lambda f: f.cpu_s), 1 / 4),
        Target("span / ideal", ours.span_s / ideal, 1.15),
        Target("span / openai's", ours.span_s / openai.span_s, 1.10),
        Target("span / Inspect's", share(ours.span_s, lambda f: f.span_s), 1 / 3),
        Target("wall - span, s", ours.wall_s - ours.span_s, 3),
        Target("wall / Inspect's", share(ours.wall_s, lambda f: f.wall_s), 1 / 3),
        Target("peak RSS MB, all asked", ours.rss_mb, 150),
    ]


def _best(
    client: str, inputs: Inputs, options: argparse.Namespace, folder: Path
) -> tuple[Cost, float]:
    """The lowest of each figure over the rounds, and the lowest span."""
    costs, spans = [], []
    for number in range(options.rounds):
        place = folder / f"round{number}"
        place.mkdir(parents=True)
        with serving("--latency", str(LATENCY_S)) as server:
            command = _command(client, server.base_url, inputs, place, options)
            costs.append(measure(command, place / "log", folder=place))
            spans.append(server.seen()["span_s"])
    best = (min(getattr(cost, name) for cost in costs) for name in ("wall_s", "cpu_s", "rss_mb"))
    return Cost(*best), min(spans)


def _command(
    client: str, url: str, inputs: Inputs, place: Path, options: argparse.Namespace
) -> Sequence[str]:
    if client == "vlmtom":
        return job_command(sys.executable, inputs, place, ask_spec(url, options.concurrency))
    python = options.inspect_python if client == "inspect" else sys.executable
    script = str(ROOT / "benchmarks" / "clients.py")
    width = ["--concurrency", str(options.concurrency)]
    return [python, script, client, url, str(inputs.questions), *width]


def _has_inspect(python: str) -> bool:
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('inspect_ai') is None)"
    found = shutil.which(python) is not None
    return found and subprocess.run([python, "-c", look], check=False).returncode == 0


# Faults ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Survived:
    """One run of our job: what the server saw, and what is in the journal against it."""

    seen: dict[str, Any]
    without_answer: int  # items
    twice: int  # replies beyond the first of a request
    unjournalled: int  # faults served and attempts journalled, their difference


def faults(options: argparse.Namespace, folder: Path) -> list[Target]:
    """Our job, a tenth of whose requests meet a fault, beside itself without any."""
    inputs = Inputs(folder / "faults", options.requests)
    faulty = ("--fault-rate", str(FAULT_RATE), "--seed", str(FAULT_SEED))
    calm, stormy = [], []
    for number in range(options.rounds):
        calm.append(_survived(options, inputs, folder / f"faults-none-{number}"))
        stormy.append(_survived(options, inputs, folder / f"faults-some-{number}", *faulty))
    free_s = min(run.seen["span_s"] for run in calm)
    best = min(stormy, key=lambda run: run.seen["span_s"]).seen
    span_s, paused_s = best["span_s"], best["paused_s"]
    violations = max(run.seen["embargo_violations"] for run in stormy)
    print(
        f"\n{options.requests} requests with {sum(best['faults'].values())} faults "
        f"({', '.join(f'{name} {n}' for name, n in sorted(best['faults'].items()))}): span "
        f"{span_s:.2f} s, {paused_s:.2f} s of it inside pauses that were asked for; without "
        f"faults {free_s:.2f} s"
    )
    runs = [*calm, *stormy]
    return [
        Target(
            "faults: (span - largest Retry-After) / span without",
            (span_s - RETRY_AFTER_S * ("429" in best["faults"])) / free_s,
            2,
        ),
        Target("faults: (span - all pauses) / span without", (span_s - paused_s) / free_s, 2),
        Target("faults: requests inside a pause", violations, 0),
        Target("faults: items without a valid answer", max(r.without_answer for r in runs), 0),
        Target("faults: replies counted twice", max(r.twice for r in runs), 0),
        Target("faults: not journalled, or twice", max(r.unjournalled for r in runs), 0),
    ]


def _survived(
    options: argparse.Namespace, inputs: Inputs, place: Path, *server_options: str
) -> Survived:
    waits = ("--latency", str(LATENCY_S), "--on-its-way", str(ON_ITS_WAY_S))
    with serving(*waits, *server_options) as server:
        one = ask_spec(server.base_url, options.concurrency)
        measure(job_command(sys.executable, inputs, place, one), place / "log")
        seen = server.seen()
    records = list(read_stream(place / "journal", STREAM))
    replies = [record for record in records if record["kind"] == "reply"]
    attempts = sum(record["kind"] == "attempt" for record in records)
    valid = {record["digest"] for record in replies if record["status"] == "ok"}
    return Survived(
        seen,
        without_answer=options.requests - len(valid),
        twice=len(replies) - len({record["digest"] for record in replies}),
        unjournalled=abs(sum(seen["faults"].values()) - attempts),
    )


# Two jobs and one pause ------------------------------------------------------------------------


def pause(options: argparse.Namespace, folder: Path) -> list[Target]:
    """Two jobs at once; when a third of all is asked, one of them is told to wait."""
    inputs = Inputs(folder / "pause", max(2, options.requests // 2))
    count = len(json.loads(inputs.questions.read_text(encoding="utf-8")))
    waits = ("--latency", str(LATENCY_S), "--pause-after", str(2 * count // 3), "--pause", "3")
    with serving(*waits) as server:
        jobs = []
        for tester in ("t1", "t2"):
            place = folder / f"pause-{tester}"
            one = ask_spec(server.base_url, options.concurrency, tester)
            command = job_command(sys.executable, inputs, place, one)
            command = [*command, "--leases", str(folder / "pause-leases")]
            jobs.append(Measured(command, place / "log"))
        walls = [job.cost().wall_s for job in jobs]
        seen = server.seen()
    print(
        f"\nTwo jobs of {count} requests, one 429 with Retry-After 3: "
        f"{seen['embargo_violations']} requests inside the pause; wall {max(walls):.1f} s, "
        f"{seen['requests']} requests for {2 * count} replies"
    )
    return [Target("requests inside another job's pause", seen["embargo_violations"], 0)]


# 100,000 requests ------------------------------------------------------------------------------


def finished(options: argparse.Namespace, folder: Path) -> list[Target]:
    """A journal that answers everything: what it costs to find that nothing is to be asked."""
    inputs = ManyInputs(folder / "finished", options.many)
    one = ask_spec("http://127.0.0.1:9/v1", options.concurrency)
    costs: list[Cost] = []
    known: list[float] = []
    first = folder / "finished-0"
    count = inputs.finish(one, first / "journal")
    for _ in range(options.rounds):
        (first / "director.w1.parquet").unlink(missing_ok=True)
        command = job_command(sys.executable, inputs, first, one)
        job = Measured(command, first / "log")
        known.append(_until(first / "log", f"{count} requests, {count} of them answered"))
        costs.append(job.cost())
    wall, cpu, rss = (min(getattr(c, n) for c in costs) for n in ("wall_s", "cpu_s", "rss_mb"))
    print(
        f"\n{count} finished requests: known after {min(known):.1f} s; with the table built again "
        f"{wall:.1f} s wall, {cpu:.2f} s CPU, {rss:.0f} MB"
    )
    return [
        Target(f"{count} finished: wall s until that is known", min(known), 3),
        Target(f"{count} finished: CPU s of the job, table and all", cpu, 2.5),
        Target(f"{count} finished: peak RSS MB", rss, 300),
    ]


def _until(log: Path, words: str) -> float:
    """Seconds until a line of a log holds these words."""
    started = time.perf_counter()
    while words not in log.read_text(encoding="utf-8"):
        if time.perf_counter() - started > 300:
            raise Failed(f"{log}: no line says {words!r}")
        time.sleep(0.02)
    return time.perf_counter() - started


def memory(options: argparse.Namespace, folder: Path) -> list[Target]:
    """The memory of a job with many requests before it, stopped a while after it began."""
    inputs = ManyInputs(folder / "memory", options.many)
    place = folder / "memory-job"
    with serving("--latency", str(LATENCY_S)) as server:
        one = ask_spec(server.base_url, options.concurrency)
        job = Measured(job_command(sys.executable, inputs, place, one), _made(place) / "log")
        cost = job.cost(stop_after_s=MEMORY_ASKS_S)
        asked = server.seen()["requests"]
    print(
        f"\n{options.many} planned requests, stopped after {MEMORY_ASKS_S:g} s: {asked} asked, "
        f"{cost.rss_mb:.0f} MB"
    )
    return [Target(f"{options.many} planned: peak RSS MB", cost.rss_mb, 300)]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def machine() -> str:
    """One line about where this ran."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    name = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"{os.cpu_count()} cores ({name[1] if name else platform.machine()}), "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, load {load}"
    )


def main() -> None:
    """Run the chosen parts, then print the targets."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.calls", description="What asking costs, beside other clients."
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="a part; may be repeated")
    parser.add_argument("--requests", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--many", type=int, default=100_000, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="the best counts; default: 3")
    parser.add_argument(
        "--inspect-python", default=sys.executable, help="a Python that has inspect_ai"
    )
    options = parser.parse_args()
    parts = {
        "calls": calls,
        "faults": faults,
        "pause": pause,
        "finished": finished,
        "memory": memory,
    }
    print(machine(), flush=True)
    targets: list[Target] = []
    with tempfile.TemporaryDirectory(prefix="vlmtom-benchmark-") as folder:
        for name in options.only or PARTS:
            targets += parts[name](options, Path(folder))
    print(f"\nload at the end {os.getloadavg()[0]:.1f}\n")
    print(table(["target", "measured", "at most", ""], [target.row() for target in targets]))


if __name__ == "__main__":
    main()
