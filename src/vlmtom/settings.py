"""The configuration and the model registry, read once, typed and frozen.

An unknown key is an error that names the nearest known key. This module is imported by the
Snakefile: it must stay light (no pandas, no pyarrow).
"""

import csv
import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_serializer,
    field_validator,
    model_validator,
)

from vlmtom.errors import BadConfig


def _slug(pattern: str) -> AfterValidator:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"{value!r} cannot be used in a path; it must match {pattern}")
        return value

    return AfterValidator(check)


def _refuse_unknown(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"no {what} {name!r}. {nearest(name, known)}")


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"{what} named twice: {', '.join(sorted(repeated))}")


def _without_nulls(arms: Any) -> Any:
    """An arm that a configuration sets to null is left out, whatever lies under it."""
    if not isinstance(arms, Mapping):
        return arms
    return {name: arm for name, arm in arms.items() if arm is not None}


def _refuse_chosen(arm: str, testers: Sequence[str] | None) -> None:
    if testers is not None:
        raise ValueError(f"the arm {arm!r} is asked of every tester; leave `testers` out of it")


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence naming the known name that is nearest to a mistyped one, or all of them."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Known are: {', '.join(names) or 'none'}."


EndpointName = Annotated[str, _slug(r"[A-Za-z0-9][A-Za-z0-9._-]*")]
TesterSlug = Annotated[str, _slug(r"[a-z0-9][a-z0-9.-]*")]
ArmSlug = Annotated[str, _slug(r"[a-z0-9][a-z0-9_-]*")]


class Frozen(BaseModel):
    """Base of all settings: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EndpointEntry(Frozen):
    """Where models are reached."""

    kind: Literal["openai", "embedded"]
    base_url: str | None = None  # any OpenAI-compatible gateway, up to and including /v1
    api_key_env: str | None = None  # the variable's name; the key itself is never configured
    rpm: float | None = Field(default=None, gt=0)  # requests a minute, of all jobs together
    tpm: float | None = Field(default=None, gt=0)  # tokens a minute, of all jobs together

    @field_validator("api_key_env")
    @classmethod
    def _is_a_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise ValueError(
                "expected the name of an environment variable (letters, digits, underscores); "
                "the key itself is never written here"
            )
        return value

    @model_validator(mode="after")
    def _has_url(self) -> "EndpointEntry":
        if self.kind == "openai" and not self.base_url:
            raise ValueError(
                "an endpoint of kind 'openai' needs a base_url, such as http://127.0.0.1:8000/v1"
            )
        return self


class Sampling(Frozen):
    """What is asked for with each request; null leaves the provider's default."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=1024, gt=0)
    reasoning_effort: str | None = None  # "none", "minimal", "low", … where a model has one
    send_seed: bool = True  # the trial's own seed
    image_detail: Literal["low", "high", "auto"] | None = None  # of every picture
    extra: dict[str, Any] = {}  # provider-specific fields of the request body


REASONING_MAX_TOKENS = 8192  # at least, where a model's entry does not say


class ReasoningSampling(Frozen):
    """What changes in the requests of arms that allow reasoning."""

    # null: no limit where the sampling has none, else its own, or 8192 if that is more.
    max_tokens: int | None = Field(default=None, gt=0)
    reasoning_effort: str | None = None  # null: the model's own default
    extra: dict[str, Any] | None = None  # in place of the sampling's; null: the same


class Price(Frozen):
    """List price in US dollars for a million tokens."""

    input_usd_per_mtok: float = Field(ge=0)
    output_usd_per_mtok: float = Field(ge=0)


class ModelEntry(Frozen):
    """One model of the registry."""

    endpoint: str
    kind: Literal["model", "observer"] = "model"
    gateway_model: str  # the id that the endpoint knows
    family: str
    lab: str
    price: Price | None = None
    sampling: Sampling = Sampling()
    reasoning: ReasoningSampling = ReasoningSampling()  # in arms that allow it
    json_schema: bool = True  # as a judge, ask for its JSON schema as the response format
    served_as: tuple[str, ...] = ()  # other ids under which the gateway may serve this model
    timeout_s: float = Field(default=120, gt=0)
    max_media_bytes: int | None = Field(default=None, gt=0)  # of one picture or film, as base64
    max_message_bytes: int | None = Field(default=None, gt=0)  # of all of a request together
    probe: bool = True  # ask once whether the model sees pictures, before anything else
    concurrency: int = Field(default=8, ge=1)  # requests in flight at once
    # With it, concurrency is only the start: overloads lower it, successes raise it up to this.
    max_concurrency: int | None = Field(default=None, ge=1)

    def sampling_for(self, reasoning: bool) -> Sampling:
        """What is asked for with each request of an item, which may allow reasoning."""
        if not reasoning:
            return self.sampling
        limit = self.reasoning.max_tokens
        if limit is None and self.sampling.max_tokens is not None:
            limit = max(REASONING_MAX_TOKENS, self.sampling.max_tokens)
        extra = self.sampling.extra if self.reasoning.extra is None else self.reasoning.extra
        return self.sampling.model_copy(
            update={
                "max_tokens": limit,
                "reasoning_effort": self.reasoning.reasoning_effort,
                "extra": extra,
            }
        )

    @model_validator(mode="after")
    def _starts_below_its_limit(self) -> "ModelEntry":
        if self.max_concurrency is not None and self.max_concurrency < self.concurrency:
            raise ValueError(
                f"max_concurrency ({self.max_concurrency}) is below concurrency "
                f"({self.concurrency}), where the limit starts; raise it, or leave it out"
            )
        return self


class Registry(Frozen):
    """Every endpoint and model known (config/models.yaml)."""

    endpoints: dict[EndpointName, EndpointEntry]
    models: dict[TesterSlug, ModelEntry]

    @model_validator(mode="after")
    def _consistent(self) -> "Registry":
        for slug, entry in self.models.items():
            if entry.endpoint not in self.endpoints:
                raise ValueError(
                    f"model {slug!r} names the endpoint {entry.endpoint!r}; "
                    f"known are {', '.join(self.endpoints)}"
                )
        folded: dict[str, str] = {}
        for slug in self.models:
            other = folded.setdefault(unicodedata.normalize("NFC", slug).casefold(), slug)
            if other != slug:
                raise ValueError(f"models {other!r} and {slug!r} differ only in case")
        return self


