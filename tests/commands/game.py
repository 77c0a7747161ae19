"""A folder in which the treasure game is played, as a run of the workflow plays it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.commands.helpers import MODEL, vlmtom
from tests.loopback.server import completion
from vlmtom.jobs.play import TABLES
from vlmtom.observers import answer
from vlmtom.settings import MOSAIC_CONDITIONS, load_registry, load_settings, play_spec

OBSERVER = {
    "endpoint": "embedded",
    "kind": "observer",
    "gateway_model": "obs-director",
    "family": "observer",
    "lab": "vlmtom",
}
PRICE = {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 10.0}


def as_observer(body: dict[str, Any]) -> dict[str, Any]:
    """What the embedded observer would answer, over HTTP."""
    said = answer({**body, "model": "obs-director"})["choices"][0]["message"]["content"]
    return completion(body, said)


class Game:
    """One model, `t1`, plays itself, and beside it whoever `mosaic` names.

    base_url: of the server that answers it; null: it is an embedded observer.
    """

    def __init__(
        self,
        folder: Path,
        base_url: str | None = None,
        *,
        mosaic: dict[str, Any] | None = None,
        testers: tuple[str, ...] = ("t1",),
        **entry: Any,
    ) -> None:
        self.folder = folder
        arms = {slug: ["none"] for slug in testers}
        game = {"testers": list(testers), "trials": 1, "arms": arms} | (mosaic or {})
        self.config: dict[str, Any] = {
            "testers": list(testers),
            "director": None,
            "models": "models.yaml",
            "calls": {"backoff_s": 0.05, "max_backoff_s": 0.2, "attempts": 3},
            "mosaic": game,
        }
        used = OBSERVER if base_url is None else MODEL
        self.registry: dict[str, Any] = {
            "endpoints": {
                "embedded": {"kind": "embedded"},
                "loop": {"kind": "openai", "base_url": base_url or "http://127.0.0.1:9/v1"},
            },
            "models": {
                slug: used
                | ({} if base_url is None else {"gateway_model": f"vendor/{slug}", "price": PRICE})
                | entry
                for slug in testers
            },
        }
        self.save()

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def replies(self, tester: str) -> Path:
        return self.results / "replies" / tester

    def journal(self, tester: str = "t1") -> list[str]:
        return sorted(path.name for path in (self.replies(tester) / "journal").glob("*.jsonl"))

    def table(self, pair: str, condition: str, log: str) -> Path:
        return self.results / "mosaic" / pair / f"{condition}.{log}.parquet"

    def save(self) -> None:
        (self.folder / "config.yaml").write_text(yaml.safe_dump(self.config))
        (self.folder / "models.yaml").write_text(yaml.safe_dump(self.registry))

    def play(
        self, pair: str = "t1+t1+none", condition: str = "comp-tom1", ok: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """The job that plays a pair in a condition."""
        settings = load_settings(self.folder / "config.yaml")
        registry = load_registry(settings, self.folder)
        named = {one.name: one for one in settings.mosaic_pairs}
        spec = play_spec(settings, registry, named[pair], condition)
        out = [
            part for log in TABLES for part in (f"--{log}", str(self.table(pair, condition, log)))
        ]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "vlmtom.jobs.play", *out),
                *("--replies", str(self.results / "replies")),
                *("--spec", spec.model_dump_json()),
            ],
            capture_output=True,
            text=True,
            timeout=100,
            cwd=self.folder,
        )
        if ok:
            assert done.returncode == 0, done.stderr
        return done

    def play_all(self, pair: str = "t1+t1+none") -> None:
        """A pair in all conditions."""
        for condition in MOSAIC_CONDITIONS:
            self.play(pair, condition)

    def vlmtom(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return vlmtom(self.folder, *arguments, "--config", "config.yaml")
