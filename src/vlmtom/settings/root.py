"""One configuration as a whole, and what follows from it."""

from collections.abc import Mapping

from pydantic import (
    Field,
    model_validator,
)

from vlmtom.settings.base import Frozen, TesterSlug, nearest, refuse_repeated, refuse_unknown
from vlmtom.settings.cross_task import (
    OVERLAY_ARMS,
    REPRESENTATIONS,
    DirectorArm,
    DirectorSettings,
    JudgingSettings,
    RatingSettings,
    ReleaseSettings,
    RepresentationArm,
    RepresentationsSettings,
    TrianglesArm,
    TrianglesSettings,
)
from vlmtom.settings.mosaic import MOSAIC, MosaicPair, MosaicSettings
from vlmtom.settings.registry import CallSettings
from vlmtom.settings.report_action import REPORT_ACTION, ReportActionSettings

OWN_TESTERS = (REPRESENTATIONS, REPORT_ACTION, MOSAIC)  # experiments that name their own testers


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
        refuse_repeated("testers", self.testers)
        refuse_repeated("judges", self.judges)
        beyond = (*self.judging.flagships, *self.judging.candidates)
        refuse_repeated("judges, judging.flagships and judging.candidates", [*self.judges, *beyond])
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
        named = [pair for pair in game.pairs if present or self.mosaic_models(pair)]
        if not alone and not named:
            return ()
        # Beside models the reference agent plays; what is taken from it, with the observers alone.
        agents = game.ablations if present else game.ablations[:1]
        pairs = [
            *(MosaicPair(subject=slug, participant=slug) for slug in agents),
            *named,
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
            refuse_unknown(
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
                refuse_repeated(where, arm.testers or ())
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
                refuse_repeated(where, entry.testers or ())
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
