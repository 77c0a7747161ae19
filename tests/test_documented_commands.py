"""Every command in README and docs is run by a test, or said here not to be run."""

import re
import shlex
from pathlib import Path

import pytest

from tests.workflow.project import Project
from vlmtom.cli import _parser
from vlmtom.publish.codebook import codebook_page
from vlmtom.stats.published import published_panel, read_published

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FIRST_WORD = r"(make|snakemake|vlmtom|python|pip|pytest|git|export|find)"
COMMAND = re.compile(rf"(\.venv/bin/)?{FIRST_WORD}( .+)?")

NOT_RUN = "not run: "
# A command (after `.venv/bin/`), and what runs it: `.ci/run`, a test, or why nothing does.
RUN_BY = {
    r"make (run|test)": ".ci/run",
    r"make PYTHON=python3.12 run": NOT_RUN + "the same with another Python",
    r"git clone .*": NOT_RUN + "the newcomer's own first step",
    r"export VLMTOM_API_KEY=.*": "tests/jobs/test_planted_secret.py::test_a_run_that_ends_well",
    r"pip install .*": NOT_RUN + "installs from outside; `make test` installs the same packages",
    r"pytest -m real_model": NOT_RUN + "needs a model; .ci/run has one if it can",
    r"make real-model": NOT_RUN + "installs a model; .ci/run takes its steps where it can",
    r"make ocr": NOT_RUN + "installs a reader of text; .ci/run takes its steps where it can",
    r"find results -newermt now .*": "tests/workflow/test_bad_places.py::test_a_clock_that_was_set",
    r"snakemake|snakemake all": "tests/workflow/test_reruns.py::test_a_second_run",
    r"snakemake -n": "tests/workflow/test_reruns.py::test_a_second_run",
    r"snakemake results/tables/table[28]\.tex": "tests/workflow/test_reruns.py::test_deleted_",
    r"snakemake window_2": "tests/workflow/test_windows.py::test_windows_one_by_one",
    r"snakemake( --cores all)? release.*": "tests/workflow/test_travel.py::test_a_release_",
    r"snakemake --configfile.*": "tests/test_documented_commands.py::test_a_configuration",
    r"snakemake --profile profiles/(slurm|sbatch) .*": (
        "tests/workflow/test_slurm.py::test_a_cluster_makes_the_table_of_this_machine"
    ),
    r"python -m benchmarks\..*": NOT_RUN + "takes minutes; docs/benchmarks.md has what it printed",
    r"python -m vlmtom\.jobs\.ask.*": "tests/jobs/test_ask.py::test_a_job_asks_every_trial",
    r"python -m vlmtom\.jobs\.judge.*": "tests/jobs/test_judge.py::test_",
    r"python -m vlmtom\.jobs\.trace.*": "tests/jobs/test_trace.py::test_",
    r"python -m vlmtom\.publish\.codebook .*": (
        "tests/test_documented_commands.py::test_the_codebook_page"
    ),
    r"python -m vlmtom\.publish\.contradictions.*": (
        "tests/publish/test_published.py::test_one_claim_can_be_asked_for"
    ),
    r"python -m vlmtom\.triangles\.animate .*": "tests/triangles/test_motion.py::test_",
    r"vlmtom adopt.*": "tests/commands/test_adopt.py::test_",
    r"vlmtom aggregate .*": "tests/publish/test_outside.py::test_each_file_can_be_given_alone",
    r"vlmtom ask.*": "tests/commands/test_ask.py::test_pngs_jpegs_and_text_alone",
    r"vlmtom bundle.*": "tests/commands/test_bundle.py::test_",
    r"vlmtom unbundle.*": "tests/commands/test_bundle.py::test_",
    r"vlmtom compare.*": "tests/commands/test_compare.py::test_",
    r"vlmtom forget.*": "tests/commands/test_forget.py::test_",
    r"vlmtom lock.*": "tests/workflow/test_breakage.py::test_a_changed_instrument_stops_the_run",
    r"vlmtom mosaic.*": "tests/commands/test_mosaic.py::test_the_summary_of_the_reference_trials",
    r"vlmtom paired.*": "tests/commands/test_paired.py::test_a_comparison_is_one_json_object",
    r"python (make_items|score)\.py": "tests/commands/test_paired.py::test_the_worked_example",
    r"vlmtom parse.*": "tests/parsing/test_parsing_lines.py::test_the_agreed_cases_hold",
    r"vlmtom plan.*": "tests/commands/test_plan.py::test_before_the_first_call",
    r"vlmtom rename .*": "tests/commands/test_rename.py::test_",
    r"vlmtom status.*": "tests/commands/test_status.py::test_",
    r"vlmtom try.*": "tests/commands/test_try.py::test_a_try_asks_a_few_items",
    r"vlmtom verify.*": "tests/workflow/test_reruns.py::test_every_product_is_there_and_verifies",
    r"vlmtom needs Python .*": NOT_RUN + "an error's text",
}


