"""How many requests may be in flight: fixed, or found by what the endpoint bears."""

from vlmtom.calls.types import CallFailure

LOWERED_TO = 0.8
_OVERLOAD = frozenset({503, 529})


class Limit:
    """The number of requests in flight at once, of one model at one endpoint.

    Starts at `start`. With `most`, an overload lowers it by a fifth, to 1 at the least, and as
    many successes in a row as it allows, made while it was reached, raise it by 1, to `most`.
    Without `most` it stays.
    """

    def __init__(self, start: int, most: int | None = None) -> None:
        self._value, self._most = float(start), most
        self._streak = 0
        self._lowered_at = float("-inf")

    @property
    def adaptive(self) -> bool:
        """Whether it moves at all."""
        return self._most is not None

    @property
    def now(self) -> int:
        """As it stands."""
        return int(self._value)

    def overloaded(self, sent: float, now: float) -> None:
        """A request that was sent at `sent` met an overload."""
        self._streak = 0
        # What was in flight when the limit was lowered says nothing of the lower one.
        if self.adaptive and sent >= self._lowered_at:
            self._value = max(1.0, self._value * LOWERED_TO)
            self._lowered_at = now

    def succeeded(self, in_flight: int) -> None:
        """A request was answered while so many, itself included, were in flight."""
        if self._most is None or in_flight < self.now:
            return
        self._streak += 1
        if self._streak >= self.now:
            self._streak = 0
            self._value = min(float(self._most), self._value + 1)


def is_overload(failure: CallFailure) -> bool:
    """Whether a failure says that the endpoint was asked too much at once."""
    return failure.error_kind == "rate_limited" or failure.status_code in _OVERLOAD
