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

    Completions to max_tokens; prompts by the length of the text and a flat count for each picture,
    or more where replies showed such a count to be too low; at the list price, or more where the
    provider charged more.
    """

    def __init__(self, model: ModelEntry) -> None:
        self._price = model.price
        self._prompt_factor = self._price_factor = 1.0
        self._longest_completion = self._dearest = 0.0

    def learn(self, request: Request, reply: Reply) -> None:
        """Take in what a reply took."""
        prompt, completion = reply.prompt_tokens or 0, reply.completion_tokens or 0
        self._prompt_factor = max(self._prompt_factor, prompt / max(1, _prompt_tokens(request)))
        self._longest_completion = max(self._longest_completion, completion)
        if reply.cost_usd is not None:
            self._dearest = max(self._dearest, reply.cost_usd)
            listed = self._listed(prompt, completion)
            if listed > 0:
                self._price_factor = max(self._price_factor, reply.cost_usd / listed)

    def usd(self, request: Request) -> float:
        """For one attempt."""
        unbounded = max(UNBOUNDED_COMPLETION, self._longest_completion)
        completion = request.parameters.get("max_tokens", unbounded)
        prompt = _prompt_tokens(request) * self._prompt_factor
        # Where the list says nothing, what calls were charged does.
        return self._listed(prompt, completion) * self._price_factor or self._dearest

    def _listed(self, prompt: float, completion: float) -> float:
        price = self._price
        if price is None:
            return 0.0
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
    A call that was given up, or whose job was killed, may have been charged: its reservation
    counts as spent.

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
            before = _read(self._file)
            self._spent = max(before.spent + before.reserved, spent_before)
            self._reserved = 0.0
            self._write()

    def reserve(self, usd: float) -> Leave:
        """Leave to make a call that may cost so much.

        wait: calls in flight may turn out cheaper than feared. refused: they cannot, because
        what is already spent leaves too little.
        """
        with self._locked():
            if self.limit_usd is None:
                self._reserved += usd
                self._write()
                return "granted"
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
            self._reserved = max(0.0, self._reserved - reserved_usd)
            self._spent += cost_usd
            self._write()

    def spent_usd(self) -> float:
        """What all jobs have spent so far."""
        with self._locked():
            return self._spent + sum(slot.spent for slot in self._other_slots())

    def close(self) -> None:
        """Let the files go; what is still reserved, for calls given up, may have been charged."""
        with self._locked():
            self._spent, self._reserved = self._spent + self._reserved, 0.0
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
    return sum(spent_at(path) for path in folder.glob(f"*{_SUFFIX}"))


def spent_at(path: Path) -> float:
    """What one job has put down; 0 where its file is not there."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return 0.0
    slot = _slot_in(content)
    return slot.spent + slot.reserved


def put_down(path: Path, usd: float) -> None:
    """Write the sum of a job that does not run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = _opened(path)
    try:
        os.pwrite(file, _SLOT.pack(_MAGIC, usd, 0.0), 0)
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


def _read(file: int) -> _Slot:
    return _slot_in(os.pread(file, _SLOT.size, 0))


def _slot_in(content: bytes) -> _Slot:
    if len(content) != _SLOT.size:
        return _Slot()
    magic, spent, reserved = _SLOT.unpack(content)
    return _Slot(spent, reserved) if magic == _MAGIC else _Slot()


def _alive(file: int, slot: _Slot) -> _Slot:
    """The slot as it counts: what a job that is gone had reserved will not come back."""
    if not slot.reserved:
        return slot
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return slot
    fcntl.flock(file, fcntl.LOCK_UN)
    return _Slot(slot.spent + slot.reserved)
