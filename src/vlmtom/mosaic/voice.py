"""An agent that acts by itself and has a model speak and listen for it.

As in the paper's reference architecture (appendix A): beliefs go to the model as triples, and what
it says of them comes back as steps of preferences; everything else stays the agent's own.
"""

from typing import Any

from vlmtom.mosaic.agent import Agent, Decision, Heard, Moment, Utterance


class Voiced:
    """acts: the agent. speaks: the model's seat in the same role."""

    def __init__(self, acts: Agent, speaks: Agent) -> None:
        self._acts, self._speaks = acts, speaks
        self.stance = acts.stance

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Those of the model."""
        return self._speaks.calls

    async def act(self, moment: Moment) -> Decision:
        """As the agent does."""
        return await self._acts.act(moment)

    async def speak(self, moment: Moment) -> Utterance:
        """As the model does."""
        return await self._speaks.speak(moment)

    async def listen(self, moment: Moment) -> Heard:
        """As the model does."""
        return await self._speaks.listen(moment)
