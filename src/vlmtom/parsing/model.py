"""What a parse can come to: a value, or a status with one reason of a closed list."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

Status = Literal["parsed", "unparsed", "empty", "truncated", "filtered", "refused"]
Reason = Literal[
    "empty",
    "truncated",
    "filtered",
    "refusal",
    "no_answer",
    "multiple_answers",
    "off_vocabulary",
    "letter_color_conflict",
    "no_json",
    "bad_type",
    "non_integer",
    "out_of_range",
    "missing_field",
    "conflicting_verdicts",
    "quote_not_found",
]
STATUSES: tuple[str, ...] = get_args(Status)
REASONS: tuple[str, ...] = get_args(Reason)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@dataclass(frozen=True)
class Parsed:
    """One parse. `value` is null unless `status` is parsed; [] is a value (no block at all).

    reason: None exactly when parsed. `refused` (the provider's field) has the reason refusal.
    repaired: names of the repairs a JSON answer needed, sorted; empty when none.
    """

    value: Any
    status: Status
    reason: Reason | None = None
    repaired: tuple[str, ...] = ()


class Unreadable(Exception):
    """Raised inside the package where a reply stops being readable; carries the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


def unparsed(reason: Reason) -> Parsed:
    return Parsed(None, "unparsed", reason)


def read(value: Any, repaired: tuple[str, ...] = ()) -> Parsed:
    return Parsed(value, "parsed", None, repaired)
