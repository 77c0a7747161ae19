"""Where the blocks of a scene stand: drawn at random, redrawn until every gate holds."""

from dataclasses import dataclass

import numpy as np

from vlmtom.tabletop.scene import Block, Scene, Side
from vlmtom.tabletop.visibility import GATES, Gates, inspect, violations

MAX_DRAWS = 40

# Cubes by rank, smallest first, and columns from the tester's left to right; metres.
SIZES_M: dict[int, tuple[float, ...]] = {
    3: (0.13, 0.185, 0.25),
    4: (0.11, 0.155, 0.205, 0.265),
}
COLUMNS_M: dict[int, tuple[float, ...]] = {
    3: (-0.44, 0.0, 0.44),
    4: (-0.56, -0.17, 0.17, 0.56),
}
# Whole millimetres, so that a position is the same number on every machine.
ROW_MM = (-140, -20)
COLUMN_JITTER_MM = (-15, 15)


class UnsolvableScene(RuntimeError):
    """No draw of a scene satisfied the gates; the message says what failed in the last one."""


@dataclass(frozen=True)
class SceneSpec:
    """A scene before its positions are drawn. One entry per block, the tester's left to right."""

    labels: tuple[str, ...]
    colors: tuple[str, ...]
    size_ranks: tuple[int, ...]  # 0 is the smallest
    hidden: int | None  # position of the block that the partition stands behind
    partition: bool = True
    director: Side = "far"
    rows_mm: tuple[int, int] = ROW_MM  # how near to the tester and how far a block may stand

    def __post_init__(self) -> None:
        k = len(self.labels)
        if k not in SIZES_M:
            raise ValueError(f"a scene has {' or '.join(map(str, SIZES_M))} blocks, not {k}")
        if len(self.colors) != k or sorted(self.size_ranks) != list(range(k)):
            raise ValueError(
                f"{k} labels {self.labels} need {k} colours and the ranks 0 to {k - 1}, "
                f"not {self.colors} and {self.size_ranks}"
            )
        if len(set(self.labels)) < k or len(set(self.colors)) < k:
            raise ValueError(f"labels and colours must differ: {self.labels}, {self.colors}")


def propose(spec: SceneSpec, rng: np.random.Generator) -> Scene:
    """One draw of the positions, unchecked. Always takes the same count of random numbers."""
    k = len(spec.labels)
    rows = rng.integers(*spec.rows_mm, size=k, endpoint=True)
    jitter = rng.integers(*COLUMN_JITTER_MM, size=k, endpoint=True)
    blocks = tuple(
        Block(
            label=spec.labels[i],
            color=spec.colors[i],
            size_m=SIZES_M[k][spec.size_ranks[i]],
            x_m=round(COLUMNS_M[k][i] + int(jitter[i]) / 1000, 3),
            y_m=int(rows[i]) / 1000,
        )
        for i in range(k)
    )
    return Scene(blocks, spec.hidden, spec.partition, spec.director)


def draw_scene(
    spec: SceneSpec,
    rng: np.random.Generator,
    gates: Gates = GATES,
    same_size_order: bool = True,
) -> Scene:
    """The first draw that has no violations.

    Raises UnsolvableScene after MAX_DRAWS draws. `inspect` of the scene returned costs nothing:
    its facts are remembered.
    """
    reasons: list[str] = []
    for _ in range(MAX_DRAWS):
        scene = propose(spec, rng)
        reasons = violations(scene, inspect(scene), gates, same_size_order)
        if not reasons:
            return scene
    raise UnsolvableScene(
        f"no valid scene in {MAX_DRAWS} draws of {spec}; the last one failed because "
        + "; ".join(reasons)
        + ". Change the spec or the gates."
    )
