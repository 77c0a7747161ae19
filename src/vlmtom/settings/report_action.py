"""Report before action: scene sets, batches, comparisons, and the reading of traces."""

from typing import Annotated

from pydantic import (
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from vlmtom.settings.base import (
    ArmSlug,
    Frozen,
    TesterSlug,
    nearest,
    refuse_repeated,
    refuse_unknown,
    without_nulls,
)

# The experiment that asks whether a report changes the choice, and its scene sets.
REPORT_ACTION = "report_action"
SCENE_SETS = ("main", "rotated", "rearranged")
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
        refuse_repeated("conditions", self.conditions)
        refuse_repeated("sets", self.sets)
        refuse_unknown("scene set", self.sets, SCENE_SETS)
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
        refuse_unknown("scene set", [self.scene_set], SCENE_SETS)
        refuse_unknown("measure", [self.measure], ACTION_MEASURES)
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
            refuse_repeated(what, names)
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

    _left_out = field_validator("sets", "batches", "comparisons", mode="before")(without_nulls)

    @model_validator(mode="after")
    def _names_known(self) -> "ReportActionSettings":
        refuse_unknown("scene set", self.sets, SCENE_SETS)
        refuse_repeated("testers", self.testers)
        refuse_repeated("observers", self.observers)
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
            refuse_unknown("batch", self.traces.batches or (), self.batches)
            traced = self.traces.batches or tuple(self.batches)
            asked = [slug for name in traced for slug in self.batches[name].conditions]
            refuse_unknown("asked condition", self.traces.conditions, dict.fromkeys(asked))
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
