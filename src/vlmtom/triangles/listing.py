"""Which clips a run shows, and where they come from; light enough for the Snakefile."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from vlmtom.errors import BadConfig
from vlmtom.triangles.scripts import read_csv, scripts

MANIFEST = "manifest.csv"


def clip_names(folder: str | None) -> list[str]:
    """The clips' names: of the synthetic clips, or of the manifest in a folder of films.

    Raises BadData for a manifest that cannot be read.
    """
    if folder is None:
        return list(scripts())
    return [row["clip"] for row in read_csv(Path(folder) / MANIFEST, ("file", "clip"))]


def clip_sources(folder: str | None) -> str:
    """Where the clips come from, for captions: synthetic, or the sources of the manifest."""
    if folder is None:
        return "synthetic"
    rows = read_csv(Path(folder) / MANIFEST, ("file", "clip", "source"))
    return ", ".join(dict.fromkeys(row["source"] for row in rows))


def clip_conditions(folder: str | None) -> dict[str, str]:
    """Each clip's condition, in order; of a manifest's clips that name none, the script's."""
    known = {name: script.condition for name, script in scripts().items()}
    if folder is None:
        return known
    rows = read_csv(Path(folder) / MANIFEST, ("file", "clip"))
    return {row["clip"]: row.get("condition") or known.get(row["clip"], "") for row in rows}


def chosen_clips(conditions: Mapping[str, str], chosen: Sequence[str] | None) -> list[str]:
    """Which clips are shown in other representations, in their own order.

    conditions: of all clips. chosen: names; None for the first clip of each condition. Raises
    BadConfig for a name that is not there.
    """
    if chosen is None:
        return [
            name
            for place, (name, condition) in enumerate(conditions.items())
            if condition not in list(conditions.values())[:place]
        ]
    for name in chosen:
        if name not in conditions:
            raise BadConfig(
                f"representations.clips: no clip {name!r}. The clips of this configuration are "
                f"{', '.join(conditions)}."
            )
    return [name for name in conditions if name in chosen]
