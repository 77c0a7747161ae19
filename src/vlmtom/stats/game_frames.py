"""Reasoning against action: the box that an agent says it goes to, and the side it steps to.

An agent that takes left for right says one box and steps to the other; a preference before any cue
shows what the participant would choose without the subject.
"""

from collections.abc import Iterable

from vlmtom.mosaic.world import DARK, LIGHT, ROLES
from vlmtom.stats.exact import as_fraction
from vlmtom.stats.game import Pair, Played, Row, pair_of

_SAID = {DARK: "dark", LIGHT: "light", None: "none"}
_WENT = {DARK: "dark", LIGHT: "light", None: "neither"}


def frames(found: Played, steps: Iterable[Row]) -> list[dict[str, object]]:
    """Rows of MOSAIC_FRAMES. steps: of MOSAIC_STEPS; rounds of missing trials are left out."""
    kept = {
        (cell.pair, cell.condition): {trial["trial"] for trial in cell.done} for cell in found.cells
    }
    by_role: dict[tuple[Pair, str, str], list[Row]] = {}
    for step in steps:
        pair, condition = pair_of(step), str(step["condition"])
        if step["round"] and step["trial"] in kept.get((pair, condition), ()):
            by_role.setdefault((pair, condition, str(step["role"])), []).append(step)
    rows = []
    for cell in found.cells:
        for role in ROLES:
            own = by_role.get((cell.pair, cell.condition, role), [])
            rows.append(cell.head() | {"role": role} | _counts(own) | _bias(cell.done, role))
    return rows


def _counts(steps: list[Row]) -> dict[str, object]:
    readable = [step for step in steps if not step["unreadable"]]
    counts = {
        f"said_{said}_went_{went}": sum(
            (step["stated_box"], step["toward_box"]) == (s, w) for step in readable
        )
        for s, said in _SAID.items()
        for w, went in _WENT.items()
    }
    against = counts["said_dark_went_light"] + counts["said_light_went_dark"]
    both = against + counts["said_dark_went_dark"] + counts["said_light_went_light"]
    return {
        "n_rounds": len(readable),
        "n_unreadable": len(steps) - len(readable),
        **counts,
        "n_both": both,
        "n_against": against,
        "against": as_fraction(against) / both if both else None,
    }


def _bias(trials: Iterable[Row], role: str) -> dict[str, object]:
    """The participant's preference in round 1, in trials; of a subject there is none."""
    names = ("n_bias", "prefers_dark", "prefers_light", "prefers_neither")
    if role != "participant":
        return dict.fromkeys(names)
    known = [trial["bias"] for trial in trials if trial["bias"] is not None]
    dark, light = sum(bias > 0 for bias in known), sum(bias < 0 for bias in known)
    return dict(zip(names, (len(known), dark, light, len(known) - dark - light), strict=True))
