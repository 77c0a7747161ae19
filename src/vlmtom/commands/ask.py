"""`vlmtom ask`: a user's own items are asked as the workflow asks its own.

Beside the file that is wanted lies a folder with the items, the pictures, the specification and the
journal. The asking itself is the call job, as a child process behind its wall.
"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from vlmtom.calls import Request, history_of, planned, still_open
from vlmtom.commands.ask_items import (
    EXPERIMENT,
    MOST_TRIALS,
    Row,
    Shown,
    decoded_before,
    read_items,
)
from vlmtom.commands.progress import Sum
from vlmtom.errors import BadConfig, BadData, FileExists
from vlmtom.settings import AskSpec
from vlmtom.store.files import csv_bytes, read_rows, write_bytes, write_output, write_rows
from vlmtom.store.journal import streams_kept
from vlmtom.store.schemas import FILMS, ITEMS, PICTURES, REPLIES

POLL_S = 0.2
GRACE_S = 0.5  # Ctrl-C reaches the child by itself: only then is a signal passed on
_OPTIONS = {
    ("endpoint", "base_url"): "--base-url",
    ("endpoint", "api_key_env"): "--api-key-env",
    ("model", "concurrency"): "--concurrency",
    ("model", "sampling", "temperature"): "--temperature",
    ("model", "sampling", "max_tokens"): "--max-tokens",
    ("model", "price", "input_usd_per_mtok"): "--price-in",
    ("model", "price", "output_usd_per_mtok"): "--price-out",
    ("model", "gateway_model"): "--model",
    ("seed",): "--seed",
}


@dataclass(frozen=True)
class Question:
    """What the command line says. Null leaves the default of the registry's entries."""

    items: Path
    out: Path
    base_url: str
    model: str
    api_key_env: str | None = None
    concurrency: int | None = None
    seed: int | None = None
    trials: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    allow_missing: bool = False
    no_probe: bool = False


@dataclass(frozen=True)
class _Folder:
    """What lies beside the output."""

    path: Path

    @property
    def items(self) -> Path:
        return self.path / "items.parquet"

    @property
    def pictures(self) -> Path:
        return self.path / "pictures.parquet"

    @property
    def films(self) -> Path:
        return self.path / "films.parquet"

    @property
    def journal(self) -> Path:
        return self.path / "journal"

    @property
    def spec(self) -> Path:
        return self.path / "spec.json"

    @property
    def replies(self) -> Path:
        return self.path / "replies.parquet"


def ask(question: Question, say: Callable[[str], object]) -> int:
    """Ask what the journal does not answer, and write the table; returns the job's exit code.

    Raises BadConfig, BadData or FileExists before anything is asked.
    """
    out = question.out
    spec = _spec(question)
    _check_out(out)
    folder = _Folder(out.with_name(f"{out.name}.ask"))
    _check_folder(folder, spec)
    shown = read_items(question.items, question.trials, decoded_before(folder.pictures))
    _check_key(spec, planned(shown.items, spec), folder)
    _prepare(folder, shown, spec)
    code = _run(_command(folder))
    if code:
        if out.exists():
            say(f"{out}: as it was before.")
        return code
    rows = read_rows(folder.replies, REPLIES)
    write_output(out, _as_csv(rows) if _is_csv(out) else folder.replies.read_bytes())
    for line in (_counted(rows), _spent(rows), str(out)):
        say(line)
    return 0