class CallSettings(Frozen):
    """How calls are made; nothing of it is part of what is asked."""

    parallel_jobs: int = Field(default=4, ge=1)  # call jobs at once
    attempts: int = Field(default=6, ge=1)  # HTTP attempts for a request, the first included
    total_time_s: float = Field(default=1800, gt=0)  # for one request, waits included
    backoff_s: float = Field(default=1, gt=0)  # before the second attempt; doubles
    max_backoff_s: float = Field(default=60, gt=0)
    max_pause_s: float = Field(default=900, gt=0)  # a longer Retry-After ends the job


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

# The code of the embedded observers: its digest is part of what they are asked, and of the rules
# that ask them, because an observer's code is its weights.
OBSERVER_CODE = (
    "observers",
    "rendering/__init__.py",
    "rendering/labels.py",
    "rendering/vectors.py",
)


class DirectorSettings(Frozen):
    """The Director Task: which arms are shown. The canonical one always is: tables start there."""

    arms: dict[ArmSlug, DirectorArm] = {"canonical": DirectorArm()}

    _left_out = field_validator("arms", mode="before")(_without_nulls)

    @model_validator(mode="after")
    def _known_arms(self) -> "DirectorSettings":
        _refuse_unknown("arm", self.arms, DIRECTOR_ARMS)
        if "canonical" not in self.arms:
            raise ValueError("the arm 'canonical' is missing; tables and controls rest on it")
        _refuse_chosen("canonical", self.arms["canonical"].testers)
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
REFERENCES = Path(__file__).resolve().parents[2] / "resources" / "references.csv"


class TrianglesSettings(Frozen):
    """The animated triangles: which arms are shown, and of which clips."""

    arms: dict[ArmSlug, TrianglesArm] = Field(default={"numbered": TrianglesArm()}, min_length=1)
    fit: Literal["pad", "stretch"] = "pad"  # a frame in a cell of the sheet: letterboxed, squeezed
    clips: str | None = None  # folder of original films; null draws synthetic ones

    _left_out = field_validator("arms", mode="before")(_without_nulls)

    @model_validator(mode="after")
    def _known_arms(self) -> "TrianglesSettings":
        _refuse_unknown("arm", self.arms, TRIANGLES_ARMS)
        if "numbered" not in self.arms:
            raise ValueError("the arm 'numbered' is missing; tables and controls rest on it")
        _refuse_chosen("numbered", self.arms["numbered"].testers)
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
        _refuse_unknown("representation", arms, REPRESENTATION_ARMS)
        laid = {}
        for name, trials in _PAPERS_TRIALS.items():
            given = arms.get(name, {})
            laid[name] = {"trials": trials, **given} if isinstance(given, Mapping) else given
        return _without_nulls(laid)

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
            _refuse_repeated(what, names)
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


# The experiment that asks whether a report changes the choice, and its scene sets.
REPORT_ACTION = "report_action"
SCENE_SETS = ("main", "rotated", "rearranged")
OWN_TESTERS = (REPRESENTATIONS, REPORT_ACTION, "mosaic")  # experiments that name their own testers
Panel = Annotated[tuple[TesterSlug, ...], Field(min_length=1)] | None
# On what a comparison's difference is taken; the two conditions must both have it.
ACTION_MEASURES = ("hidden_chosen", "visible_correct", "joint", "director_view_chosen")


class ActionBatch(Frozen):
    """Conditions that are asked together, interleaved, so that they can be compared."""

    conditions: Annotated[tuple[ArmSlug, ...], Field(min_length=2)]
    sets: Annotated[tuple[str, ...], Field(min_length=1)] = ("main",)
    testers: Panel = None  # who is asked; null: all of the experiment's

    @model_validator(mode="after")
    def _base_among_them(self) -> "ActionBatch":
        _refuse_repeated("conditions", self.conditions)
        _refuse_repeated("sets", self.sets)
        _refuse_unknown("scene set", self.sets, SCENE_SETS)
        from vlmtom.report_action.prompts import condition  # of which no other run needs anything

        for slug in self.conditions:
            condition(slug)
        if not {"move-visibility", "mean-visibility"} & set(self.conditions):
            raise ValueError(
                "the base prompt is missing, which tells how answers drift between batches; add "
                "move-visibility or mean-visibility"
            )
        return self


class ActionComparison(Frozen):
    """Two conditions of one batch that differ in one part of the prompt: with, minus without."""

    # Written as it is read: `with` is no name in Python.
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    batch: ArmSlug
    without: ArmSlug
    with_: ArmSlug = Field(alias="with")
    scene_set: str = "main"
    measure: str = "hidden_chosen"
    # Comparisons that are corrected together; null: tested against the margin alone.
    family: ArmSlug | None = None
    testers: Panel = None  # whose difference is told; null: all that were asked the batch

    @model_validator(mode="after")
    def _differs_in_one_part(self) -> "ActionComparison":
        _refuse_unknown("scene set", [self.scene_set], SCENE_SETS)
        _refuse_unknown("measure", [self.measure], ACTION_MEASURES)
        from vlmtom.report_action.prompts import condition, difference

        one, other = condition(self.without), condition(self.with_)
        difference(one, other)
        if self.measure in ("visible_correct", "joint"):
            for of in (one, other):
                if not any("visible" in keys for keys in of.keys):
                    raise ValueError(
                        f"{of.slug} asks for no report, so that it has no {self.measure}"
                    )
        return self


# The topics of the jobs that code reasoning traces, under an overlay of their own: the traces, and
# the traces written to known codes.
TRACES = "traces"
TRACE_TOPICS = (REPORT_ACTION, "tests")


