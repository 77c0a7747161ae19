"""The Director Task, the animated triangles and their representations; judges and raters."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    field_serializer,
    field_validator,
    model_validator,
)

from vlmtom.settings.base import (
    ArmSlug,
    Frozen,
    TesterSlug,
    refuse_chosen,
    refuse_repeated,
    refuse_unknown,
    without_nulls,
)


class DirectorArm(Frozen):
    """One arm of the Director Task."""

    scenes: int = Field(default=12, ge=1)
    trials: int = Field(default=3, ge=1)  # K
    # Who is asked; null: the whole panel.
    testers: Annotated[tuple[TesterSlug, ...], Field(min_length=1)] | None = None


DIRECTOR_ARMS = (
    "canonical",
    "no_occluder",
    "same_side",
    "four_block",
    "unasked",
    "rule",
    "reasoning",
)


class DirectorSettings(Frozen):
    """The Director Task: which arms are shown. The canonical one always is: tables start there."""

    arms: dict[ArmSlug, DirectorArm] = {"canonical": DirectorArm()}

    _left_out = field_validator("arms", mode="before")(without_nulls)

    @model_validator(mode="after")
    def _known_arms(self) -> "DirectorSettings":
        refuse_unknown("arm", self.arms, DIRECTOR_ARMS)
        if "canonical" not in self.arms:
            raise ValueError("the arm 'canonical' is missing; tables and controls rest on it")
        refuse_chosen("canonical", self.arms["canonical"].testers)
        return self


class TrianglesArm(Frozen):
    """One arm of the animated triangles."""

    trials: int = Field(default=3, ge=1)
    # Who is asked; null: the whole panel.
    testers: Annotated[tuple[TesterSlug, ...], Field(min_length=1)] | None = None


TRIANGLES_ARMS = ("numbered", "plain", "keyframe", "reversed", "shuffled")
# What judges may be told beyond the rubric, and of which arms; null: of every one. The informed
# overlay exists for the comparison of Table 9 alone.
OVERLAY_ARMS: Mapping[str, tuple[str, ...] | None] = {
    "blinded": None,
    "informed": ("plain", "numbered"),
}


JUDGING_OVERLAYS = tuple(OVERLAY_ARMS)
EXEMPLARS = "exemplars"  # topic of the battery's jobs, beside OVERLAY.ARM; no arm has this name
REFERENCES = Path(__file__).resolve().parents[3] / "resources" / "references.csv"


class TrianglesSettings(Frozen):
    """The animated triangles: which arms are shown, and of which clips."""

    arms: dict[ArmSlug, TrianglesArm] = Field(default={"numbered": TrianglesArm()}, min_length=1)
    fit: Literal["pad", "stretch"] = "pad"  # a frame in a cell of the sheet: letterboxed, squeezed
    clips: str | None = None  # folder of original films; null draws synthetic ones

    _left_out = field_validator("arms", mode="before")(without_nulls)

    @model_validator(mode="after")
    def _known_arms(self) -> "TrianglesSettings":
        refuse_unknown("arm", self.arms, TRIANGLES_ARMS)
        if "numbered" not in self.arms:
            raise ValueError("the arm 'numbered' is missing; tables and controls rest on it")
        refuse_chosen("numbered", self.arms["numbered"].testers)
        return self


# The experiment in which the same clips are shown in other representations (Appendix L), and the
# topic of the jobs that judge it.
REPRESENTATIONS = "representations"
NATIVE_VIDEO = "native_video"
# Those that the paper tried, in the order of its Table 12; the first three with three trials.
REPRESENTATION_ARMS = (
    NATIVE_VIDEO,
    "frames_64",
    "grid_4x4",
    "frames_16",
    "grid_8x8_fullres",
    "frames_32",
    "grid_4x8",
    "grid_4x4_fullres",
    "grid_8x8",
)


_PAPERS_TRIALS = {name: 3 if place < 3 else 1 for place, name in enumerate(REPRESENTATION_ARMS)}
# What is judged several times, in a job of its own for each judge.
REPEATED = (EXEMPLARS, REPRESENTATIONS)


class RepresentationArm(Frozen):
    """One representation of the clips."""

    trials: int = Field(default=1, ge=1)  # K


class RepresentationsSettings(Frozen):
    """How much of what a video tells is left when frames are shown instead."""

    # Who is shown them, of the registry: in the panel or not.
    testers: tuple[TesterSlug, ...] = ()
    # Likewise, but only where they are in the panel: embedded observers of the default run do
    # not follow a configuration that is laid over it.
    observers: tuple[TesterSlug, ...] = ()
    judges: Annotated[tuple[TesterSlug, ...], Field(min_length=1)] | None = (
        None  # null: the panel's
    )
    # What is given is laid over the nine; null leaves one out.
    arms: dict[ArmSlug, RepresentationArm] = {
        name: RepresentationArm(trials=trials) for name, trials in _PAPERS_TRIALS.items()
    }
    # Of the triangles' clips; null: the first of each condition.
    clips: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    reference: str = NATIVE_VIDEO  # what the others are compared with
    repetitions: int = Field(default=3, ge=1)  # verdicts of each judge on each description

    @field_validator("arms", mode="before")
    @classmethod
    def _over_the_nine(cls, arms: Any) -> Any:
        """The paper's nine, with what is given laid over them, less those that are set to null."""
        if not isinstance(arms, Mapping):
            return arms
        refuse_unknown("representation", arms, REPRESENTATION_ARMS)
        laid = {}
        for name, trials in _PAPERS_TRIALS.items():
            given = arms.get(name, {})
            laid[name] = {"trials": trials, **given} if isinstance(given, Mapping) else given
        return without_nulls(laid)

    @field_serializer("arms")
    def _with_those_left_out(
        self, arms: dict[str, RepresentationArm]
    ) -> dict[str, dict[str, int] | None]:
        """So that a configuration that is written and read again shows no more than this one."""
        shown = {name: arm.model_dump() for name, arm in arms.items()}
        return {name: shown.get(name) for name in REPRESENTATION_ARMS}

    @model_validator(mode="after")
    def _known_names(self) -> "RepresentationsSettings":
        for what, names in (
            ("testers", self.testers),
            ("observers", self.observers),
            ("judges", self.judges or ()),
            ("clips", self.clips or ()),
        ):
            refuse_repeated(what, names)
        if self.reference not in self.arms:
            raise ValueError(
                f"the reference {self.reference!r} is not among the arms, which are "
                f"{', '.join(self.arms) or 'none'}; do not set it to null, or choose another "
                "reference"
            )
        if len(self.arms) < 2:
            raise ValueError(
                f"the reference {self.reference!r} has nothing to be compared with; leave another "
                "representation under `arms:` that is not null"
            )
        return self