def _spec(question: Question) -> AskSpec:
    """The specification of the call job. Raises BadConfig naming the option."""
    if (question.price_in is None) != (question.price_out is None):
        raise BadConfig("--price-in and --price-out belong together; give both or neither.")
    prices = (question.price_in or 0, question.price_out or 0)
    if not all(map(math.isfinite, prices)):
        raise BadConfig("--price-in and --price-out: expected numbers, in USD a million tokens.")
    if question.trials is not None and not 1 <= question.trials <= MOST_TRIALS:
        raise BadConfig(f"--trials: expected a whole number from 1 to {MOST_TRIALS:,}.")
    _check_url(question.base_url)
    price = {"input_usd_per_mtok": question.price_in, "output_usd_per_mtok": question.price_out}
    chosen = {"temperature": question.temperature, "max_tokens": question.max_tokens}
    model = {
        "endpoint": EXPERIMENT,
        "gateway_model": question.model,
        "family": "unknown",
        "lab": "unknown",
        "probe": not question.no_probe,
        "sampling": _given(chosen),
        **_given({"concurrency": question.concurrency}),
    }
    content = {
        "tester": slug(question.model),
        "experiment": EXPERIMENT,
        "model": model | ({} if question.price_in is None else {"price": price}),
        "endpoint": {
            "kind": "openai",
            "base_url": question.base_url.rstrip("/"),
            "api_key_env": question.api_key_env,
        },
        "window": 1,
        "seed": 1 if question.seed is None else question.seed,
        "allow_missing": question.allow_missing,
        "calls": {},
    }
    try:
        return AskSpec.model_validate(content)
    except ValidationError as error:
        # The messages alone: what was given might be a key, in the place of its variable's name.
        problems = (
            f"{_OPTIONS.get(detail['loc'], '.'.join(map(str, detail['loc'])))}: {detail['msg']}"
            for detail in error.errors()
        )
        raise BadConfig("; ".join(problems)) from None


