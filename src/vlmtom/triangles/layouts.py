"""In which representations clips are shown, and what a tester is asked about each.

A representation is one entry of REPRESENTATIONS and its name in the settings. Its prompt says what
is shown and shares all else with the sheet's. Source: cross-task paper, Appendix L.
"""

from dataclasses import dataclass
from typing import Literal

from vlmtom.triangles.prompts import VIDEO, grid_prompt, sequence_prompt

Family = Literal["video", "sequence", "grid_320x240", "grid_native"]


@dataclass(frozen=True)
class Representation:
    """How a clip is shown. rows, columns: of a grid's cells; pictures in a row are a sequence.

    The names grid_RxC are read as of a matrix: so many rows of so many columns.
    """

    family: Family
    rows: int = 0
    columns: int = 0

    @property
    def frames(self) -> int:
        """How many frames are shown; 0 for a film, which is shown whole."""
        return self.rows * self.columns

    @property
    def prompt(self) -> str:
        """What a tester is asked."""
        if self.family == "video":
            return VIDEO
        if self.family == "sequence":
            return sequence_prompt(self.frames)
        return grid_prompt(self.rows, self.columns)


REPRESENTATIONS: dict[str, Representation] = {
    "native_video": Representation("video"),
    "frames_16": Representation("sequence", 1, 16),
    "frames_32": Representation("sequence", 1, 32),
    "frames_64": Representation("sequence", 1, 64),
    "grid_4x4": Representation("grid_320x240", 4, 4),
    "grid_4x8": Representation("grid_320x240", 4, 8),
    "grid_8x8": Representation("grid_320x240", 8, 8),
    "grid_4x4_fullres": Representation("grid_native", 4, 4),
    "grid_8x8_fullres": Representation("grid_native", 8, 8),
}
FAMILIES: dict[str, str] = {name: one.family for name, one in REPRESENTATIONS.items()}