class TraceSettings(Frozen):
    """Which rule stands behind a choice: who codes which reasoning traces."""

    coders: tuple[TesterSlug, ...] = ()  # of the registry; none: no trace is coded
    testers: Panel = None  # whose traces; null: of all that are asked
    conditions: Annotated[tuple[ArmSlug, ...], Field(min_length=1)] = (
        *("move-visibility", "move-none"),
        "mean-visibility",
    )
    batches: Annotated[tuple[ArmSlug, ...], Field(min_length=1)] | None = None  # null: all
    recoded: int = Field(default=30, ge=0)  # traces that each coder codes a second time
    human_sample: int = Field(default=36, ge=0)  # traces on the sheet of people; 0: no sheet
    returned: str | None = None  # folder of the files that came back; null: none yet

    @model_validator(mode="after")
    def _names_once(self) -> "TraceSettings":
        for what, names in (
            ("coders", self.coders),
            ("testers", self.testers or ()),
            ("conditions", self.conditions),
            ("batches", self.batches or ()),
        ):
            _refuse_repeated(what, names)
        if self.returned is not None and not self.human_sample:
            raise ValueError(
                "returned names people's codes, but human_sample is 0, so that there is no sheet "
                "they would be of; give the number of traces, or leave returned out"
            )
        return self


class ReportActionSettings(Frozen):
    """Whether asking what the director sees changes what is chosen."""

    # Who is asked, of the registry: in the panel or not.
    testers: tuple[TesterSlug, ...] = ()
    # Likewise, but only where one of them is in the panel: embedded observers of the default run
    # do not follow a configuration that is laid over it.
    observers: tuple[TesterSlug, ...] = ()
    sets: dict[str, Annotated[int, Field(ge=3)] | None] = {"main": 160}  # scenes of each set
    replies: int = Field(default=5, ge=1)  # of each scene in each condition (K)
    margin_points: float = Field(default=10, gt=0, lt=100)  # within it, accuracy is unchanged
    bootstrap_seed: int = Field(default=20261, ge=0)
    batches: dict[ArmSlug, ActionBatch | None] = {}
    comparisons: dict[ArmSlug, ActionComparison | None] = {}
    traces: TraceSettings | None = None  # null: no reasoning trace is coded

    _left_out = field_validator("sets", "batches", "comparisons", mode="before")(_without_nulls)

    @model_validator(mode="after")
    def _names_known(self) -> "ReportActionSettings":
        _refuse_unknown("scene set", self.sets, SCENE_SETS)
        _refuse_repeated("testers", self.testers)
        _refuse_repeated("observers", self.observers)
        if not self.batches:
            raise ValueError("no batch, so that nothing would be asked; name one under `batches:`")
        if "rearranged" in self.sets and self.sets["rearranged"] != self.sets.get("main"):
            raise ValueError("rearranged shows the tables of main: give both as many scenes")
        for name, batch in self.batches.items():
            for scene_set in batch.sets:
                if scene_set not in self.sets:
                    raise ValueError(
                        f"batch {name!r} is asked of the scene set {scene_set!r}, which has no "
                        f"scenes; give their number under `sets:`, such as {scene_set}: 160"
                    )
        for scene_set in self.sets:
            if not any(scene_set in batch.sets for batch in self.batches.values()):
                raise ValueError(
                    f"no batch is asked of the scene set {scene_set!r}, whose scenes would be "
                    "drawn for nobody; name it under `sets` of a batch, or set "
                    f"`sets.{scene_set}: null`"
                )
        for name, comparison in self.comparisons.items():
            self._check(name, comparison)
        if self.traces is not None:
            _refuse_unknown("batch", self.traces.batches or (), self.batches)
            traced = self.traces.batches or tuple(self.batches)
            asked = [slug for name in traced for slug in self.batches[name].conditions]
            _refuse_unknown("asked condition", self.traces.conditions, dict.fromkeys(asked))
        return self

    def _check(self, name: str, comparison: ActionComparison) -> None:
        batch = self.batches.get(comparison.batch)
        if batch is None:
            raise ValueError(
                f"comparison {name!r}: no batch {comparison.batch!r}. "
                f"{nearest(comparison.batch, self.batches)}"
            )
        for slug in (comparison.without, comparison.with_):
            if slug not in batch.conditions:
                raise ValueError(
                    f"comparison {name!r}: {slug!r} is not asked in the batch "
                    f"{comparison.batch!r}; conditions are compared within a batch only"
                )
        if comparison.scene_set not in batch.sets:
            raise ValueError(
                f"comparison {name!r}: the batch {comparison.batch!r} is not asked of the scene "
                f"set {comparison.scene_set!r}"
            )


MOSAIC = "mosaic"
MosaicArm = Literal["standard", "blank", "face", "none"]
MosaicCondition = Literal["coop-tom0", "coop-tom1", "comp-tom0", "comp-tom1"]
MOSAIC_CONDITIONS: tuple[MosaicCondition, ...] = get_args(MosaicCondition)
DIRECTION_NAMES = (
    *("forward", "right forward", "right", "right backward"),
    *("backward", "left backward", "left", "left forward"),
)


class MosaicAgent(Frozen):
    """An agent of the treasure game that comes along, and is no model (docs/mosaic.md)."""

    policy: Literal["pcm", "random", "silent", "fixed"]
    direction: str = "right forward"  # of `fixed`: where it always goes
    # The rest is of `pcm`. voice: the model that words and reads what is said; null: templates.
    voice: TesterSlug | None = None
    horizon: int = Field(default=3, ge=1, le=5)  # rounds that it looks ahead
    effort: float = Field(default=0.2, ge=0)  # cost of a face put on
    epistemic: float = Field(default=0.4, ge=0)  # cost of not seeing the other
    sensitivity: float = Field(default=0.25, ge=0, le=1)  # share of the skin in what it reads
    noise: float = Field(default=0.06, ge=0)  # standard deviation of the valence that it reads
    verbal: bool = True  # whether it speaks

    @field_validator("direction")
    @classmethod
    def _known_direction(cls, value: str) -> str:
        _refuse_unknown("direction", [value], DIRECTION_NAMES)
        return value