def slug(model: str) -> str:
    """A name for paths and tables that a model's gateway id comes to."""
    return re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.") or "model"


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise BadConfig(
            "--base-url: expected the URL of an OpenAI-compatible server up to and including /v1, "
            "such as http://127.0.0.1:8000/v1."
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise BadConfig(
            "--base-url: no user, password, query or fragment may be in it, because it is stored. "
            "Put a key into an environment variable and name that with --api-key-env."
        )


def _check_out(out: Path) -> None:
    """Raise unless the output can be written, before anything is paid for."""
    if out.suffix.lower() not in {".parquet", ".csv"}:
        raise BadConfig(f"--out {out}: expected a name that ends in .parquet or .csv.")
    if out.is_dir():
        raise BadConfig(f"--out {out}: a folder; give the name of a file in it.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.exists():
            # Itself, in its own place: refused unless vlmtom made it.
            write_output(out, out.read_bytes())
        else:
            with tempfile.TemporaryFile(dir=out.parent):
                pass
    except OSError as error:
        raise BadConfig(
            f"--out {out}: cannot be written ({error.strerror}). Nothing was asked; give another "
            "place."
        ) from error


def _check_folder(folder: _Folder, spec: AskSpec) -> None:
    """Raise unless the folder beside the output is new, or of the same model at the same place."""
    if not folder.path.exists():
        return
    strange = f"{folder.path} is there, but `vlmtom ask` did not make it. Give another --out."
    if not folder.path.is_dir():
        raise FileExists(strange)
    if not folder.spec.exists():
        if any(not path.name.startswith(".") for path in folder.path.iterdir()):
            raise FileExists(strange)
        return
    try:
        before = json.loads(folder.spec.read_text(encoding="utf-8"))
        asked = before["endpoint"]["base_url"], before["model"]["gateway_model"]
    except (ValueError, KeyError, TypeError):
        raise BadData(
            f"{folder.spec}: not a specification of `vlmtom ask`. Give another --out, or put the "
            "original file back."
        ) from None
    now = spec.endpoint.base_url, spec.model.gateway_model
    if asked != now:
        raise BadConfig(
            f"{folder.path} holds the replies of {asked[1]} at {asked[0]}; now {now[1]} at "
            f"{now[0]} is to be asked. Give another --out for it, so that they are not mixed."
        )


def _check_key(spec: AskSpec, requests: Sequence[Request], folder: _Folder) -> None:
    """Raise BadConfig if a key is needed and not there; what is answered needs none."""
    variable = spec.endpoint.api_key_env
    if variable is None or os.environ.get(variable, "").strip():
        return
    history = history_of(folder.journal, spec.topic)
    try:
        needed = bool(still_open(requests, history, spec))
    finally:
        history.close()
    if needed:
        raise BadConfig(
            f"--api-key-env: the environment variable {variable} is not set; the key is read from "
            f"it. Run `export {variable}=…` first, or leave the option out for a server without "
            "keys."
        )


def _prepare(folder: _Folder, shown: Shown, spec: AskSpec) -> None:
    """Lay out what the job reads. Raises StreamBusy while another job asks for the same output."""
    folder.path.mkdir(exist_ok=True)
    if not folder.spec.exists():  # first: it says that the folder is ours
        write_bytes(folder.spec, _json(spec))
    folder.journal.mkdir(exist_ok=True)
    with streams_kept(folder.journal, [f"{spec.topic}.w{spec.window}"]):
        write_bytes(folder.spec, _json(spec), replace=True)
        folder.items.unlink(missing_ok=True)
        write_rows(folder.items, shown.items, ITEMS)
        pictures = {row["file_sha256"] for row in shown.pictures}
        if not folder.pictures.exists() or decoded_before(folder.pictures).keys() != pictures:
            folder.pictures.unlink(missing_ok=True)
            write_rows(folder.pictures, shown.pictures, PICTURES)
        folder.films.unlink(missing_ok=True)
        if shown.films:
            write_rows(folder.films, shown.films, FILMS)
        folder.replies.unlink(missing_ok=True)


def _json(spec: AskSpec) -> bytes:
    return spec.model_dump_json(indent=1).encode()


def _command(folder: _Folder) -> list[str]:
    places = {
        "items": folder.items,
        "pictures": folder.pictures,
        "journal": folder.journal,
        "out": folder.replies,
        "spec": folder.spec,
    } | ({"films": folder.films} if folder.films.exists() else {})
    options = [part for name, path in places.items() for part in (f"--{name}", str(path))]
    return [sys.executable, "-m", "vlmtom.jobs.ask", *options]


def _run(command: Sequence[str]) -> int:
    """Run the job to its end, which a signal asks for and does not force; its exit code."""
    received: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        received.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        process = subprocess.Popen(command)
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL_S)
            if received:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE_S)
                process.send_signal(received.pop(0))  # not sent to one that has ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _is_csv(out: Path) -> bool:
    return out.suffix.lower() == ".csv"


def _as_csv(rows: Sequence[Row]) -> bytes:
    return csv_bytes(
        (
            row | {"started_utc": row["started_utc"] and row["started_utc"].isoformat()}
            for row in rows
        ),
        REPLIES.names,
    )


def _counted(rows: Sequence[Row]) -> str:
    statuses = Counter(row["status"] for row in rows)
    ok = statuses.pop("ok", 0)
    causes = ", ".join(f"{status} {n}" for status, n in sorted(statuses.items()))
    return f"{ok} ok, {statuses.total()} missing{f' ({causes})' if causes else ''}"


def _spent(rows: Sequence[Row]) -> str:
    """Tokens and cost of the rows; what nobody reported is not known, and not 0."""
    names = ("prompt_tokens", "completion_tokens", "cost_usd")
    sums = {name: Sum() for name in names}
    for row in rows:
        for name in names:
            sums[name].add(row[name])
    tokens_in, tokens_out, cost = (_sum(sums[name]) for name in names)
    return f"tokens: {tokens_in} in, {tokens_out} out; cost in USD: {cost}"


def _sum(total: Sum) -> str:
    if total.value is None:
        return "not known"
    least = "at least " if total.unknown else ""
    return (
        f"{least}{total.value:.6g}" if isinstance(total.value, float) else f"{least}{total.value}"
    )
