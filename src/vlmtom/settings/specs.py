"""What each call job is given of the configuration: its own model, its own endpoint."""

import csv
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    Field,
)

from vlmtom.errors import BadConfig
from vlmtom.settings.base import ArmSlug, Frozen, TesterSlug
from vlmtom.settings.cross_task import EXEMPLARS, REFERENCES, REPEATED, REPRESENTATIONS
from vlmtom.settings.mosaic import MOSAIC, MosaicAgent, MosaicCondition, MosaicPair, MosaicSettings
from vlmtom.settings.registry import CallSettings, EndpointEntry, ModelEntry, Registry
from vlmtom.settings.report_action import REPORT_ACTION, TRACES
from vlmtom.settings.root import Settings


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
    kind: Literal["model", "observer", "mixed"]
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
) -> Literal["model", "observer", "mixed"]:
    """Model where both agents of a pair are models, observer where none is, and mixed between.

    An agent with a stated policy for which a model only speaks is no model.
    """
    asked = settings.mosaic_models(pair)
    if not any(registry.models[slug].kind == "model" for slug in asked):
        return "observer"
    seats = (pair.subject, pair.participant)
    models = all(slug in asked and registry.models[slug].kind == "model" for slug in seats)
    return "model" if models else "mixed"


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
