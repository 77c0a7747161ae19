"""How figures look: readable in print, in grey, and for the colour-blind."""

import io
import logging
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from vlmtom.store import write_bytes

# Okabe and Ito's palette: told apart with every common colour vision deficiency.
OKABE_ITO = ("#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")

plt.rcParams.update(
    {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "hatch.linewidth": 0.6,
        "pdf.fonttype": 42,
        "legend.frameon": False,
        "figure.dpi": 100,
    }
)


def save_figure(figure: Figure, pdf: str | Path, png: str | Path) -> None:
    """Write a figure as PDF (vectors, no date) and PNG (200 dpi), and close it."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # lists every glyph of a PDF
    try:
        for path, kind, metadata in (
            (pdf, "pdf", {"CreationDate": None}),
            (png, "png", {"Software": None}),
        ):
            content = io.BytesIO()
            figure.savefig(content, format=kind, dpi=200, metadata=metadata)
            write_bytes(path, content.getvalue())
    finally:
        plt.close(figure)
