"""Every number in a product is printed half up from the exact value: nothing else formats one."""

import ast
from pathlib import Path

import pytest

PUBLISH = Path(__file__).parents[2] / "src" / "vlmtom" / "publish"
# `round` that places something on a page, and prints nothing.
PLACES = {
    ("report.py", "_picture_rule"),
    ("scatter.py", "draw_points"),
    ("mosaic_card.py", "__init__"),  # of a figure, in inches
    ("mosaic_figure2.py", "_draw"),
}
MODULES = sorted(PUBLISH.glob("*.py"))


def specs(node):
    """Format specifications of f-strings, as text, and calls of format."""
    for part in ast.walk(node):
        if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
            texts = [v.value for v in part.format_spec.values if isinstance(v, ast.Constant)]
            yield part.lineno, "".join(map(str, texts)) or "{}"
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "format":
            yield part.lineno, "format()"


def calls(tree, name):
    return [
        (outer.name, node.lineno)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef)
        for node in ast.walk(outer)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_formats_a_number_by_itself(path):
    tree = ast.parse(path.read_text())
    # `,` groups the digits of a whole number; f, g, e and % round a float half to even
    found = [(line, spec) for line, spec in specs(tree) if spec[-1] in "fFgGeE%n})"]
    assert not found, f"{path.name}: {found}; print with stats.exact.show or stats.rounding.printed"
    percent = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and isinstance(node.left, ast.Constant | ast.JoinedStr)
        and not isinstance(getattr(node.left, "value", ""), int | float)
    ]
    assert not percent, f"{path.name}, lines {percent}: % formatting"
    rounded = [call for call in calls(tree, "round") if (path.name, call[0]) not in PLACES]
    assert not rounded, f"{path.name}: {rounded}: Python's round goes half to even"


def test_the_check_sees_what_it_is_for():
    for text in ("f'{x:.2f}'", "f'{x:.{d}f}'", "f'{x:g}'", "f'{x:.0%}'", "format(x, '.2f')"):
        assert [spec for _, spec in specs(ast.parse(text)) if spec[-1:] in "fg%)"], text
    assert calls(ast.parse("def f():\n    return round(x, 2)"), "round") == [("f", 2)]
    assert not [spec for _, spec in specs(ast.parse("f'{n:,} {name}'")) if spec[-1:] in "fg%)"]
