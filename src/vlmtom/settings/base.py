"""What every settings model rests on: frozen, closed, with names that can stand in a path."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
)


def slug(pattern: str) -> AfterValidator:
    """A validator of names that stand in paths."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"{value!r} cannot be used in a path; it must match {pattern}")
        return value

    return AfterValidator(check)


def refuse_unknown(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Raise ValueError for a name that is not known, with the nearest one that is."""
    for name in names:
        if name not in known:
            raise ValueError(f"no {what} {name!r}. {nearest(name, known)}")


def refuse_repeated(what: str, names: Sequence[str]) -> None:
    """Raise ValueError for names that stand twice."""
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"{what} named twice: {', '.join(sorted(repeated))}")


def without_nulls(arms: Any) -> Any:
    """An arm that a configuration sets to null is left out, whatever lies under it."""
    if not isinstance(arms, Mapping):
        return arms
    return {name: arm for name, arm in arms.items() if arm is not None}


def refuse_chosen(arm: str, testers: Sequence[str] | None) -> None:
    """Raise ValueError where an arm that is asked of everyone has testers of its own."""
    if testers is not None:
        raise ValueError(f"the arm {arm!r} is asked of every tester; leave `testers` out of it")


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence naming the known name that is nearest to a mistyped one, or all of them."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Known are: {', '.join(names) or 'none'}."


EndpointName = Annotated[str, slug(r"[A-Za-z0-9][A-Za-z0-9._-]*")]
TesterSlug = Annotated[str, slug(r"[a-z0-9][a-z0-9.-]*")]
ArmSlug = Annotated[str, slug(r"[a-z0-9][a-z0-9_-]*")]


class Frozen(BaseModel):
    """Base of all settings: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
