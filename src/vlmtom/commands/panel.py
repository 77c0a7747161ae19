"""Whose a folder of results is: one panel's, so that no table mixes two.

Imported by the Snakefile: nothing heavy.
"""

from pathlib import Path

from vlmtom.errors import BadData

NAME = "panel.txt"


def refuse_other_panel(results: str | Path, panel: str) -> None:
    """Raise BadData for a folder that another panel has begun."""
    file = Path(results) / NAME
    try:
        found = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return
    if found != panel:
        raise BadData(
            f"{results} belongs to the panel {found!r}; this configuration is the panel {panel!r}. "
            f"Give it a folder of its own (`results: results-{panel}`). If the panel was only "
            f"renamed, write its new name into {file}."
        )


def claim(results: str | Path, panel: str) -> None:
    """Write down whose the folder is, if nobody has."""
    file = Path(results) / NAME
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{panel}\n", encoding="utf-8")
