"""What a picture of the treasure game costs: `python -m benchmarks.view`.

CPU seconds of one thread to draw a first-person view and to make its PNG file, as a job does for
every action; the median and the worst of states from whole walks through the room.
"""

import json
import platform
import random
import statistics
import time

from vlmtom.mosaic.view import ARMS, picture
from vlmtom.mosaic.world import DIRECTIONS, ROLES, Action, PublicState, act, start
from vlmtom.rendering.pixels import plain_png

AT_MOST_S = 0.06
TRIALS, ROUNDS = 10, 10


def walks(seed: int) -> list[PublicState]:
    """States of trials in which both agents move, turn and make faces at random."""
    drawn, states = random.Random(seed), []
    for _ in range(TRIALS):
        state = start()
        for _ in range(ROUNDS):
            for role in ROLES:
                shown = [drawn.uniform(-1, 1) for _ in range(2)]
                kind = drawn.choice(("move", "move", "rotate"))
                of = DIRECTIONS if kind == "move" else ("other", "dark", "light")
                action = Action(kind, drawn.choice(of), *shown)
                state = act(state, role, action).state
                states.append(state)
    return states


def measured(arm: str) -> dict[str, float]:
    """CPU seconds and bytes of all pictures of an arm, drawn once each."""
    costs, sizes = [], []
    for state in walks(7):
        for role in ROLES:
            before = time.process_time()
            file = plain_png(picture(state, role, arm))
            costs.append(time.process_time() - before)
            sizes.append(len(file))
    return {
        "median_cpu_s": round(statistics.median(costs), 4),
        "p95_cpu_s": round(statistics.quantiles(costs, n=20)[-1], 4),
        "worst_cpu_s": round(max(costs), 4),
        "median_bytes": statistics.median(sizes),
        "pictures": len(costs),
    }


if __name__ == "__main__":
    figures = {arm: measured(arm) for arm in ARMS if arm != "none"}
    slowest = max(f["median_cpu_s"] for f in figures.values())
    verdict = "met" if slowest <= AT_MOST_S else "NOT met"
    print(json.dumps({"machine": platform.machine(), "at_most_s": AT_MOST_S, **figures}, indent=1))
    print(f"median at most {AT_MOST_S} CPU s a picture: {verdict}")
