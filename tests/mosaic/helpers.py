"""Jobs of the game as processes of their own, and models that play it by chance."""

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.loopback.server import completion
from vlmtom.settings import (
    CallSettings,
    EndpointEntry,
    ModelEntry,
    MosaicAgent,
    MosaicPair,
    MosaicSettings,
    PlaySpec,
    SeatSpec,
)
from vlmtom.store import read_rows, schemas

SCHEMAS = {
    "trials": schemas.MOSAIC_TRIALS,
    "steps": schemas.MOSAIC_STEPS,
    "utterances": schemas.MOSAIC_UTTERANCES,
    "calls": schemas.MOSAIC_CALLS,
}
OF_THE_CLOCK = ("started_utc", "duration_s", "attempts")
MOVES = ("forward", "left forward", "right forward", "right", "left", "backward")
BROKEN = ("I cannot say.", 'Output: {"Move": ', "Output: {}", "")


def play_spec(
    pair: MosaicPair,
    condition: str = "comp-tom1",
    *,
    models: Mapping[str, str] | None = None,
    agents: Mapping[str, MosaicAgent] | None = None,
    seed: int = 7,
    allow_missing: bool = False,
    concurrency: int = 8,
    calls: Mapping[str, Any] | None = None,
    **game: Any,
) -> PlaySpec:
    """The specification of a job. models: the base URL of each model's server, by its slug."""
    calls = CallSettings(**{"backoff_s": 0.01, "max_backoff_s": 0.05, **(calls or {})})
    seats = {}
    for slug, url in (models or {}).items():
        embedded = not url
        endpoint = EndpointEntry(
            kind="embedded" if embedded else "openai", base_url=None if embedded else url
        )
        model = ModelEntry(
            endpoint=f"server-{slug}",
            kind="observer" if embedded else "model",
            gateway_model=slug if embedded else f"vendor/{slug}",
            family="f",
            lab="l",
            probe=False,
            concurrency=concurrency,
        )
        seats[slug] = SeatSpec(
            tester=slug,
            pair=pair.name,
            condition=condition,
            model=model,
            endpoint=endpoint,
            window=1,
            seed=seed,
            allow_missing=allow_missing,
            calls=calls,
        )
    return PlaySpec(
        pair=pair,
        condition=condition,
        seed=seed,
        allow_missing=allow_missing,
        kind="model" if any(m.model.kind == "model" for m in seats.values()) else "observer",
        game=MosaicSettings(**{"trials": 2, **game}),
        agents=dict(agents or {}),
        models=seats,
    )


def command(folder: Path, spec: PlaySpec) -> list[str]:
    """The job's command line; its tables are in `folder`, its journals in folder/replies."""
    folder.mkdir(exist_ok=True)
    file = folder / "spec.json"
    file.write_text(spec.model_dump_json(), encoding="utf-8")
    tables = [part for name in SCHEMAS for part in (f"--{name}", str(folder / f"{name}.parquet"))]
    places = ["--replies", str(folder / "replies"), "--spec", str(file)]
    return [sys.executable, "-m", "vlmtom.jobs.play", *tables, *places]


def job(folder: Path, spec: PlaySpec, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the job to its end."""
    return subprocess.run(
        [*command(folder, spec), *options],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )


def logs(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The four tables, without what the clock says."""
    return {
        name: [
            {key: value for key, value in row.items() if key not in OF_THE_CLOCK}
            for row in read_rows(folder / f"{name}.parquet", schema)
        ]
        for name, schema in SCHEMAS.items()
    }


def by_chance(body: Mapping[str, Any]) -> dict[str, Any]:
    """A model that plays by chance, drawn from the whole request; a tenth cannot be read."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    rng = random.Random(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest())
    said = rng.choice(BROKEN) if rng.random() < 0.1 else _played(text, rng)
    return completion(body, said)


def _played(text: str, rng: random.Random) -> str:
    box = rng.choice(("dark", "light"))
    if "MUST follow the valid JSON" in text:
        share = round(rng.random(), 2)
        emotion = {"positive": share, "negative": round(rng.random(), 2)}
        move = {"action": "move", "direction": rng.choice(MOVES)}
        if rng.random() < 0.2:
            move = {"action": "rotate", "direction": f"{box.capitalize()} brown box"}
        output = {
            "Preference": {"Dark brown box": share, "Light brown box": -share},
            "Emotion": {
                "FacialExpression": emotion,
                "PhysiologicalExpression": emotion,
                "FeltExpression": emotion,
            },
            "Move": move,
        }
        return f"Reasoning: I move to the {box} brown box.\nOutput: {json.dumps(output)}"
    if "Inner speech" in text:
        return f"Inner speech: Let me think.\nOutput: It is the {box} brown box, I believe."
    return f"Updating: 'Participant | preference towards {box} brown box | more positive'"
