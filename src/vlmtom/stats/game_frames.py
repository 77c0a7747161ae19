"""Reasoning against action: the box that an agent says it goes to, and the side it steps to.

An agent that takes left for right says one box and steps to the other. A preference that is stated
before Marie has shown anything is what the participant would choose without her (paper, appendix
H.2, whose example is of a trial in which she has done nothing yet). She acts first, so that after a
step, a turn or a face of hers it may be her doing already.
"""

from collections.abc import Collection, Iterable, Sequence

from vlmtom.mosaic.world import DARK, LIGHT, ROLES
from vlmtom.stats.exact import as_fraction
from vlmtom.stats.game import Pair, Played, Row, pair_of

_SAID = {DARK: "dark", LIGHT: "light", None: "none"}
_WENT = {DARK: "dark", LIGHT: "light", None: "neither"}
# Of a subject there is no preference to be counted.
_NONE = dict.fromkeys(
    name
    for n, counted in (("n_uncued", "prefers"), ("n_first", "first"))
    for name in (n, *(f"{counted}_{box}" for box in _WENT.values()))
)


def frames(found: Played, steps: Iterable[Row]) -> list[dict[str, object]]:
    """Rows of MOSAIC_FRAMES. steps: of MOSAIC_STEPS; rounds of missing trials are left out."""
    kept = {
        (cell.pair, cell.condition): {trial["trial"] for trial in cell.done} for cell in found.cells
    }
    by_role: dict[tuple[Pair, str, str], list[Row]] = {}
    for step in steps:
        pair, condition = pair_of(step), str(step["condition"])
        if step["trial"] in kept.get((pair, condition), ()):
            by_role.setdefault((pair, condition, str(step["role"])), []).append(step)
    rows = []
    for cell in found.cells:
        of = {role: by_role.get((cell.pair, cell.condition, role), []) for role in ROLES}
        uncued = _uncued(of["subject"])
        for role, own in of.items():
            counts = _counts([step for step in own if step["round"]])
            preferred = _preferred(cell.done, uncued) if role == "participant" else _NONE
            rows.append(cell.head() | {"role": role} | counts | preferred)
    return rows


def _uncued(steps: Iterable[Row]) -> set[object]:
    """The trials in which the subject has shown nothing after its first action.

    It stands and looks as at the start, which it does where it stayed, was blocked or could not be
    read, and neither its face nor its skin shows anything.
    """
    stood = {step["trial"]: _stance(step) for step in steps if step["round"] == 0}
    return {
        step["trial"]
        for step in steps
        if step["round"] == 1
        and _stance(step) == stood.get(step["trial"])
        and step["facial"] == step["physiological"] == 0
    }


def _stance(step: Row) -> tuple[object, ...]:
    return tuple(step[name] for name in ("x", "y", "hx", "hy"))


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


def _preferred(trials: Iterable[Row], uncued: Collection[object]) -> dict[str, int]:
    """The participant's preference in round 1, in trials without a cue so far and in all."""
    known = [trial for trial in trials if trial["bias"] is not None]
    before = [trial for trial in known if trial["trial"] in uncued]
    return {
        "n_uncued": len(before),
        **_by_box("prefers", before),
        "n_first": len(known),
        **_by_box("first", known),
    }


def _by_box(name: str, trials: Sequence[Row]) -> dict[str, int]:
    dark, light = (sum(sign * trial["bias"] > 0 for trial in trials) for sign in (1, -1))
    counts = (dark, light, len(trials) - dark - light)
    return {f"{name}_{box}": n for box, n in zip(_WENT.values(), counts, strict=True)}
