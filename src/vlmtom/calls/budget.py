"""What all testers and judges of a run have spent, and whether the next call may still be made."""

import contextlib
import fcntl
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlmtom.calls.types import Reply, Request
from vlmtom.settings import ModelEntry

Leave = Literal["granted", "wait", "refused"]

CHARACTERS_A_TOKEN = 3.0  # few, so that a prompt is rather over- than underestimated
PICTURE_TOKENS = 1600.0
FILM_TOKENS = 20_000.0
UNBOUNDED_COMPLETION = 8192.0  # where max_tokens is null, until a longer one was seen
_SLOT = struct.Struct("<8s2d")  # magic, spent, reserved
_MAGIC = b"vlmtomB\n"
_SUFFIX = ".spent"


class Estimate:
    """The most that a request is expected to cost, in US dollars.

    Completions to max_tokens, and prompts as long as the longest that replies reported; before the
    first reply, by the length of the text and a flat count for each picture. 0 without a price.
    """

    def __init__(self, model: ModelEntry) -> None:
        self._price, self._most = model.price, model.sampling.max_tokens
        self._longest_prompt = 0
        self._longest_completion = 0

    def learn(self, reply: Reply) -> None:
        """Take in what a reply took."""
        self._longest_prompt = max(self._longest_prompt, reply.prompt_tokens or 0)
        self._longest_completion = max(self._longest_completion, reply.completion_tokens or 0)

    def usd(self, request: Request) -> float:
        """For one attempt."""
        if self._price is None:
            return 0.0
        prompt = self._longest_prompt or _prompt_tokens(request)
        unbounded = max(UNBOUNDED_COMPLETION, self._longest_completion)
        completion = unbounded if self._most is None else self._most
        price = self._price
        return (prompt * price.input_usd_per_mtok + completion * price.output_usd_per_mtok) / 1e6


def _prompt_tokens(request: Request) -> float:
    characters = sum(len(turn.text) for turn in request.turns)
    pictures = sum(len(turn.pictures) for turn in request.turns)
    films = sum(turn.video is not None for turn in request.turns)
    text = characters / CHARACTERS_A_TOKEN
    return text + PICTURE_TOKENS * pictures + FILM_TOKENS * films


@dataclass(frozen=True, slots=True)
class _Slot:
    spent: float = 0.0
    reserved: float = 0.0


class Spending:
    """One job's part of the spending, in a file that all jobs of the run read.

    A job reserves what a call may cost before it makes it, and puts down what it did cost. Files
    stay when jobs end: money that was spent is spent, also on replies that were set aside later.
    The reservation of a job that was killed counts no more, because the kernel frees its lock.

    name: the job's own. spent_before: what its journal knows of, should the file be lost.
    limit_usd: the budget of all jobs together; None grants everything, and keeps the sums.
    """

    def __init__(
        self, folder: Path, name: str, spent_before: float = 0.0, limit_usd: float | None = None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._name = folder, f"{name}{_SUFFIX}"
        self.limit_usd = limit_usd
        self._others: dict[str, int] = {}
        self._lock = _opened(folder / "lock")
        self._file = _opened(folder / self._name)
        fcntl.flock(self._file, fcntl.LOCK_EX)  # for as long as the job lives
        with self._locked():
            self._spent = max(_read(self._file).spent, spent_before)
            self._reserved = 0.0
            self._write()

    def reserve(self, usd: float) -> Leave:
        """Leave to make a call that may cost so much.

        wait: calls in flight may turn out cheaper than feared. refused: they cannot, because
        what is already spent leaves too little.
        """
        if self.limit_usd is None:
            return "granted"
        with self._locked():
            others = self._other_slots()
            spent = self._spent + sum(slot.spent for slot in others)
            if spent + usd > self.limit_usd:
                return "refused"
            reserved = self._reserved + sum(slot.reserved for slot in others)
            if spent + reserved + usd > self.limit_usd:
                return "wait"
            self._reserved += usd
            self._write()
        return "granted"

    def settle(self, reserved_usd: float, cost_usd: float) -> None:
        """Give a reservation back, and put down what the call cost."""
        with self._locked():
            if self.limit_usd is not None:
                self._reserved = max(0.0, self._reserved - reserved_usd)
            self._spent += cost_usd
            self._write()

    def spent_usd(self) -> float:
        """What all jobs have spent so far."""
        with self._locked():
            return self._spent + sum(slot.spent for slot in self._other_slots())

    def close(self) -> None:
        """Let the files go, and with them what is still reserved."""
        with self._locked():
            self._reserved = 0.0
            self._write()
        for file in (*self._others.values(), self._file, self._lock):
            os.close(file)
        self._others = {}

    def _other_slots(self) -> list[_Slot]:
        for path in self._folder.glob(f"*{_SUFFIX}"):
            if path.name not in {self._name, *self._others}:
                with contextlib.suppress(FileNotFoundError):
                    self._others[path.name] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return [_alive(file, _read(file)) for file in self._others.values()]

    def _write(self) -> None:
        os.pwrite(self._file, _SLOT.pack(_MAGIC, self._spent, self._reserved), 0)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)


def spent_in(folder: Path) -> float:
    """What all jobs have put down in a folder; 0 where there is none yet."""
    slots = (_slot_of(path) for path in folder.glob(f"*{_SUFFIX}"))
    return sum(slot.spent for slot in slots)


def _slot_of(path: Path) -> _Slot:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _read(file)
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


def _read(file: int) -> _Slot:
    content = os.pread(file, _SLOT.size, 0)
    if len(content) != _SLOT.size:
        return _Slot()
    magic, spent, reserved = _SLOT.unpack(content)
    return _Slot(spent, reserved) if magic == _MAGIC else _Slot()


def _alive(file: int, slot: _Slot) -> _Slot:
    """The slot as it counts: of a job that is gone, nothing is reserved."""
    if not slot.reserved:
        return slot
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return slot
    fcntl.flock(file, fcntl.LOCK_UN)
    return _Slot(slot.spent)
