"""How the tables of a bundle are made again from what lies in it, and its README.txt."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from vlmtom.settings import Settings

CHECK = "sha256sum --quiet --check CHECKSUMS"
SNAKEMAKE = 'PYTHONPATH="$PWD/src" python -m snakemake --cores all'
# Tables and figures that are made from replies, descriptions, single verdicts or codes, in words.
WORDS_OF_NEEDY = {
    "costs": ("costs",),
    "timing": ("timing",),
    "length": ("length",),
    "the agreement of judges with each other and with people": (
        *("judge_agreement", "rating_agreement"),
    ),
    "their battery": ("judge_battery",),
    "Tables 12 and 13": ("table12", "table13"),
    "coders of reasoning traces, their agreement and what they read": (
        *("report_action_coder_gate", "report_action_coding", "report_action_traces"),
    ),
    "the table beside the paper": ("published",),
    "the card and the film of a trial": ("mosaic_card",),
}
NEED_REPLIES = frozenset(name for names in WORDS_OF_NEEDY.values() for name in names)
LATE = 1_000_000  # hours: the next window opens in a hundred years


@dataclass(frozen=True)
class Rebuild:
    """What decides how far back a rebuild can begin.

    tables, figures: names of those that the run made.
    unanswered: requests of testers and judges without a reply, which a run would ask again.
    replies, game: tables of replies are there; the treasure game was played.
    window: the last one that was asked, where not all were; else null.
    """

    text: bool
    triangles: bool
    tables: Sequence[str] = ()
    figures: Sequence[str] = ()
    unanswered: int = 0
    window: int | None = None
    windows: int = 1
    own_films: bool = False
    rated: bool = False  # people's ratings are there
    replies: bool = True
    game: bool = False

    def commands(self) -> list[str]:
        """Shell commands, in the folder of the bundle: delete what is derived, make it again."""
        if not self.text:
            return [f"rm -rf {' '.join(self._without_text)}", self._snakemake()]
        rooms = ["outcomes", "cells", "tables", "figures", "report"]
        rooms += ["profiles", "rating"] if self.triangles else []
        rooms += ["blind"] if self.triangles and not self.unanswered else []
        rooms += ["mosaic"] if self.game and not self.unanswered else []
        removed = [f"results/{room}" for room in rooms] + ["results/manifest.parquet"]
        commands = [f"rm -rf {' '.join(removed)}"]
        if not self.unanswered:
            tables = ["results/replies/*/*.parquet"] if self.replies else []
            tables += ["results/verdicts/*/*.parquet"] if self.triangles else []
            if "report_action_traces" in self.tables:
                tables += [f"results/traces/{kind}" for kind in ("*.parquet", "*.csv", "*.md")]
                tables.append("results/traces/*/*.parquet")
            commands += [f"rm {' '.join(tables)}"] if tables else []
        return [*commands, self._snakemake()]

    @property
    def targets(self) -> list[str]:
        """What Snakemake is asked for."""
        if self.text:
            return ["all" if self.window is None else f"window_{self.window}"]
        return self._without_text

    @property
    def notes(self) -> list[str]:
        """What a person should know who packs or unpacks it."""
        notes = []
        if not self.text:
            *first, last = WORDS_OF_NEEDY
            notes.append(
                "Raw replies are left out (journals, texts, report, the sheets on which people "
                "rate and code, and their files). Tables and figures can be made again from cells "
                f"on; {', '.join(first)} and {last} cannot. `snakemake all` would ask every model "
                "again."
            )
        if self.text and self.unanswered:
            notes.append(
                f"{self.unanswered} requests have no reply and would be asked again, so that a "
                "rebuild begins at the tables of replies and verdicts, not at the journals."
            )
        if self.window is not None:
            notes.append(
                f"{self.window} of {self.windows} windows were asked. `snakemake all` would ask "
                f"the next one; `window_{self.window}` makes the products of this bundle."
            )
        if self.text and self.rated:
            notes.append(
                "resources/own_ratings/ holds what people gave, a file each under the code that "
                "the rater was given."
            )
        if self.own_films:
            notes.append(
                "The folder of original films is not in it, but results/clips holds a copy of "
                "each, and sheets are made from them; these are not made again. Pass it on only "
                "where the films' licence allows that."
            )
        return notes

    @property
    def _without_text(self) -> list[str]:
        tables = [name for name in self.tables if name not in NEED_REPLIES]
        figures = [name for name in self.figures if name not in NEED_REPLIES]
        named = [f"results/tables/{name}.{form}" for name in tables for form in ("tex", "csv")]
        named += [f"results/tables/{name}.parquet" for name in tables]
        named += [f"results/figures/{name}.{form}" for name in figures for form in ("pdf", "png")]
        if self.triangles:
            named += [f"results/tables/panel.{form}" for form in ("csv", "parquet")]
            named.append("results/profiles/triangles.parquet")
        return named

    def _snakemake(self) -> str:
        options = ""
        if not self.text and self.windows > 1:
            options = " --config window_gap_hours=0"  # nothing tells which windows were asked
        elif self.window is not None:
            options = f" --config window_gap_hours={LATE}"
        # The targets stand first: --config takes all that follows it.
        return f"{SNAKEMAKE} {' '.join(self.targets)}{options}"


def readme(rebuild: Rebuild, settings: Settings, problems: Sequence[str]) -> str:
    """README.txt of a bundle."""
    paragraphs = [
        f"A run of vlmtom: panel {settings.panel}\n"
        "Theory of mind in vision-language models: stimuli, replies, verdicts, tables, figures,\n"
        "and the code, configuration and resources that they were made with.",
        "CHECK that it is whole:\n\n    " + CHECK,
        "REBUILD what is derived, with no key and no network. Python packages of the versions in\n"
        "requirements.lock are needed: use an environment that has them, or make one with\n"
        "`python -m venv .venv`, `.venv/bin/pip install -r requirements.lock`, and\n"
        '`export PATH="$PWD/.venv/bin:$PATH"`. Then:\n\n'
        + "\n".join(f"    {command}" for command in (*rebuild.commands(), CHECK)),
        _wrapped(
            "The last command prints a line for each file that differs; without one, all is as it "
            "was. Before anything is deleted, Snakemake has nothing to do."
            + (" The journals hold every reply; no model is asked." if rebuild.text else "")
        ),
        *(_wrapped(note) for note in rebuild.notes),
        _wrapped(
            "Snakemake's record of parameters does not travel: after a change of the configuration "
            "here, delete what is to be made anew."
        ),
        "WHERE THINGS ARE\n\n"
        "    results/            as the run left it; results/codebook.csv explains every column\n"
        "    config/             the whole configuration, and the models and endpoints it names\n"
        "    resources/          locks, rubric, references, exemplars, clips, printed values\n"
        "    Snakefile, rules/, workflow/, src/vlmtom/    the code; docs/ explains it\n"
        "    bundle.json         versions, digest of the code, commit",
    ]
    if problems:
        listed = "\n".join(f"    {problem}" for problem in problems)
        paragraphs.append(f"NOT VERIFIED. When it was packed, this differed:\n\n{listed}")
    return "\n\n".join(paragraphs) + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88, break_on_hyphens=False, break_long_words=False)