def commands() -> dict[str, set[str]]:
    """Commands with the pages that show them: code lines, and spans of more than a name."""
    found: dict[str, set[str]] = {}
    for page in PAGES:
        text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
        spans = [span for span in re.findall(r"`([^`\n]+)`", text) if " " in span]
        lines = [line.split("  #")[0] for line in text.splitlines() if line.startswith("    ")]
        for one in (*spans, *lines):
            command = one.strip()
            if COMMAND.fullmatch(command):
                found.setdefault(command.removeprefix(".venv/bin/"), set()).add(page.name)
    return found


COMMANDS = commands()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_documented_command_is_run_by_a_test_or_said_not_to_be(command):
    matching = [where for pattern, where in RUN_BY.items() if re.fullmatch(pattern, command)]
    assert matching, f"{command} ({', '.join(COMMANDS[command])}): add what runs it to RUN_BY"


@pytest.mark.parametrize(("pattern", "where"), RUN_BY.items())
def test_what_is_said_to_run_a_command_is_there(pattern, where):
    assert any(re.fullmatch(pattern, command) for command in COMMANDS), "no page shows it any more"
    if where.startswith(NOT_RUN):
        return
    file, _, name = where.partition("::")
    assert f"def {name}" in (ROOT / file).read_text(encoding="utf-8") or file == ".ci/run"


def test_the_check_itself_runs_what_it_is_said_to_run():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "\nmake run\n" in script
    assert "\nmake test\n" in script


@pytest.mark.parametrize("command", sorted(c for c in COMMANDS if c.startswith("vlmtom ")))
def test_documented_options_exist(command):
    words = command.removeprefix("vlmtom ").partition(" && ")[0]
    if words.startswith("needs ") or " " not in words:
        return
    # `[--option VALUE]` is an option that may be left out: it must exist all the same.
    arguments = shlex.split(words.replace("[", " ").replace("]", " ").replace("...", ""))
    _parser().parse_args([word if word != "N" else "1" for word in arguments])


def test_the_codebook_page_is_that_of_the_schemas():
    page = (ROOT / "docs" / "codebook.md").read_text(encoding="utf-8")
    assert page == codebook_page(), "python -m vlmtom.publish.codebook > docs/codebook.md"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("documented"))


TARGETS = ("all", "tables", "window_1", "results/tables/table2.tex", "results/figures/figure2.pdf")


@pytest.mark.parametrize("target", TARGETS)
def test_every_documented_target_can_be_planned(project, target):
    assert project.planned(target)


@pytest.mark.parametrize("name", ["local", "mine", "paper"])
def test_a_configuration_of_ones_own_is_laid_over_the_default(tmp_path_factory, name):
    """As README and docs/first-hour.md have it; nothing is asked."""
    project = Project(tmp_path_factory.mktemp(name))
    mine = "panel: mine\nresults: results-mine\ntesters: [qwen-3.5-plus]\njudges: [judge-plain]\n"
    (project.folder / "config" / "mine.yaml").write_text(mine)
    plan = project.planned("--configfile", f"config/{name}.yaml")
    testers = {
        "local": {"local-model"},
        "mine": {"qwen-3.5-plus"},
        "paper": {*published_panel(read_published())},
    }[name]
    assert plan["replies"] == testers
    said = project.vlmtom("plan", "--config", f"config/{name}.yaml").stdout
    assert all(tester in said for tester in testers)
