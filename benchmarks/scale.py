"""What the workflow itself costs as the panel grows: `python -m benchmarks.scale`.

Embedded observers on a small item set, so that little but Snakemake, imports and tables is
measured. docs/benchmarks.md says what the figures mean.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.calls import machine, table
from benchmarks.measure import Cost, measure

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "rules", "workflow", "config", "profiles", "envs", "resources")
OBSERVERS = ("obs-director", "obs-own-view", "obs-gated", "obs-all-visible", "obs-guess")


@dataclass(frozen=True)
class Size:
    """One panel: its jobs, and what a plan, the whole run and a run with nothing to do cost."""

    testers: int
    jobs: int
    plan: Cost
    run: Cost
    quiet: Cost


def project(folder: Path, testers: int) -> None:
    """A copy of the workflow with so many testers, observers under names of their own."""
    for part in PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    registry = yaml.safe_load((folder / "config" / "models.yaml").read_text(encoding="utf-8"))
    names = [f"t{number:03d}" for number in range(testers)]
    for number, name in enumerate(names):
        observer = OBSERVERS[number % len(OBSERVERS)]
        registry["models"][name] = registry["models"][observer] | {"gateway_model": observer}
    settings = {
        "testers": names,
        "judges": ["judge-plain"],
        "director": {"arms": {"canonical": {"scenes": 2, "trials": 1}}},
        "triangles": {"arms": {"numbered": {"trials": 1}}},
    }
    (folder / "config" / "models.yaml").write_text(yaml.safe_dump(registry), encoding="utf-8")
    (folder / "config" / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "vlmtom.cli", "lock"],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def size(folder: Path, testers: int, cores: int) -> Size:
    """Plan, run, and run again."""
    folder.mkdir(parents=True)
    project(folder, testers)
    snakemake = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
    plan = measure([*snakemake, "-n", "--quiet", "rules"], folder / "plan.log", folder=folder)
    run = measure(snakemake, folder / "run.log", folder=folder)
    counted = re.search(r"^total\s+(\d+)", (folder / "run.log").read_text(), re.MULTILINE)
    quiet = measure(snakemake, folder / "quiet.log", folder=folder)
    if "Nothing to be done" not in (folder / "quiet.log").read_text():
        raise SystemExit(f"{folder}: the second run was not quiet; see quiet.log")
    return Size(testers, int(counted[1]) if counted else 0, plan, run, quiet)


def rows(sizes: Sequence[Size]) -> list[list[str]]:
    """Cells of the table."""
    return [
        [
            *(str(one.testers), str(one.jobs)),
            *(f"{one.plan.wall_s:.1f}", f"{one.plan.rss_mb:.0f}"),
            *(f"{one.run.wall_s:.0f}", f"{one.run.cpu_s:.0f}"),
            *(f"{one.run.cpu_s / one.testers:.2f}", f"{one.run.rss_mb:.0f}"),
            f"{one.quiet.wall_s:.1f}",
        ]
        for one in sizes
    ]


def draw(sizes: Sequence[Size], path: Path) -> None:
    """CPU and memory against testers, with the line through the origin and the largest panel."""
    from vlmtom.publish.style import OKABE_ITO, plt

    figure, axes = plt.subplots(1, 3, figsize=(9, 2.8))
    testers = [one.testers for one in sizes]
    shown = (
        ("whole run, CPU s", [one.run.cpu_s for one in sizes]),
        ("nothing to do, wall s", [one.quiet.wall_s for one in sizes]),
        ("peak memory of a run, MB", [one.run.rss_mb for one in sizes]),
    )
    for place, (name, values) in zip(axes, shown, strict=True):
        place.plot(testers, values, "o-", color=OKABE_ITO[0])
        place.set_xlabel("testers")
        place.set_title(name, fontsize=9)
        place.set_ylim(bottom=0)
        place.set_xlim(left=0)
    figure.tight_layout()
    figure.savefig(path, dpi=150, metadata={"Software": None})


def main() -> None:
    """Measure every size, print the table, draw the plot."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description="What the workflow costs as panels grow."
    )
    parser.add_argument("--testers", type=int, nargs="+", default=[5, 50, 200])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--plot", type=Path, help="a PNG to draw")
    options = parser.parse_args()
    print(machine(), flush=True)
    sizes = []
    with tempfile.TemporaryDirectory(prefix="vlmtom-scale-") as folder:
        for testers in options.testers:
            sizes.append(size(Path(folder) / str(testers), testers, options.cores))
            print(sizes[-1], flush=True)
    heads = ["testers", "jobs", "plan s", "plan MB", "run s", "run CPU s", "CPU s a tester",
             "run MB", "quiet s"]  # fmt: skip
    print("\n" + table(heads, rows(sizes)))
    if options.plot is not None:
        draw(sizes, options.plot)


if __name__ == "__main__":
    main()
