"""The loopback server in a process of its own; a line on its stdin has it print what it saw.

`python -m benchmarks.server --latency 0.2 [--pause-after 100 --pause 3] [--fault-rate 0.1]`: the
first line printed is the base URL, every further one an answer to a line of stdin, as JSON. The
span runs from the first request in to the last reply out.
"""

import argparse
import itertools
import json
import sys
from typing import Any

from tests.loopback.server import MIXED, Fault, LoopbackServer, completion


def main() -> None:
    """Serve until stdin ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    parser.add_argument("--pause-after", type=int, help="this many requests, one 429")
    parser.add_argument("--pause", type=float, default=3.0, help="its Retry-After in seconds")
    parser.add_argument("--fault-rate", type=float, default=0.0, help="of mixed passing faults")
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    parser.add_argument("--on-its-way", type=float, default=0.1, help="see LoopbackServer")
    options = parser.parse_args()
    script: list[Fault | None] = []
    if options.pause_after is not None:
        refusal = Fault(429, headers={"Retry-After": f"{options.pause:g}"})
        script = [None] * options.pause_after + [refusal]
    numbers = itertools.count(1)

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        server.stats.received.clear()  # 80 kB a request; nothing here reads them
        return completion(body, f"Answer: {next(numbers)}")

    with LoopbackServer(
        answer,
        latency_s=options.latency,
        script=script,
        faults=MIXED,
        fault_rate=options.fault_rate,
        seed=options.seed,
        on_its_way_s=options.on_its_way,
    ) as server:
        print(server.base_url, flush=True)
        for _ in sys.stdin:
            print(json.dumps(server.stats.as_json()), flush=True)


if __name__ == "__main__":
    main()
