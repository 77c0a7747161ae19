"""What a tester is asked about a scene: prompts made of parts, compared where one part differs.

A condition is a request, a report and a constraint. Its prompt is the same bytes as another's but
for the part in which the two conditions differ; comparisons hold two that differ in one part alone.
No prompt names the condition or the answer (paper, section 3, Table 1 and Appendix A; the words
are ours).
"""

from collections.abc import Sequence
from dataclasses import dataclass

# Between two turns, in a prompt as one text.
TURN = "\x1e"

SCENE = (
    "The picture shows a table with numbered blocks and a grey screen. The person at the far side "
    "of the table is the director.\n\n"
    'The director says: "Move the largest block."\n\n'
)
FORM = "Reply with one JSON object that holds what is asked for under its key, and nothing else."

REPORTS = {
    "visibility": "Which numbers can the director see? "
    'Give them as a list under the key "visible".',
    "count": 'How many blocks are on the table? Give the number under the key "count".',
    "knows": "Which numbers does the director know of? "
    'Give them as a list under the key "visible".',
}
STATED = "The director can see the blocks with the numbers {numbers}."
REQUESTS = {
    "mean": 'Which number does the director mean by "the largest block"? '
    'Give it under the key "choice".',
    "move": 'Which number do you move? Give it under the key "choice".',
    "want": 'Which number does the director want you to move? Give it under the key "choice".',
    "will": 'Which number is on the block that you will move? Give it under the key "choice".',
}
KNOWLEDGE = "The director knows only of the blocks that they can see."
REFERENCE = 'By "the largest block" the director refers to one of the blocks that they know of.'
CONSTRAINTS = {
    "both": f"{KNOWLEDGE} {REFERENCE}",
    "knowledge": KNOWLEDGE,
    "reference": REFERENCE,
    # As long as `both`, and of nothing that matters.
    "padding": (
        "The table has four legs and a top of light brown wood. The walls of the room behind it "
        "are pale, and its floor is of one plain grey."
    ),
}
# What is asked for under which key, and its type.
REPORT_KEYS = {"visibility": "visible", "knows": "visible", "after": "visible", "count": "count"}
ASKED_FIRST = "first_turn"
NO_REPORT = "none"
REPORT_NAMES = (NO_REPORT, "visibility", "count", "stated", "after", ASKED_FIRST, "knows")
NO_CONSTRAINT = "none"


@dataclass(frozen=True)
class Condition:
    """A prompt variant. Its slug is its arm: `move-visibility`, `move-none-both`.

    request: mean, move, want or will. report: one of REPORT_NAMES. constraint: none, or one of
    CONSTRAINTS.
    """

    request: str
    report: str
    constraint: str = NO_CONSTRAINT

    @property
    def slug(self) -> str:
        """The name in settings and files."""
        end = "" if self.constraint == NO_CONSTRAINT else f"-{self.constraint}"
        return f"{self.request}-{self.report}{end}"

    @property
    def keys(self) -> tuple[dict[str, str], ...]:
        """By turn, what a reply must hold: keys with their types, as parsing.json_last reads them.

        The visibility report is of its own turn in `first_turn`.
        """
        choice = {"choice": "integer"}
        if self.report == ASKED_FIRST:
            return {"visible": "integers"}, choice
        types = {"visible": "integers", "count": "integer"}
        key = REPORT_KEYS.get(self.report)
        return (({key: types[key]} if key else {}) | choice,)


def condition(slug: str) -> Condition:
    """The condition of a slug. Raises ValueError naming what is possible."""
    request, _, rest = slug.partition("-")
    report, _, constraint = rest.partition("-")
    found = Condition(request, report, constraint or NO_CONSTRAINT)
    for value, known in (
        (found.request, tuple(REQUESTS)),
        (found.report, REPORT_NAMES),
        (found.constraint, (NO_CONSTRAINT, *CONSTRAINTS)),
    ):
        if value not in known:
            raise ValueError(
                f"no condition {slug!r}: {value!r} is not one of {', '.join(known)}; expected "
                "request-report or request-report-constraint, such as move-visibility"
            )
    if found.slug != slug:
        raise ValueError(f"no condition {slug!r}; did you mean {found.slug!r}?")
    return found


def parts(of: Condition, visible: Sequence[int]) -> list[tuple[str, str]]:
    """A prompt as named parts: joined they are its text, TURN between two turns.

    visible: the digits that the director sees, in the tester's order from the left; told where the
    report is `stated`.
    """
    made = [("scene", SCENE)]
    if of.report == ASKED_FIRST:
        made.append(("report", f"{REPORTS['visibility']}\n\n{FORM}{TURN}"))
    elif of.report == "stated":
        made.append(("report", f"{STATED.format(numbers=_listed(visible))}\n"))
    elif of.report in REPORTS:
        made.append(("report", f"{REPORTS[of.report]}\n"))
    made.append(("request", f"{REQUESTS[of.request]}\n"))
    if of.report == "after":
        made.append(("report", f"{REPORTS['visibility']}\n"))
    if of.constraint != NO_CONSTRAINT:
        made.append(("constraint", f"{CONSTRAINTS[of.constraint]}\n"))
    return [*made, ("form", f"\n{FORM}")]


def turns(of: Condition, visible: Sequence[int]) -> list[str]:
    """The texts of the user's turns."""
    return "".join(text for _, text in parts(of, visible)).split(TURN)


@dataclass(frozen=True)
class Difference:
    """Where two prompts differ: the part, and its words in each; all else is the same bytes.

    start: of the part, in characters of the prompt as one text (TURN between two turns).
    """

    part: str
    start: int
    words: tuple[str, str]


def difference(one: Condition, other: Condition, visible: Sequence[int] = (3, 5)) -> Difference:
    """The one part in which two conditions differ.

    Raises ValueError where they are the same, or differ in more than one stretch.
    """
    first, second = parts(one, visible), parts(other, visible)
    before = 0
    while before < min(len(first), len(second)) and first[before] == second[before]:
        before += 1
    after = 0
    while after < min(len(first), len(second)) - before and first[-1 - after] == second[-1 - after]:
        after += 1
    middles = first[before : len(first) - after], second[before : len(second) - after]
    names = {name for middle in middles for name, _ in middle}
    if len(names) != 1 or any(len(middle) > 1 for middle in middles):
        raise ValueError(
            f"{one.slug} and {other.slug} differ in {', '.join(sorted(names)) or 'nothing'}; a "
            "comparison holds two conditions that differ in one part of the prompt"
        )
    start = sum(len(text) for _, text in first[:before])
    words = tuple("".join(text for _, text in middle) for middle in middles)
    return Difference(names.pop(), start, (words[0], words[1]))


def every_prompt() -> dict[str, str]:
    """The parts by name, for the locks, the snapshots and an appendix: all prompts are of these."""
    named = {f"report {name}": text for name, text in REPORTS.items()}
    named |= {"report stated": STATED, "scene": SCENE, "form": FORM}
    named |= {f"request {name}": text for name, text in REQUESTS.items()}
    named |= {f"constraint {name}": text for name, text in CONSTRAINTS.items()}
    return {f"report_action/{name}": text for name, text in sorted(named.items())}


def _listed(numbers: Sequence[int]) -> str:
    words = [str(number) for number in numbers]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
