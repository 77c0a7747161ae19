"""The treasure game: who plays it, and by which rules."""

from typing import Annotated, Literal, get_args

from pydantic import (
    Field,
    field_validator,
    model_validator,
)

from vlmtom.settings.base import Frozen, TesterSlug, refuse_repeated, refuse_unknown, without_nulls

MOSAIC = "mosaic"
MosaicArm = Literal["standard", "blank", "face", "none"]
MosaicCondition = Literal["coop-tom0", "coop-tom1", "comp-tom0", "comp-tom1"]
MOSAIC_CONDITIONS: tuple[MosaicCondition, ...] = get_args(MosaicCondition)


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
        from vlmtom.mosaic.world import DIRECTIONS  # of which no other run needs anything

        refuse_unknown("direction", [value], DIRECTIONS)
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
    """The trial that is drawn as a card and as a film, where its pair plays."""

    subject: TesterSlug
    participant: TesterSlug
    arm: MosaicArm = "standard"
    condition: MosaicCondition = "comp-tom1"
    trial: int = Field(default=1, ge=1)


class MosaicSettings(Frozen):
    """The treasure game: who plays it, how often, by which rules."""

    # Who plays itself, of the registry: in the panel or not.
    testers: tuple[TesterSlug, ...] = ()
    # Likewise, but only where one of them is in the panel; pairs of agents that come along play
    # only then: they do not follow a configuration that is laid over the default one.
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
    printed: dict[str, str] = {}  # by a model's name in the paper, the pair that stands for it

    _left_out = field_validator("arms", "agents", mode="before")(without_nulls)

    @model_validator(mode="after")
    def _names_known(self) -> "MosaicSettings":
        refuse_repeated("testers", self.testers)
        refuse_repeated("observers", self.observers)
        refuse_repeated("ablations", self.ablations)
        refuse_repeated("pairs", [pair.name for pair in self.pairs])
        refuse_unknown("agent", self.ablations, self.agents)
        refuse_unknown("tester of the game", self.arms, [*self.testers, *self.observers])
        if self.card is not None and self.card.trial > self.trials:
            raise ValueError(
                f"the card shows trial {self.card.trial}, but there are {self.trials} of each "
                "condition; name one of them"
            )
        both = sorted({*self.agents} & {*self.testers, *self.observers})
        if both:
            raise ValueError(
                f"{', '.join(both)} is an agent that comes along and a tester of the registry; "
                "give the agent another name"
            )
        return self
