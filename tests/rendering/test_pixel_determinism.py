"""The same pixels, ids and depths on every CPU."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from numpy._core import _multiarray_umath as numpy_core

import vlmtom.rendering

HERE = Path(__file__).parent
# BLAS and vectorised functions whose result depends on the CPU, and sums in numpy's own order.
FORBIDDEN = re.compile(
    r"np\.(sin|cos|tan|arctan2?|exp|log|power|dot|cross|matmul|einsum|inner|linalg|sum|mean|hypot)"
    r"\b|\w \*\* ?|\w @ \w|\.(sum|mean|dot)\("
)


def _run(**environment: str) -> dict[str, str]:
    env = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, str(HERE / "fingerprint.py")],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_pictures_do_not_depend_on_cpu_features():
    features = [f for f in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__[f]]
    full = _run()
    reduced = _run(
        NPY_DISABLE_CPU_FEATURES=" ".join(features),
        OPENCV_CPU_DISABLE="AVX512-SKX,AVX2,FP16,FMA3,AVX,SSE4.2,SSE4.1",
    )
    assert len(full) == 3 * 5
    assert reduced == full


def test_the_pixel_path_uses_no_operation_that_a_cpu_may_reorder():
    folder = Path(vlmtom.rendering.__file__).parent
    for name in ("vectors", "camera", "meshes", "figure", "labels", "zbuffer", "shading", "raster"):
        for number, line in enumerate((folder / f"{name}.py").read_text().splitlines(), 1):
            code = re.sub(r'"[^"]*"', '""', line.split("#")[0])
            if code.strip().startswith(("`", '"')) or "`" in code:
                continue  # prose in a docstring
            assert not FORBIDDEN.search(code), f"{name}.py line {number}: {line.strip()}"
