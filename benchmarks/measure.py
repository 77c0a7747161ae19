"""What a command costs: wall and CPU seconds and peak memory of its whole process tree."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_S = 0.02


class Failed(Exception):
    """A measured command ended with an error: no number of it means anything."""


@dataclass(frozen=True)
class Cost:
    """wall_s: from start to exit. cpu_s: user and system, with children. rss_mb: 10^6 bytes."""

    wall_s: float
    cpu_s: float
    rss_mb: float


class Measured:
    """A running command, and what it costs once it ended; its stderr goes to a file."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._command, self._log = command, log
        with log.open("w", encoding="utf-8") as file:
            self._started = time.perf_counter()
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=file,
                env=os.environ | dict(environment or {}),
                cwd=folder,
            )

    def cost(self, stop_after_s: float | None = None) -> Cost:
        """Wait for the end. stop_after_s: send SIGTERM then, and take that end for a good one.

        Raises Failed, with the last lines of stderr, for any other exit code than 0.
        """
        pid, peak_kb = self._process.pid, 0
        stopped = False
        while True:
            done, status, usage = os.wait4(pid, os.WNOHANG)
            wall = time.perf_counter() - self._started
            if done:
                break
            # Not ru_maxrss: it starts from the memory of the process that forked.
            peak_kb = max(peak_kb, _memory_kb(pid))
            if stop_after_s is not None and not stopped and wall > stop_after_s:
                os.kill(pid, signal.SIGTERM)
                stopped = True
            time.sleep(SAMPLE_S)
        code = os.waitstatus_to_exitcode(status)
        self._process.returncode = code
        if code != (128 + signal.SIGTERM if stopped else 0):
            end = "\n".join(self._log.read_text(encoding="utf-8").splitlines()[-15:])
            raise Failed(f"{' '.join(self._command)}: exit code {code}\n{end}")
        return Cost(wall, usage.ru_utime + usage.ru_stime, peak_kb * 1024 / 1e6)


def measure(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Cost:
    """Run a command to its end. Raises Failed."""
    return Measured(command, log, environment, folder).cost()


def _memory_kb(pid: int) -> int:
    """The highest memory so far of a process, and what its descendants hold at the moment."""
    return _status_kb(pid, "VmHWM") + sum(_status_kb(child, "VmRSS") for child in _below(pid))


def _below(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        children = [int(word) for word in text.split()]
        return children + [one for child in children for one in _below(child)]
    return []


def _status_kb(pid: int, field: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
    return 0
