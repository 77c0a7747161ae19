"""The reference agent: sees, feels, reads the other, plans, and speaks.

It perceives a Moment: both bodies, its own beliefs, the last utterance. All that it believes is in
those beliefs. The interaction mode reaches it only as its own liking of the other, and no term of
what it minimises asks for deception. Source: MOSAIC paper, appendix A; docs/mosaic.md.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vlmtom.mosaic.agent import Decision, Heard, Moment, NoCalls, Utterance
from vlmtom.mosaic.beliefs import INDIFFERENT, Attitude
from vlmtom.mosaic.pcm import policies, reader, speech
from vlmtom.mosaic.pcm.appraisal import (
    Likings,
    appraise,
    free_energy,
    likings,
    perceived_valence,
    shown,
    value,
)
from vlmtom.mosaic.pcm.field import Pose
from vlmtom.mosaic.pcm.policies import FIRSTS, WILLS, Option
from vlmtom.mosaic.pcm.settings import PCMSettings
from vlmtom.mosaic.world import (
    START,
    Action,
    Body,
    Frame,
    Role,
    direction_of,
    frame_heading,
    opposite,
)

CHOICES = len(FIRSTS) * len(WILLS)
LEANING = 0.5  # log odds from which a participant asks about the box it leans to


class PCMAgent(NoCalls):
    """One role in one trial.

    rng: every decision of an action takes one normal draw and CHOICES Gumbel draws from it, in the
    order of FIRSTS and, within, of WILLS; every statement one Gumbel draw for each of STATEMENTS.
    """

    def __init__(
        self,
        role: Role,
        rng: np.random.Generator,
        frame: Frame = "heading",
        settings: PCMSettings | None = None,
    ) -> None:
        self._settings = settings or PCMSettings()
        super().__init__(stance=self._settings.stance)
        self._role, self._rng, self._frame = role, rng, frame
        self._rules, self._other_rules = self._rules_of(role), self._rules_of(opposite(role))
        # What it said since it last acted: no part of its beliefs yet, as speaking changes none.
        self._said: str | None = None

    async def act(self, moment: Moment) -> Decision:
        """The first action of the best policy, but for chance; replanned in every round."""
        noise = self._settings.noise * float(self._rng.standard_normal())
        own, theirs = self._read(moment, noise)
        liked = likings(own)
        options = self._options(moment, liked, theirs)
        option = self._drawn(options)
        mine, other = moment.state.body(self._role), moment.state.other(self._role)
        felt = appraise(option.pose, other.cell, liked).felt
        face, skin = shown(felt, option.will)
        if self._order(moment):
            odds = option.odds
            theirs = replace(theirs, dark=reader.probability(odds), light=reader.probability(-odds))
        return Decision(
            Action(option.first.kind, self._direction(option, mine), face, skin, felt), own, theirs
        )

    async def speak(self, moment: Moment) -> Utterance:
        """The participant asks about the box it leans to; the subject says what costs it least."""
        if not self._settings.verbal:
            return Utterance("")
        if self._role == "participant":
            odds = reader.log_odds(moment.beliefs.own)
            box = None if abs(odds) < LEANING else "dark" if odds > 0 else "light"
            return Utterance(speech.asked(box))
        costs = [self._cost_of_saying(moment, box) for box in speech.STATEMENTS]
        box = speech.STATEMENTS[self._drawn_index(costs, range(len(costs)), len(costs))]
        # Of order 0 there is no listener's mind for it to be in.
        self._said = box if self._order(moment) else None
        return Utterance(speech.told(box))

    async def listen(self, moment: Moment) -> Heard:
        """What a clear statement about a box changes; questions change nothing."""
        return Heard(speech.updates(moment.heard or "", opposite(self._role)))

    def _order(self, moment: Moment) -> int:
        return moment.beliefs.subject_tom if self._role == "subject" else 0

    def _rules_of(self, role: Role) -> policies.Rules:
        home = START[role][1] if self._frame == "home" else None
        return policies.Rules(home, self._settings.horizon, self._settings.epistemic)

    def _read(self, moment: Moment, noise: float) -> tuple[Attitude, Attitude]:
        """Its own preferences and the other's as it takes them, after a look at the other.

        The participant takes what it reads for what the subject likes, and likes it too. A subject
        of order 1 counts what it said as taken in.
        """
        own, theirs = moment.beliefs.own, moment.beliefs.theirs
        if self._role == "participant":
            other = moment.state.other(self._role)
            valence = noise + perceived_valence(
                other.facial, other.physiological, self._settings.sensitivity
            )
            added = reader.evidence(_pose(other), valence)
            return reader.shifted(own, added), reader.shifted(theirs, added)
        theirs, self._said = self._persuaded(theirs, self._said), None
        return own, theirs

    def _persuaded(self, theirs: Attitude, box: str | None) -> Attitude:
        return theirs if box is None else theirs.moved(box, 1.0, self._settings.persuasion)

    def _options(self, moment: Moment, liked: Likings, theirs: Attitude) -> list[Option]:
        state = moment.state
        mine, other = _pose(state.body(self._role)), _pose(state.other(self._role))
        if not self._order(moment):
            return policies.alone(mine, other.cell, liked, self._rules)
        onlooker = policies.Onlooker(
            other, reader.log_odds(theirs), self._settings.modelled_sensitivity, self._other_rules
        )
        return policies.watched(mine, onlooker, liked, self._rules, self._settings.effort)

    def _cost_of_saying(self, moment: Moment, box: str | None) -> float:
        """Expected free energy of a statement.

        Order 0: of having the box, or nothing in particular, fill the field, as what one speaks of
        does; of its effect on the listener such an agent knows nothing. Order 1: what the words do
        by themselves, so of the best policy without a face put on, with a listener who took them
        in; and the effort of words that are put on as a face is: all of it for the box that is
        liked less, half for neither.
        """
        own = moment.beliefs.own
        liking = INDIFFERENT if box is None else getattr(own, box)
        if not self._order(moment):
            return free_energy(value(1.0, liking))
        theirs = self._persuaded(moment.beliefs.theirs, box)
        options = self._options(moment, likings(own), theirs)
        least = min(option.cost for option in options if not option.will)
        put_on = 0.5 if box is None else float(liking < max(own.dark, own.light))
        return least + self._settings.effort * put_on

    def _drawn(self, options: list[Option]) -> Option:
        places = [
            FIRSTS.index(option.first) * len(WILLS) + WILLS.index(option.will) for option in options
        ]
        return options[self._drawn_index([option.cost for option in options], places, CHOICES)]

    def _drawn_index(self, costs: Sequence[float], places: Sequence[int], draws: int) -> int:
        """An index drawn by softmax of -cost / temperature, by the Gumbel-max trick.

        Each choice has a draw of its own at a fixed place, taken whether it is open or not: the
        mirrored game needs just the same draws at mirrored places.
        """
        luck = self._rng.gumbel(size=draws)
        temperature = self._settings.temperature
        scores = [
            luck[place] - cost / temperature for cost, place in zip(costs, places, strict=True)
        ]
        return int(np.argmax(scores))

    def _direction(self, option: Option, body: Body) -> str | None:
        first = option.first
        if first.kind == "move":
            return direction_of(first.towards, frame_heading(self._role, body.heading, self._frame))
        return first.towards


def _pose(body: Body) -> Pose:
    return Pose(body.cell, body.heading)
