"""What can be set of the reference agent; everything else about it is a constant of its module."""

from dataclasses import dataclass, field

from vlmtom.mosaic.beliefs import Stance


@dataclass(frozen=True)
class PCMSettings:
    """One agent's settings. None of them knows a condition.

    horizon: steps that a policy looks ahead, from 1. effort: cost of a voluntary face, and
    epistemic: cost of not seeing the other at all, both in bits of free energy. sensitivity: share
    of the skin, against the face, in the valence that it reads from the other, 0 to 1;
    modelled_sensitivity: the share that it takes the other to read with. noise: standard deviation
    of what it reads. temperature: of the choice among first actions, in bits. persuasion: the
    share of the way that it takes an utterance to move its listener. verbal: whether it speaks.
    Source: docs/mosaic.md, with what each of them does to the results.
    """

    horizon: int = 3
    effort: float = 0.2
    epistemic: float = 0.4
    sensitivity: float = 0.25
    modelled_sensitivity: float = 0.25
    noise: float = 0.06
    temperature: float = 0.05
    persuasion: float = 0.5
    verbal: bool = True
    stance: Stance = field(default_factory=Stance)
