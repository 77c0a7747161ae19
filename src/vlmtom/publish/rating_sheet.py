"""The page on which a person rates descriptions: one file, which loads nothing and sends nothing.

What models wrote is data in a JSON island, put on the page as text. The content security policy
names the page's own script and style by their digests, so that nothing else can run, wherever it
came from.
"""

import base64
import hashlib
from functools import lru_cache

from markupsafe import Markup

from vlmtom.judging.prompts import HEADS, RULES, TASK
from vlmtom.publish.report import render_page, template_source
from vlmtom.rating.returned import CANNOT, COLUMNS, RATER, SCALE_COLUMNS
from vlmtom.rating.sheet import Sheet

_NAMES = {"intent": "Intentionality", "approp": "Appropriateness"}


def html_of_sheet(sheet: Sheet) -> str:
    """The page: descriptions with condition, script and rubric, no tester, trial or verdict."""
    script, style = _source("rating.js"), _source("rating.css")
    return render_page(
        "rating.html.j2",
        policy=(
            f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
            "base-uri 'none'; form-action 'none'"
        ),
        # Ours, and named by digest above: escaping would change them.
        script=Markup(script),
        style=Markup(style),
        task=TASK,
        rules_head=RULES[0].removesuffix(":"),
        rules=[rule.removeprefix("- ") for rule in RULES[1:]],
        n=len(sheet.items),
        sheet_id=sheet.sheet_id,
        island=_island(sheet),
    )


def _island(sheet: Sheet) -> dict[str, object]:
    """What the script needs; the template escapes it so that it cannot end its element."""
    return {
        "sheet": sheet.sheet_id,
        "columns": COLUMNS,
        "cannot": CANNOT,
        "rater": f"^{RATER}$",
        "scales": [
            {
                "key": scale,
                "name": _NAMES[scale],
                "head": head,
                "column": SCALE_COLUMNS[scale],
                "levels": sheet.rubric.wordings[scale],
            }
            for scale, head in HEADS.items()
        ],
        "items": [vars(item) for item in sheet.items],
    }


@lru_cache(maxsize=2)
def _source(name: str) -> str:
    return template_source(name)


def _digest(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"'sha256-{digest}'"
