"""Every rule's code digest covers all of the package that its script or its job runs."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# In every digest, by `digest` of rules/common.smk.
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
    """Files of the package that the script's imports load, also those inside functions."""
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


def test_there_are_rules_to_look_at():
    assert len(list(rules_with_scripts())) >= 15
