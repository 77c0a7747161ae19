"""Every rule's code digest covers all of the package that its script or its job runs."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# In every digest, by `digest` of rules/common.smk.
# (The package's own __init__.py holds its version alone.)
ALWAYS = ("store", "errors.py", "__init__.py")
COMMON = (ROOT / "rules" / "common.smk").read_text()
PUBLISHING = re.findall(
    r'"([^"]+)"', re.search(r"^PUBLISHING = \((.*?)^\)", COMMON, re.M | re.S)[1]
)


def rules_with_scripts():
    for path in sorted((ROOT / "rules").glob("*.smk")):
        for block in re.split(r"^rule ", path.read_text(), flags=re.MULTILINE)[1:]:
            name = block.split(":")[0]
            script = re.search(r'"\.\./workflow/scripts/(\w+)\.py"', block)
            digest = re.search(r"code=digest\((.*?)\),\n", block, flags=re.DOTALL)
            if script:
                places = re.findall(r'"([^"]+)"', digest[1])
                yield name, script[1], places + (PUBLISHING if "*PUBLISHING" in digest[1] else [])


def loaded_by(script):
    """Files of the package that the script's imports load."""
    tree = ast.parse((ROOT / "workflow" / "scripts" / f"{script}.py").read_text())
    imports = [
        ast.unparse(node)
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and "_script" not in ast.unparse(node)
    ]
    code = "\n".join(
        [
            *imports,
            "import sys",
            "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('vlmtom')))",
        ]
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    package = ROOT / "src" / "vlmtom"
    return [Path(file).relative_to(package).as_posix() for file in run.stdout.split()]


@pytest.mark.parametrize(
    ("rule", "script", "places"),
    [pytest.param(*found, id=found[0]) for found in rules_with_scripts()],
)
def test_the_digest_of_a_rule_covers_what_its_script_imports(rule, script, places):
    covered = (*ALWAYS, *places)
    assert f"workflow/scripts/{script}.py" in places
    missed = [
        file
        for file in loaded_by(script)
        if not any(file == place or file.startswith(f"{place}/") for place in covered)
    ]
    assert not missed, f"rule {rule}: code=digest(...) lacks {missed}"


def imported_anywhere(module, found):
    """A module, and all of the package that it imports anywhere, also inside functions."""
    path = ROOT / "src" / Path(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.exists() or file in found:
        return
    found.add(file)
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        for name in names:
            if name.startswith("vlmtom."):
                for place in range(2, len(name.split(".")) + 1):
                    imported_anywhere(".".join(name.split(".")[:place]), found)


@pytest.mark.parametrize("job", ["ask", "judge", "trace"])
def test_the_digest_of_a_call_job_covers_all_that_it_may_import(job):
    function = re.search(rf"def {job}_code\(.*?(?=\ndef |\Z)", COMMON, re.S)[0]
    covered = (*ALWAYS, *re.findall(r'"([^"]+)"', function.split('"""')[2]))
    found = set()
    imported_anywhere(f"vlmtom.jobs.{job}", found)
    package = ROOT / "src" / "vlmtom"
    # Observers and what they use are added by OBSERVER_CODE, for embedded models alone.
    names = {f.relative_to(package).as_posix() for f in found} - {"__init__.py"}
    names = {n for n in names if not n.startswith(("observers/", "rendering/"))}
    missed = [n for n in names if not any(n == c or n.startswith(f"{c}/") for c in covered)]
    assert "calls/engine.py" in names
    assert not missed, f"{job}_code lacks {missed}"


def test_there_are_rules_to_look_at():
    assert len(list(rules_with_scripts())) >= 15
