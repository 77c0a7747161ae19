"""What every caption says about where its numbers come from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vlmtom.stats.profile_tables import Reading
from vlmtom.triangles.cells import Aggregation


def testers_note(kinds: Iterable[str]) -> str:
    """Who was tested: observers are never shown as models."""
    kinds = set(kinds)
    if kinds == {"observer"}:
        return (
            "All testers are embedded observers with stated policies, not models: "
            "the numbers check the pipeline."
        )
    if "observer" in kinds:
        return "Testers marked (observer) follow stated policies; they are not models."
    return ""


def pairs_note(kinds: Iterable[str]) -> str:
    """Who played: agents with stated policies are never shown as models."""
    kinds = set(kinds)
    if kinds == {"observer"}:
        return (
            "No agent here is a model: all follow stated policies, and the numbers check the "
            "pipeline."
        )
    notes = []
    if "observer" in kinds:
        notes.append(
            "Agents of pairs marked (observer) follow stated policies; they are not models."
        )
    if "mixed" in kinds:
        whose = "Here" if kinds == {"mixed"} else "In pairs marked (mixed)"
        notes.append(
            f"{whose} an agent follows a stated policy, or a model only words and reads what it "
            "says; the other may be a model."
        )
    return " ".join(notes)


def tester_label(slug: str, kind: str, kinds: Iterable[str]) -> str:
    """A tester's name in a row; observers are marked where models stand beside them."""
    return f"{slug} (observer)" if kind == "observer" and set(kinds) != {"observer"} else slug


@dataclass(frozen=True)
class Source:
    """Where scores of the animated triangles come from, for captions.

    panel: the configuration's name. trials: K, the trials of a clip. rubric_sha256: of the rubric
    that the judges were given. stimulus_source: synthetic, or the name given to original clips.
    judge_kinds: model or observer, of each judge.
    """

    panel: str
    trials: int
    rubric_sha256: str
    stimulus_source: str
    arm: str = "numbered"
    overlay: str = "blinded"
    aggregation: Aggregation = "mean_of_judges"
    judge_kinds: Sequence[str] = ("model",)

    @property
    def reading(self) -> Reading:
        """Which cells these numbers are over."""
        return Reading(self.arm, self.overlay, self.aggregation)

    def notes(self, kinds: Iterable[str], shown: str = "") -> list[str]:
        """Sentences for a caption.

        kinds: of the testers shown. shown: arms, trials and overlays, where there are several.
        """
        how = {"mean_of_judges": "mean over clip × judge cells"}.get(
            self.aggregation, "median over judges, then mean over clips"
        )
        one = f"arm {self.arm}; K = {self.trials} trials a clip; overlay {self.overlay}"
        notes = [
            f"Panel {self.panel}; {shown or one}; rubric SHA-256 {self.rubric_sha256[:12]}; {how}.",
            "LLM-rated, against human-rated means; descriptive.",
            judges_note(self.judge_kinds),
            "Synthetic clips: the human means belong to the original ones."
            if "synthetic" in self.stimulus_source
            else "",
            testers_note(kinds),
        ]
        return [note for note in notes if note]


def judges_note(kinds: Iterable[str]) -> str:
    """Who rated: embedded judges are never shown as LLMs."""
    kinds = set(kinds)
    if kinds == {"observer"}:
        return "Here the judges are embedded observers with stated rules, not LLMs."
    if "observer" in kinds:
        return "Some judges are embedded observers with stated rules, not LLMs."
    return ""


def panel_label(kinds: Iterable[str], what: str = "panel mean") -> str:
    """The name of a panel's row, which is over models alone where there is one."""
    return f"{what} (models)" if set(kinds) == {"model", "observer"} else what
