"""A copy of the workflow in a folder of its own, with a small configuration, run for real."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "rules", "workflow", "config", "profiles", "envs", "resources")

OBSERVERS = ("obs-director", "obs-own-view")
TABLES = ("tables/table2.tex", "tables/table2.csv", "tables/table2.parquet")


class Project:
    """One checkout-like folder. scenes: how many; testers: names in the registry."""

    def __init__(self, folder: Path, scenes: int = 2, testers: tuple[str, ...] = OBSERVERS):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            source, target = ROOT / part, folder / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        self.registry = yaml.safe_load((ROOT / "config" / "models.yaml").read_text())
        self.config: dict[str, Any] = {
            "panel": "test",
            "seed": 11,
            "testers": list(testers),
            "director": {"arms": {"canonical": {"scenes": scenes, "trials": 3}}},
            "calls": {"backoff_s": 0.05, "attempts": 2},
        }
        self.save()
        self.vlmtom("lock", "--config", "config/config.yaml")

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def dead_links(self) -> list[str]:
        """Where the pages of the report lead without a file being there."""
        return [
            f"{page.name}: {found}"
            for page in sorted((self.results / "report").glob("*.html"))
            for found in re.findall(r'(?:href|src)="([^"#:]+)["#]', page.read_text())
            if not (page.parent / found).exists()
        ]

    def save(self) -> None:
        (self.folder / "config" / "config.yaml").write_text(yaml.safe_dump(self.config))
        (self.folder / "config" / "models.yaml").write_text(yaml.safe_dump(self.registry))

    def serve_from(self, base_url: str, concurrency: int = 4, **entry: Any) -> None:
        """Have the testers answered over HTTP, under the ids of the observers."""
        self.registry["endpoints"]["loopback"] = {"kind": "openai", "base_url": base_url}
        for tester in self.config["testers"]:
            self.registry["models"][tester] |= {
                "endpoint": "loopback",
                "concurrency": concurrency,
                "timeout_s": 20,
                "probe": False,
            } | entry
        self.save()

    def snakemake_command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def snakemake(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        return self._run(self.snakemake_command(*arguments), ok)

    def vlmtom(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        return self._run([sys.executable, "-m", "vlmtom.cli", *arguments], ok)

    def planned(self, *arguments: str) -> dict[str, set[str]]:
        """What a dry run would do: rules with the testers they would run for ('' for none)."""
        run = self.snakemake("-n", *arguments)
        plan: dict[str, set[str]] = {}
        for block in re.split(r"^(?=(?:local)?rule )", run.stdout, flags=re.MULTILINE)[1:]:
            rule = re.match(r"(?:local)?rule (\w+):", block)[1]
            tester = re.search(r"wildcards:.*\btester=([^,\s]+)", block)
            plan.setdefault(rule, set()).add(tester[1] if tester else "")
        return plan

    def tables(self) -> dict[str, bytes]:
        return {name: (self.results / name).read_bytes() for name in TABLES}

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "SNAKEMAKE_PROFILE"}
        return kept | {"XDG_CACHE_HOME": str(self.folder / "cache")}

    def _run(self, command: list[str], ok: bool) -> subprocess.CompletedProcess[str]:
        run = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=600,
        )
        if ok:
            assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-6000:]
        return run
