"""From replies to what a coder may see: answer and reasoning under ids that say nothing else.

Each trace goes out twice, with the report of the answer and without it, under two ids: so a coder
cannot tell that both are of one reply.
"""

import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from vlmtom.errors import BadData
from vlmtom.judging.blinding import blind_id
from vlmtom.parsing import reasoning_in
from vlmtom.stats.profile_tables import averaged

Row = Mapping[str, Any]

WITH_REPORT, WITHOUT_REPORT = "with_report", "without_report"
VERSIONS = (WITH_REPORT, WITHOUT_REPORT)


def trace_key(
    outcomes: Iterable[Row],
    replies: Iterable[Row],
    salt: str,
    recoded: int,
    conditions: Collection[str],
    batches: Collection[str] | None = None,
) -> list[dict[str, Any]]:
    """Every planned reply of these conditions and batches as a row of TRACE_KEY.

    outcomes: rows of REPORT_ACTION_OUTCOMES; replies: rows of REPLIES of the same testers. A reply
    whose choice was read and that comes with reasoning is a trace; one without reasoning
    (no_trace), or whose choice is missing or unparsed (no_choice), is kept and counted, not coded.
    recoded: how many traces are coded a second time, of models where there is one, since agreement
    is over these; the draw depends on the ids alone. Raises BadData for an outcome without a reply.
    """
    answers = _last_turns(replies)
    rows = []
    for outcome in outcomes:
        if outcome["arm"] not in conditions:
            continue
        if batches is not None and outcome["batch"] not in batches:
            continue
        reply = answers.get((outcome["tester"], outcome["item_id"], outcome["trial"]))
        if reply is None:
            raise BadData(
                f"no reply of {outcome['tester']} to {outcome['item_id']}, trial "
                f"{outcome['trial']}. Outcomes and replies must come from one run; delete the "
                "outcomes and run again."
            )
        rows.append(_key_row(outcome, reply, salt))
    coded = {row["blind_id"] for row in averaged(rows) if row["blind_id"] is not None}
    again = {*drawn_order(coded, salt, "coded again")[:recoded]}
    return [row | {"recoded": row["blind_id"] in again} for row in rows]


def blind_traces(key: Iterable[Row], replies: Iterable[Row]) -> list[dict[str, Any]]:
    """The traces of a key as rows of BLIND_TRACES, sorted by their ids.

    The ids follow from the run's seed, so that their order is shuffled by it. key: rows of
    TRACE_KEY; replies: those that it was made from.
    """
    answers = _last_turns(replies)
    rows: dict[str, dict[str, Any]] = {}
    for row in key:
        if row["blind_id"] is None:
            continue
        reply = answers[row["tester"], row["item_id"], row["trial"]]
        for version in VERSIONS:
            name = row["blind_id"] if version == WITH_REPORT else row["blind_id_without_report"]
            again = version == WITH_REPORT and row["recoded"]
            blind = blind_row(
                name, version, row["visible"], row["choice"], str(_reasoning(reply)), again
            )
            if rows.setdefault(name, blind) != blind:
                raise BadData(
                    f"two traces have the blind id {name}. Choose another `seed`, from which the "
                    "ids' salt is derived."
                )
    return [rows[name] for name in sorted(rows)]


def blind_row(
    name: str,
    version: str,
    visible: Iterable[int] | None,
    choice: int,
    reasoning: str,
    again: bool,
) -> dict[str, Any]:
    """A row of BLIND_TRACES. again: the trace is coded a second time."""
    return {
        "blind_id": name,
        "version": version,
        "codings": 2 if again else 1,
        "reply": shown_reply(version, visible, choice),
        "reasoning": reasoning,
    }


def shown_reply(version: str, visible: Iterable[int] | None, choice: int) -> str:
    """The answer as a coder sees it: the object that was read, in the second version its choice.

    The words around the object are left out, as they would differ between the versions.
    """
    report = {} if visible is None or version == WITHOUT_REPORT else {"visible": list(visible)}
    return json.dumps(report | {"choice": choice})


def trace_id(salt: str, version: str, request_digest: str, reply: str, reasoning: str) -> str:
    """The opaque id of a trace in one version."""
    return blind_id(salt, f"{version}\0{request_digest}", f"{reply}\0{reasoning}")


def drawn_order(ids: Iterable[str], salt: str, what: str) -> list[str]:
    """The ids in an order of chance that does not change when others join: by a keyed digest."""

    def place(name: str) -> bytes:
        return hmac.new(salt.encode(), f"{what}\0{name}".encode(), hashlib.sha256).digest()

    return sorted(ids, key=place)


def _key_row(outcome: Row, reply: Row, salt: str) -> dict[str, Any]:
    chosen = outcome["parse"] == "parsed" and outcome["choice"] is not None
    reasoning = _reasoning(reply) if chosen else None
    ids = dict.fromkeys(VERSIONS)
    if reasoning is not None:
        for version in VERSIONS:
            shown = shown_reply(version, outcome["visible"], outcome["choice"])
            ids[version] = trace_id(salt, version, reply["request_digest"], shown, reasoning)
    return {
        **{
            name: outcome[name]
            for name in (
                *("tester", "kind", "scene_set", "batch", "arm", "stimulus", "item_id", "trial"),
                *("parse", "visible", "choice", "hidden_chosen", "director_view_chosen"),
            )
        },
        "trace": "no_choice" if not chosen else "no_trace" if reasoning is None else "trace",
        "blind_id": ids[WITH_REPORT],
        "blind_id_without_report": ids[WITHOUT_REPORT],
    }


def _last_turns(replies: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    """The reply of each trial that holds the choice: that of its last turn."""
    found: dict[tuple[Any, ...], Row] = {}
    for reply in replies:
        name = (reply["tester"], reply["item_id"], reply["trial"])
        before = found.get(name)
        if before is None or (reply["turn"], reply["ask"]) > (before["turn"], before["ask"]):
            found[name] = reply
    return found


def _reasoning(reply: Row) -> str | None:
    """The reasoning that came with a reply, in its own field or in tags before the text."""
    given = reply["reasoning"]
    if given is not None and given.strip():
        return str(given)
    return None if reply["text"] is None else reasoning_in(reply["text"])
