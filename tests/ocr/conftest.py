"""The independent reader: a Python of its own that has it, else a skip that says how to get it."""

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
VARIABLE = "VLMTOM_OCR_PYTHON"
PATIENCE_S = 120


@cache
def reader_python() -> Path | None:
    """The first Python that has the reader; None if there is none."""
    named = os.environ.get(VARIABLE)
    for python in [*([Path(named)] if named else []), ROOT / ".venv-ocr" / "bin" / "python"]:
        try:
            command = [python, "-c", "import rapidocr_onnxruntime"]
            looked = subprocess.run(command, capture_output=True, timeout=PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if looked.returncode == 0:
            return python
    return None


def pytest_collection_modifyitems(items):
    """Skip where the reader is not here; by a plain mark, which a summary says once for all."""
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    if ours and reader_python() is None:
        reason = "no independent reader of badges is installed. Get it with `make ocr`"
        for item in ours:
            item.add_marker(pytest.mark.skip(reason=reason))