class JudgingSettings(Frozen):
    """How descriptions are judged."""

    overlays: tuple[str, ...] = Field(default=("blinded",), min_length=1)
    reasks: int = Field(default=2, ge=0)  # further tries for a verdict that cannot be read
    exemplars: str = "resources/exemplars.csv"  # of the validation battery
    repetitions: int = Field(default=0, ge=0)  # verdicts on each exemplar; 0: no battery
    # Beyond the panel's judges the battery asks these; they score no tester.
    flagships: tuple[TesterSlug, ...] = ()
    candidates: tuple[TesterSlug, ...] = ()

    @model_validator(mode="after")
    def _known_overlays(self) -> "JudgingSettings":
        refuse_unknown("overlay", self.overlays, JUDGING_OVERLAYS)
        refuse_repeated("overlays", self.overlays)
        if "blinded" not in self.overlays:
            raise ValueError(
                "the overlay 'blinded' is missing; every table but Table 9 rests on it"
            )
        return self

    @model_validator(mode="after")
    def _battery_for_candidates(self) -> "JudgingSettings":
        named = [*self.flagships, *self.candidates]
        refuse_repeated("flagships and candidates", named)
        if named and not self.repetitions:
            raise ValueError(
                f"{', '.join(named)} would never be asked: flagships and candidates are judges of "
                "the validation battery, which has no repetitions; set `repetitions`, such as 5"
            )
        return self


class RatingSettings(Frozen):
    """Which descriptions people rate, and where their files lie that came back."""

    descriptions: int | None = Field(default=36, ge=1)  # null: every usable one
    returned: str | None = None  # folder of the raters' CSV files; null: no table of agreement


class ReleaseSettings(Frozen):
    """What `snakemake release` packs."""

    raw: bool = False  # raw replies, verdicts and journals as well