class MosaicPair(Frozen):
    """Who plays whom: agents of `mosaic.agents`, or models of the registry."""

    subject: TesterSlug
    participant: TesterSlug
    arm: MosaicArm = "standard"  # what a model is shown

    @property
    def name(self) -> str:
        """In paths and streams."""
        beyond = "" if self.arm == "standard" else f"+{self.arm}"
        return f"{self.subject}+{self.participant}{beyond}"


class MosaicCard(Frozen):
    """The trial that is drawn as a card and as a film."""

    subject: TesterSlug
    participant: TesterSlug
    arm: MosaicArm = "standard"
    condition: MosaicCondition = "comp-tom1"
    trial: int = Field(default=1, ge=1)


class MosaicSettings(Frozen):
    """The treasure game: who plays it, how often, by which rules."""

    # Who plays itself, of the registry: in the panel or not.
    testers: tuple[TesterSlug, ...] = ()
    # Likewise, but only where one of them is in the panel. Without it and without testers the
    # game is not played: it does not follow a configuration that is laid over the default one.
    observers: tuple[TesterSlug, ...] = ()
    # What those are shown, where it is not the standard view alone.
    arms: dict[TesterSlug, Annotated[tuple[MosaicArm, ...], Field(min_length=1)] | None] = {}
    agents: dict[TesterSlug, MosaicAgent | None] = {}
    pairs: tuple[MosaicPair, ...] = ()  # further ones
    ablations: tuple[TesterSlug, ...] = ()  # agents that play themselves, beside each other
    trials: int = Field(default=50, ge=1)  # of each condition
    balanced: bool = False  # as often the one box as the other, in a drawn order
    move_frame: Literal["heading", "home"] = "heading"
    tom_triple: bool = True  # beliefs say the order of theory of mind
    sensitivity: float = Field(default=0.5, ge=0, le=1)  # share of the skin in beliefs
    listening: float = Field(default=0.5, ge=0, le=1)  # how far an utterance moves a preference
    reasks: int = Field(default=2, ge=0)  # further tries for an answer that cannot be read
    gaze_threshold: float = Field(default=0.35, ge=0, le=1)  # theta of Eq. 6
    face_deadband: float = Field(default=0.05, ge=0, le=1)  # a fainter valence is no face
    card: MosaicCard | None = None

    _left_out = field_validator("arms", "agents", mode="before")(_without_nulls)

    @model_validator(mode="after")
    def _names_known(self) -> "MosaicSettings":
        _refuse_repeated("testers", self.testers)
        _refuse_repeated("observers", self.observers)
        _refuse_repeated("ablations", self.ablations)
        _refuse_repeated("pairs", [pair.name for pair in self.pairs])
        _refuse_unknown("agent", self.ablations, self.agents)
        _refuse_unknown("tester of the game", self.arms, [*self.testers, *self.observers])
        both = sorted({*self.agents} & {*self.testers, *self.observers})
        if both:
            raise ValueError(
                f"{', '.join(both)} is an agent that comes along and a tester of the registry; "
                "give the agent another name"
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
        _refuse_unknown("overlay", self.overlays, JUDGING_OVERLAYS)
        _refuse_repeated("overlays", self.overlays)
        if "blinded" not in self.overlays:
            raise ValueError(
                "the overlay 'blinded' is missing; every table but Table 9 rests on it"
            )
        return self

    @model_validator(mode="after")
    def _battery_for_candidates(self) -> "JudgingSettings":
        named = [*self.flagships, *self.candidates]
        _refuse_repeated("flagships and candidates", named)
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


class Settings(Frozen):
    """One configuration: what is run, on which testers, into which folder."""

    panel: str = "observers"  # named in captions
    results: str = "results"
    seed: int = Field(default=1, ge=0)  # every draw is derived from it
    models: str = "config/models.yaml"
    locks: str = "resources/locks.yaml"
    references: str = "resources/references.csv"  # published means of human groups
    testers: tuple[TesterSlug, ...] = Field(min_length=1)
    judges: tuple[TesterSlug, ...] = ()  # needed where there are triangles
    windows: int = Field(default=1, ge=1, le=100)  # the trials are divided over them, in time
    # Hours from the last call of a window to the first of the next.
    window_gap_hours: float = Field(default=8, ge=0, allow_inf_nan=False)
    # US dollars, of testers and judges together.
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    allow_missing: bool = False
    calls: CallSettings = CallSettings()
    director: DirectorSettings | None = DirectorSettings()  # null: this run has none
    triangles: TrianglesSettings | None = None  # null: this run has none
    judging: JudgingSettings = JudgingSettings()
    representations: RepresentationsSettings | None = None  # null: not compared
    report_action: ReportActionSettings | None = None  # null: not run
    mosaic: MosaicSettings | None = None  # null: not run
    release: ReleaseSettings = ReleaseSettings()
    rating: RatingSettings | None = RatingSettings()  # null: no sheet for people

    @property
    def rated_by_people(self) -> RatingSettings | None:
        """How people rate descriptions; null where there are none, or nobody is to rate them."""
        return self.rating if self.triangles is not None else None

    @property
    def arm_tables(self) -> list[str]:
        """The tables that compare arms of the triangles, or overlays: made where there are several.

        Table 9 has four columns; those that were not run are dashes.
        """
        arms = self.triangles.arms if self.triangles else {}
        plain, informed = "plain" in arms, bool(arms) and len(self.judging.overlays) > 1
        made = {"table6": len(arms) > 1, "table9": plain or informed, "table10": plain}
        return [name for name, wanted in made.items() if wanted]

    @property
    def arm_figures(self) -> list[str]:
        """The figure that compares arms of the triangles, where there are several."""
        return ["arms"] if self.triangles and len(self.triangles.arms) > 1 else []

    @model_validator(mode="after")
    def _names_once(self) -> "Settings":
        _refuse_repeated("testers", self.testers)
        _refuse_repeated("judges", self.judges)
        beyond = (*self.judging.flagships, *self.judging.candidates)
        _refuse_repeated(
            "judges, judging.flagships and judging.candidates", [*self.judges, *beyond]
        )
        return self

    def arms(
        self, experiment: str
    ) -> Mapping[str, "DirectorArm | TrianglesArm | RepresentationArm"]:
        """The arms of an experiment; none where it is not run."""
        part = {
            "director": self.director,
            "triangles": self.triangles,
            REPRESENTATIONS: self.representations if self.shown_representations else None,
        }[experiment]
        return part.arms if part is not None else {}

    @property
    def action_testers(self) -> tuple[str, ...]:
        """Who is asked report_action; nobody where it is not run."""
        if self.report_action is None:
            return ()
        present = set(self.report_action.observers) & set(self.testers)
        return tuple(
            dict.fromkeys(
                [*(self.report_action.observers if present else ()), *self.report_action.testers]
            )
        )

    @property
    def mosaic_pairs(self) -> tuple[MosaicPair, ...]:
        """Who plays whom in the treasure game; nobody where it is not run."""
        game = self.mosaic
        if game is None:
            return ()
        present = set(game.observers) & set(self.testers)
        alone = [*(game.observers if present else ()), *game.testers]
        if not alone:
            return ()
        pairs = [
            *(MosaicPair(subject=slug, participant=slug) for slug in game.ablations),
            *game.pairs,
            *(
                MosaicPair(subject=slug, participant=slug, arm=arm)
                for slug in dict.fromkeys(alone)
                for arm in game.arms.get(slug, ("standard",))
            ),
        ]
        return tuple({pair.name: pair for pair in pairs}.values())

    def mosaic_models(self, pair: MosaicPair) -> tuple[str, ...]:
        """The models of the registry that are asked while a pair plays."""
        named = []
        for slug in (pair.subject, pair.participant):
            agent = self.mosaic.agents.get(slug)
            named += [slug] if agent is None else [agent.voice] if agent.voice else []
        return tuple(dict.fromkeys(named))

    @property
    def mosaic_testers(self) -> tuple[str, ...]:
        """Every model that is asked anything in the treasure game."""
        return tuple(
            dict.fromkeys(slug for pair in self.mosaic_pairs for slug in self.mosaic_models(pair))
        )

    def batches_of(self, tester: str) -> tuple[str, ...]:
        """The batches of report_action that a tester is asked."""
        if self.report_action is None or tester not in self.action_testers:
            return ()
        return tuple(
            name
            for name, batch in self.report_action.batches.items()
            if batch.testers is None or tester in batch.testers
        )

    def arms_of(self, tester: str, experiment: str) -> tuple[str, ...]:
        """The arms of an experiment that a tester is asked."""
        if experiment == REPRESENTATIONS and tester not in self.shown_representations:
            return ()
        if experiment == REPORT_ACTION:
            batches = [self.report_action.batches[name] for name in self.batches_of(tester)]
            return tuple(dict.fromkeys(slug for batch in batches for slug in batch.conditions))
        return tuple(
            name
            for name, arm in self.arms(experiment).items()
            if (chosen := getattr(arm, "testers", None)) is None or tester in chosen
        )

    @property
    def shown_representations(self) -> tuple[str, ...]:
        """Who is shown representations; nobody where the configuration has no such study."""
        study = self.representations
        if study is None or self.triangles is None:
            return ()
        present = [slug for slug in study.observers if slug in self.testers]
        return tuple(dict.fromkeys([*present, *study.testers]))

    @property
    def representation_judges(self) -> tuple[str, ...]:
        """Who judges what is said of representations; nobody where none are shown."""
        if self.representations is None or not self.shown_representations:
            return ()
        return self.representations.judges or self.judges

    @property
    def experiments(self) -> tuple[str, ...]:
        """What is run."""
        shown = {
            "director": self.director is not None,
            "triangles": self.triangles is not None,
            REPRESENTATIONS: bool(self.shown_representations),
            REPORT_ACTION: bool(self.action_testers),
            MOSAIC: bool(self.mosaic_pairs),
        }
        return tuple(name for name, run in shown.items() if run)

    def experiments_of(self, tester: str) -> tuple[str, ...]:
        """What a tester would be asked; one that is named nowhere, as if it were in the panel."""
        beyond = {name: tester in self.testers_of(name) for name in OWN_TESTERS}
        alone = any(beyond.values()) and tester not in self.testers
        return tuple(name for name in self.experiments if beyond.get(name, not alone))

    def testers_of(self, experiment: str) -> tuple[str, ...]:
        """Who is asked an experiment: the panel, or those that an experiment of its own names."""
        own = {
            REPRESENTATIONS: self.shown_representations,
            REPORT_ACTION: self.action_testers,
            MOSAIC: self.mosaic_testers,
        }
        return own.get(experiment, self.testers)

    def windows_of(self, experiment: str) -> int:
        """How many windows an experiment has; those with testers of their own are asked in one."""
        return 1 if experiment in OWN_TESTERS else self.windows

    @property
    def asked_testers(self) -> tuple[str, ...]:
        """Everyone that is asked anything: the panel, and whoever another experiment names."""
        return tuple(
            dict.fromkeys(
                [
                    *self.testers,
                    *self.shown_representations,
                    *self.action_testers,
                    *self.mosaic_testers,
                ]
            )
        )

    @model_validator(mode="after")
    def _traces_of_those_asked(self) -> "Settings":
        if self.trace_coders:
            _refuse_unknown(
                "tester of report_action",
                self.report_action.traces.testers or (),
                self.action_testers,
            )
        return self

    @model_validator(mode="after")
    def _triangles_for_representations(self) -> "Settings":
        if self.triangles is None and self.representations and self.representations.testers:
            raise ValueError(
                "representations are shown of the triangles' clips, but `triangles` is null; "
                "configure them, or set `representations: null`"
            )
        return self

    @model_validator(mode="after")
    def _testers_of_arms(self) -> "Settings":
        for experiment in ("director", "triangles"):
            for name, arm in self.arms(experiment).items():
                where = f"{experiment}.arms.{name}.testers"
                _refuse_repeated(where, arm.testers or ())
                for tester in arm.testers or ():
                    if tester not in self.testers:
                        raise ValueError(
                            f"{where} names {tester!r}, which is not among the testers. "
                            f"{nearest(tester, self.testers)}"
                        )
        return self

    @model_validator(mode="after")
    def _trials_for_windows(self) -> "Settings":
        arms = [*self.arms("director").values(), *self.arms("triangles").values()]
        most = max((arm.trials for arm in arms), default=1)
        if self.windows > most:
            raise ValueError(
                f"windows: {self.windows}, but no arm has more than {most} trials to divide over "
                "them; give an arm more trials, or the run fewer windows"
            )
        return self

    @model_validator(mode="after")
    def _testers_of_batches(self) -> "Settings":
        action = self.report_action
        if action is None or not self.action_testers:
            return self
        known = dict.fromkeys([*self.action_testers, *action.observers, *action.testers])
        for kind, entries in (("batches", action.batches), ("comparisons", action.comparisons)):
            for name, entry in entries.items():
                where = f"report_action.{kind}.{name}.testers"
                _refuse_repeated(where, entry.testers or ())
                for tester in entry.testers or ():
                    if tester not in known:
                        raise ValueError(
                            f"{where} names {tester!r}, which is not among the testers of "
                            f"report_action. {nearest(tester, known)}"
                        )
        return self

    @model_validator(mode="after")
    def _something_is_run(self) -> "Settings":
        if self.triangles is not None and self.director is None:
            raise ValueError(
                "triangles are configured, but `director` is null; their tables lay both tasks "
                "side by side. Configure it, or set `triangles: null` too"
            )
        if not self.experiments:
            raise ValueError("no experiment is configured, so that there is nothing to run")
        return self

    @model_validator(mode="after")
    def _judges_for_triangles(self) -> "Settings":
        if self.triangles is not None and not self.judges:
            raise ValueError(
                "triangles are configured, but no judge scores their descriptions; name at least "
                "one entry of the registry under `judges:`"
            )
        return self

    @model_validator(mode="after")
    def _ratings_of_triangles(self) -> "Settings":
        if self.triangles is None and self.rating is not None and self.rating.returned is not None:
            raise ValueError(
                "rating.returned names people's ratings, but no triangles are configured, whose "
                "descriptions they would be of; configure `triangles:`, or leave it out"
            )
        return self

    @property
    def judged(self) -> dict[str, list[str]]:
        """The arms of the animated triangles that are judged under each overlay."""
        arms = self.triangles.arms if self.triangles is not None else ()
        return {
            overlay: [arm for arm in arms if (only := OVERLAY_ARMS[overlay]) is None or arm in only]
            for overlay in self.judging.overlays
        }

    @property
    def battery(self) -> tuple[str, ...]:
        """The judges that score the exemplars: the panel's, flagships, candidates; or none."""
        if self.triangles is None or not self.judging.repetitions:
            return ()
        return (*self.judges, *self.judging.flagships, *self.judging.candidates)

    @property
    def judge_roles(self) -> dict[str, str]:
        """Of each judge of the battery: chosen (the panel's), flagship or candidate."""
        roles = dict.fromkeys(self.judging.flagships, "flagship")
        roles |= dict.fromkeys(self.judging.candidates, "candidate")
        return {judge: roles.get(judge, "chosen") for judge in self.battery}

    @property
    def asked_judges(self) -> tuple[str, ...]:
        """Every judge that is asked anything: of panel, battery, representations and traces."""
        return tuple(
            dict.fromkeys(
                [*self.judges, *self.battery, *self.representation_judges, *self.trace_coders]
            )
        )

    @property
    def trace_coders(self) -> tuple[str, ...]:
        """The coders of reasoning traces; nobody where report_action is not run."""
        if not self.action_testers or self.report_action.traces is None:
            return ()
        return self.report_action.traces.coders

    @property
    def traces_planned(self) -> int:
        """Traces that there are if every reply that is asked for comes with one."""
        study = self.report_action
        if not self.trace_coders:
            return 0
        chosen = study.traces.batches
        return sum(
            study.replies * len({*batch.conditions} & {*study.traces.conditions}) * scenes
            for tester in self.traced_testers
            for name in self.batches_of(tester)
            if chosen is None or name in chosen
            for batch in [study.batches[name]]
            for scenes in [sum(study.sets[scene_set] for scene_set in batch.sets)]
        )

    @property
    def traced_testers(self) -> tuple[str, ...]:
        """The testers whose traces are coded, of those that are asked report_action."""
        if not self.trace_coders:
            return ()
        chosen = self.report_action.traces.testers
        return tuple(slug for slug in self.action_testers if chosen is None or slug in chosen)


class CallSpec(Frozen):
    """What every call job is given of the configuration: its own model, its own endpoint."""

    model: ModelEntry
    endpoint: EndpointEntry
    window: int
    windows: int = 1
    seed: int
    allow_missing: bool
    calls: CallSettings

    @property
    def role(self) -> Literal["tester", "judge"]:
        """What the model is in this job."""
        raise NotImplementedError

    @property
    def slug(self) -> str:
        """The model's name in the registry and in paths."""
        raise NotImplementedError

    @property
    def topic(self) -> str:
        """What it is asked about: the name of its journal's streams, up to the window."""
        raise NotImplementedError

    @property
    def provenance(self) -> dict[str, Any]:
        """What each journal record says of its job."""
        raise NotImplementedError


class AskSpec(CallSpec):
    """The specification of a job that asks one tester."""

    tester: TesterSlug
    experiment: str
    arms: tuple[ArmSlug, ...] | None = None  # which of the items are asked; null: all
    batches: tuple[ArmSlug, ...] | None = None  # likewise

    def asks(self, item: Mapping[str, Any]) -> bool:
        """Whether this tester is asked an item (a row of ITEMS)."""
        return (self.arms is None or item["arm"] in self.arms) and (
            self.batches is None or item["batch"] in self.batches
        )

    @property
    def role(self) -> Literal["tester", "judge"]:
        """A tester."""
        return "tester"

    @property
    def slug(self) -> str:
        """The tester's."""
        return self.tester

    @property
    def topic(self) -> str:
        """The experiment."""
        return self.experiment

    @property
    def provenance(self) -> dict[str, Any]:
        """Tester, experiment, window."""
        return {"tester": self.tester, "experiment": self.experiment, "window": self.window}


class SeatSpec(CallSpec):
    """The specification of one model in one condition of the treasure game."""

    tester: TesterSlug
    pair: str
    condition: str

    @property
    def role(self) -> Literal["tester", "judge"]:
        """A tester."""
        return "tester"

    @property
    def slug(self) -> str:
        """The tester's."""
        return self.tester

    @property
    def topic(self) -> str:
        """The game, the pair and the condition."""
        return f"{MOSAIC}.{self.pair}.{self.condition}"

    @property
    def provenance(self) -> dict[str, Any]:
        """Tester, experiment, window; the pair is the stream's."""
        return {"tester": self.tester, "experiment": MOSAIC, "window": self.window}


class PlaySpec(Frozen):
    """The specification of a job in which one pair plays one condition.

    agents: those of the pair that are no model. models: of those that are, or that lend an agent
    their voice, each one's own entry and endpoint.
    """

    pair: MosaicPair
    condition: MosaicCondition
    seed: int
    allow_missing: bool
    kind: Literal["model", "observer"]
    game: MosaicSettings
    agents: dict[TesterSlug, MosaicAgent]
    models: dict[TesterSlug, SeatSpec]


class JudgeSpec(CallSpec):
    """The specification of a job in which one judge scores the descriptions of one arm.

    The model's sampling is what is sent: temperature 0, and a seed only where it judges several
    times.
    trials: verdicts on each description. expected: by condition, what the informed overlay tells.
    """

    judge: TesterSlug
    overlay: ArmSlug
    arm: ArmSlug
    reasks: int
    trials: int = Field(default=1, ge=1)
    expected: dict[str, str] = {}

    @property
    def role(self) -> Literal["tester", "judge"]:
        """A judge."""
        return "judge"

    @property
    def slug(self) -> str:
        """The judge's."""
        return self.judge

    @property
    def topic(self) -> str:
        """Overlay and arm; exemplars and representations have one of their own."""
        return self.arm if self.arm in REPEATED else f"{self.overlay}.{self.arm}"

    @property
    def provenance(self) -> dict[str, Any]:
        """Judge, overlay, window; the arm is the request's own."""
        return {"judge": self.judge, "overlay": self.overlay, "window": self.window}


def load_settings(source: str | Path | Mapping[str, Any]) -> Settings:
    """Settings from a YAML file, or from a mapping such as Snakemake's `config`.

    Raises BadConfig naming the key, what was expected and the nearest known key.
    """
    return _validated(Settings, _mapping(source), _name(source))


def load_layered(path: str | Path, base: str | Path = "config/config.yaml") -> Settings:
    """Settings of a configuration laid over the default one, as `snakemake --configfile` does.

    Mappings are merged key by key, everything else is replaced. Without a default there (or for
    the default itself) the file stands alone. Raises BadConfig.
    """
    content = _mapping(path)
    if Path(base).exists() and not Path(base).samefile(path):
        content = _laid_over(_mapping(base), content)
    return _validated(Settings, content, str(path))


def load_registry(settings: Settings, base: str | Path = ".") -> Registry:
    """The registry that a configuration names, which must hold every tester and judge.

    Raises BadConfig.
    """
    path = Path(base) / settings.models
    registry = _validated(Registry, _mapping(path), str(path))
    for role, slugs in (("tester", settings.asked_testers), ("judge", settings.asked_judges)):
        for slug in slugs:
            if slug not in registry.models:
                raise BadConfig(
                    f"{role} {slug!r} is not in {path}. {nearest(slug, registry.models)} "
                    "Add an entry for it under `models:`, or correct the name."
                )
    if settings.budget is not None:
        _refuse_unpriced(settings, registry, path)
    return registry


def _refuse_unpriced(settings: Settings, registry: Registry, path: Path) -> None:
    """A budget holds only where it is known what a call may cost."""
    slugs = (*settings.asked_testers, *settings.asked_judges)
    unpriced = [
        slug
        for slug, model in ((slug, registry.models[slug]) for slug in slugs)
        if model.price is None and registry.endpoints[model.endpoint].kind != "embedded"
    ]
    if unpriced:
        raise BadConfig(
            f"{path}: budget: {settings.budget:g} USD, but no price is given for "
            f"{', '.join(unpriced)}. Add `price:` with input_usd_per_mtok and "
            "output_usd_per_mtok to each entry (0 for a model of your own), or leave budget out."
        )


def ask_spec(
    settings: Settings, registry: Registry, tester: str, experiment: str, window: int
) -> AskSpec:
    """The specification of one call job."""
    model = registry.models[tester]
    return AskSpec(
        tester=tester,
        model=model,
        endpoint=registry.endpoints[model.endpoint],
        experiment=experiment,
        arms=settings.arms_of(tester, experiment),
        batches=settings.batches_of(tester) if experiment == REPORT_ACTION else None,
        window=window,
        windows=settings.windows_of(experiment),
        seed=settings.seed,
        allow_missing=settings.allow_missing,
        calls=settings.calls,
    )


def play_spec(settings: Settings, registry: Registry, pair: MosaicPair, condition: str) -> PlaySpec:
    """The specification of the job in which a pair plays a condition."""
    game = settings.mosaic
    models = settings.mosaic_models(pair)
    named = dict.fromkeys((pair.subject, pair.participant))
    return PlaySpec(
        pair=pair,
        condition=condition,
        seed=settings.seed,
        allow_missing=settings.allow_missing,
        kind=pair_kind(settings, registry, pair),
        # Of the game, what a trial rests on: who else plays it changes nothing.
        game=game.model_copy(
            update={
                "testers": (),
                "observers": (),
                "arms": {},
                "agents": {},
                "pairs": (),
                "ablations": (),
                "card": None,
            }
        ),
        agents={slug: game.agents[slug] for slug in named if slug in game.agents},
        models={
            slug: SeatSpec(
                tester=slug,
                pair=pair.name,
                condition=condition,
                model=(model := registry.models[slug]),
                endpoint=registry.endpoints[model.endpoint],
                window=1,
                seed=settings.seed,
                allow_missing=settings.allow_missing,
                calls=settings.calls,
            )
            for slug in models
        },
    )


def pair_kind(
    settings: Settings, registry: Registry, pair: MosaicPair
) -> Literal["model", "observer"]:
    """Model where any model plays or speaks in a pair, else observer."""
    kinds = {registry.models[slug].kind for slug in settings.mosaic_models(pair)}
    return "model" if "model" in kinds else "observer"


def judge_spec(
    settings: Settings, registry: Registry, judge: str, overlay: str, arm: str
) -> JudgeSpec:
    """The specification of one verdict job."""
    model = registry.models[judge]
    sampling = model.sampling.model_copy(update={"temperature": 0.0, "send_seed": False})
    return JudgeSpec(
        judge=judge,
        model=model.model_copy(update={"sampling": sampling}),
        endpoint=registry.endpoints[model.endpoint],
        overlay=overlay,
        arm=arm,
        reasks=settings.judging.reasks,
        expected=expected_intent() if overlay == "informed" else {},
        window=1,
        seed=settings.seed,
        allow_missing=settings.allow_missing,
        calls=settings.calls,
    )


def exemplar_spec(settings: Settings, registry: Registry, judge: str) -> JudgeSpec:
    """The specification of the job in which one judge scores the exemplars."""
    repetitions = settings.judging.repetitions
    return _repeated_spec(settings, registry, judge, EXEMPLARS, repetitions)


def representation_spec(settings: Settings, registry: Registry, judge: str) -> JudgeSpec:
    """The specification of the job in which one judge scores what is said of representations."""
    study = settings.representations
    repetitions = study.repetitions if study is not None else 1
    return _repeated_spec(settings, registry, judge, REPRESENTATIONS, repetitions)


def coder_spec(settings: Settings, registry: Registry, coder: str, topic: str) -> JudgeSpec:
    """The specification of the job in which one coder reads traces. topic: of TRACE_TOPICS.

    Codings of one trace differ by their seed where the registry entry sends seeds.
    """
    spec = _repeated_spec(settings, registry, coder, topic, 1)
    return spec.model_copy(update={"overlay": TRACES})


def _repeated_spec(
    settings: Settings, registry: Registry, judge: str, arm: str, repetitions: int
) -> JudgeSpec:
    """As a verdict job under the blinded overlay, but that each repetition sends its own seed.

    That is where the registry entry sends seeds: a gateway that answers equal requests from a
    cache would repeat one verdict.
    """
    spec = judge_spec(settings, registry, judge, "blinded", arm)
    send_seed = registry.models[judge].sampling.send_seed
    sampling = spec.model.sampling.model_copy(update={"send_seed": send_seed})
    model = spec.model.model_copy(update={"sampling": sampling})
    return spec.model_copy(update={"model": model, "trials": repetitions})


def expected_intent(path: str | Path = REFERENCES) -> dict[str, str]:
    """The range of whole levels about the TD-adult Intentionality mean, by condition: "4 to 5".

    A whole mean is its own range: "4". Raises BadConfig for a file without such a mean.
    """
    expected = {}
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            named = (row["group"], row["task"], row["measure"])
            if named == ("TD-adult", "triangles", "intent"):
                mean = Fraction(row["value"])
                low, high = math.floor(mean), math.ceil(mean)
                expected[row["condition"]] = str(low) if low == high else f"{low} to {high}"
    if not expected:
        raise BadConfig(
            f"{path}: no Intentionality mean of TD-adult, which the overlay `informed` tells; add "
            "rows with task triangles and measure intent, or leave the overlay out."
        )
    return expected


def window_trials(trials: int, window: int, windows: int) -> range:
    """The trials (from 1) that fall into a window (from 1): in order, as evenly as they go."""
    first, after = ((w * trials + windows - 1) // windows for w in (window - 1, window))
    return range(first + 1, after + 1)


def _laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = _laid_over(below, value)
        merged[key] = value
    return merged


def _mapping(source: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    try:
        content = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadConfig(
            f"{source}: no such file. Give the path of a YAML configuration."
        ) from error
    except yaml.YAMLError as error:
        raise BadConfig(f"{source}: not valid YAML: {error}") from error
    if not isinstance(content, Mapping):
        raise BadConfig(f"{source}: expected keys and values, found {type(content).__name__}.")
    return content


def _name(source: str | Path | Mapping[str, Any]) -> str:
    return "the configuration" if isinstance(source, Mapping) else str(source)


def _validated(kind: type[Frozen], content: Mapping[str, Any], name: str) -> Any:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        problems = "\n".join(f"  {_problem(kind, detail)}" for detail in error.errors())
        raise BadConfig(f"{name} cannot be used:\n{problems}") from error


def _problem(kind: type[BaseModel], detail: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "(top level)"
    if detail["type"] == "extra_forbidden":
        known = _keys_at(kind, detail["loc"])
        return f"{where}: unknown key. {nearest(str(detail['loc'][-1]), known)}"
    # A key that was written where its variable's name belongs is not repeated.
    silent = detail["type"] == "missing" or "api_key_env" in detail["loc"]
    found = "" if silent else f" (found {detail['input']!r})"
    return f"{where}: {detail['msg'].removeprefix('Value error, ')}{found}"


def _keys_at(kind: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """Known keys beside the one at this location, found by walking the models' annotations."""
    for part in location[:-1]:
        field = kind.model_fields.get(str(part)) if issubclass(kind, BaseModel) else None
        inner = _models_in(field.annotation) if field is not None else [kind]
        if inner:
            kind = inner[0]
    return list(kind.model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
