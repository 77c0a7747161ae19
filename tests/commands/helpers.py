"""A folder with a configuration, items and journals, as a run of the workflow leaves it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.calls.helpers import Place
from vlmtom.settings import ask_spec, load_registry, load_settings

MODEL = {"endpoint": "loop", "family": "f", "lab": "l", "timeout_s": 5, "probe": False}


class Run:
    """testers: names in configuration and registry. items, trials: of the Director Task."""

    def __init__(
        self,
        folder: Path,
        base_url: str = "http://127.0.0.1:9/v1",
        testers: tuple[str, ...] = ("t1", "t2"),
        items: int = 2,
        trials: int = 1,
        **entry: Any,
    ) -> None:
        self.folder = folder
        self.config: dict[str, Any] = {
            "testers": list(testers),
            "models": "models.yaml",
            "calls": {"backoff_s": 0.05, "max_backoff_s": 0.2, "attempts": 3},
        }
        self.registry: dict[str, Any] = {
            "endpoints": {"loop": {"kind": "openai", "base_url": base_url}},
            "models": {t: MODEL | {"gateway_model": f"vendor/{t}"} | entry for t in testers},
        }
        self.save()
        place = Place(folder / "made", items=items, trials=trials)
        self.stimuli = self.results / "stimuli" / "director"
        self.stimuli.parent.mkdir(parents=True)
        place.items.parent.rename(self.stimuli)

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def replies(self, tester: str) -> Path:
        return self.results / "replies" / tester

    def save(self) -> None:
        (self.folder / "config.yaml").write_text(yaml.safe_dump(self.config))
        (self.folder / "models.yaml").write_text(yaml.safe_dump(self.registry))

    def job_command(self, tester: str) -> list[str]:
        settings = load_settings(self.folder / "config.yaml")
        registry = load_registry(settings, self.folder)
        spec = ask_spec(settings, registry, tester, "director", 1)
        paths = {
            "items": self.stimuli / "items.parquet",
            "pictures": self.stimuli / "pictures.parquet",
            "journal": self.replies(tester) / "journal",
            "out": self.replies(tester) / "director.w1.parquet",
        }
        options = [part for name, path in paths.items() for part in (f"--{name}", str(path))]
        return [
            *(sys.executable, "-m", "vlmtom.jobs.ask"),
            *options,
            *("--spec", spec.model_dump_json()),
        ]

    def job(self, tester: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.job_command(tester), capture_output=True, text=True, timeout=60, cwd=self.folder
        )
        if ok:
            assert done.returncode == 0, done.stderr
        return done

    def vlmtom(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return vlmtom(self.folder, *arguments, "--config", "config.yaml")


def vlmtom(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vlmtom.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env=os.environ | environment,
    )
