"""Which parameter a model refuses, and what is sent in its place, learned once a model."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from vlmtom.calls.messages import DETAIL
from vlmtom.store.journal import read_stream, streams_with

Action = Literal["dropped", "renamed"]

# Only these are adapted; every other refusal is a bad request. Not among them: reasoning_effort.
# A model that cannot be asked to answer without reasoning must not silently reason.
_NEW_NAME = {"max_tokens": "max_completion_tokens"}
_DROPPED = frozenset({"temperature", "top_p", "seed", "response_format", DETAIL})
_OTHER_WORDS = {"json_schema": "response_format", "json_object": "response_format"}
_OTHER_WORDS |= {"image_url.detail": DETAIL}
_KNOWN = frozenset({*_NEW_NAME, *_DROPPED})

_CODES = frozenset(
    {"unsupported_parameter", "unsupported_value", "unknown_parameter", "unrecognized_parameter"}
    | {"unsupported_field", "unknown_field", "extra_forbidden"}
)
_WORDS = re.compile(
    r"unsupported|not support|n't support|not (currently |yet )?available"
    r"|(un|not )recogni[sz]ed|unknown (parameter|field|argument|name)|unexpected keyword"
    r"|extra (inputs?|fields?)|(not|no longer) (permitted|allowed|accepted)|deprecated"
    r"|use '?`?max_completion_tokens",
    re.IGNORECASE,
)
_NAME = re.compile(rf"\b({'|'.join(map(re.escape, sorted({*_KNOWN, *_OTHER_WORDS})))})\b")
_NEEDLE = b'"kind":"learned"'  # as canonical JSON spells it; quotes inside texts are escaped


@dataclass
class Adaptations:
    """What was learned of one model at one endpoint: an action by parameter."""

    actions: dict[str, Action] = field(default_factory=dict)

    def sent(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as they are sent to this model."""
        return {
            _NEW_NAME.get(name, name) if name in self.actions else name: value
            for name, value in parameters.items()
            if self.actions.get(name) != "dropped"
        }

    def learn(self, parameter: str) -> Action | None:
        """What is done about a refused parameter from now on; None if that was known before."""
        if parameter in self.actions:
            return None
        action: Action = "renamed" if parameter in _NEW_NAME else "dropped"
        self.actions[parameter] = action
        return action


def refused_parameter(
    status: int | None, codes: Iterable[str], param: object, message: str
) -> str | None:
    """The parameter that an error says is not supported; None for any other error.

    A value out of its range is another error: dropping it would hide a mistake. So is a message
    that names several parameters, or none that can be done without.
    """
    if status not in {400, 422}:
        return None
    if not (_CODES & set(codes) or _WORDS.search(message)):
        return None
    if isinstance(param, str) and param.strip():
        path = param.strip().removeprefix("body.").split(".")
        # Of what is inside messages, only the picture's detail can be done without.
        name = DETAIL if path[-1] == "detail" else _OTHER_WORDS.get(path[0], path[0])
        return name if name in _KNOWN else None
    named = {_OTHER_WORDS.get(name, name) for name in _NAME.findall(message)}
    return named.pop() if len(named) == 1 else None


def learned_before(journal: str | Path, model: str, endpoint: str) -> Adaptations:
    """What earlier jobs of the same tester or judge journalled of this model."""
    found = Adaptations()
    for record in _learned(Path(journal)):
        parameter = str(record.get("parameter"))
        same = (record.get("model"), record.get("endpoint")) == (model, endpoint)
        if same and parameter in _KNOWN:
            found.learn(parameter)
    return found


def _learned(journal: Path) -> Iterator[dict[str, object]]:
    for stream in streams_with(journal, _NEEDLE):
        yield from (r for r in read_stream(journal, stream) if r.get("kind") == "learned")
