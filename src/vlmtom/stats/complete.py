"""Whether a table may be built: one with gaps only where the configuration allows gaps."""

from collections.abc import Sequence

from vlmtom.errors import MissingReplies

_NAMED = 5  # cells that a message names


def refuse_gaps(experiment: str, gaps: Sequence[str], cells: int, allow_missing: bool) -> None:
    """Raise MissingReplies, naming the first cells without a value, unless gaps are allowed.

    gaps: the names of cells without one usable trial; cells: how many there are in all.
    """
    if not gaps or allow_missing:
        return
    named = "; ".join(gaps[:_NAMED]) + ("; …" if len(gaps) > _NAMED else "")
    raise MissingReplies(
        f"{experiment}: {len(gaps)} of {cells} cells have no usable reply or verdict: {named}. "
        "No table is built from a gap. The replies' status and error say why it is there "
        "(max_tokens for truncated, served_as for model_mismatch); to build tables with gaps, n "
        "shown, set `allow_missing: true`."
    )
