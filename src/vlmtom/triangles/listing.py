"""Which clips a run shows, and where they come from; light enough for the Snakefile."""

from pathlib import Path

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
