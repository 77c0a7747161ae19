"""`vlmtom try`: a few items of each arm, asked of one tester for a look at what comes back.

A try is no measurement: it has a folder of its own, and no reply of it goes into the results.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vlmtom.commands.estimate import Earlier, Estimate, earlier_replies
from vlmtom.commands.plan import whole_run
from vlmtom.commands.plan_text import WIDTH_WITHOUT_TERMINAL, dollars
from vlmtom.commands.shown import Instrument, instrument
from vlmtom.errors import BadConfig, FileExists, NoReply
from vlmtom.settings import MOSAIC, REPORT_ACTION, AskSpec, Registry, Settings, ask_spec, nearest
from vlmtom.store.digests import seed_for
from vlmtom.store.files import write_bytes, write_rows
from vlmtom.store.journal import all_streams, read_stream, streams
from vlmtom.store.schemas import FILMS, ITEMS, PICTURES

ATTEMPTS, TOTAL_S, PAUSE_S = 3, 300.0, 30.0  # somebody waits for it
LINE = 60  # characters of a reply that the terminal shows
COLUMNS = ("arm", "item", "status", "reply", "read as", "in", "out", "USD", "s")
NOTE = (
    "A look at a few items, not a measurement: nothing of it goes into the results, and no judge "
    "was asked."
)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Tried:
    """What came of one experiment. replies: rows of REPLIES; one that failed is an api_error."""

    spec: AskSpec
    items: Sequence[Row]
    keys: Sequence[Row]
    pictures: Mapping[str, bytes]
    replies: Sequence[Row]
    outcomes: Sequence[Row]
    earlier: Earlier
    doubt: str | None  # of the model's eyes


def try_tester(
    settings: Settings, registry: Registry, tester: str, stimuli: int, out: str | None
) -> int:
    """Ask, write the page, print the short version; returns the exit code.

    1 where some request brought no reply, or none of the replies can be used. Raises BadConfig
    for an unknown tester or a missing key, FileExists for a folder that is in use, NoReply where
    nothing came back.
    """
    if tester not in registry.models:
        raise BadConfig(
            f"no model {tester!r} in {settings.models}. {nearest(tester, registry.models)}"
        )
    specs = [_spec(settings, registry, tester, name) for name in settings.experiments_of(tester)]
    _check_key(specs[0])
    folder = _folder(settings, tester, out)
    tried: list[Tried] = []
    failed = None
    try:
        for spec in specs:
            made = _made(settings, registry, spec, stimuli)
            print(f"{spec.experiment}: asking {len(made.items)} items …", file=sys.stderr)
            tried.append(_ask(made, spec, folder, settings.models))
    except KeyboardInterrupt:
        print(f"stopped; what came is in {folder / 'journal'}", file=sys.stderr)
        return 128 + signal.SIGINT
    except NoReply as error:
        if not any(record["status"] != "api_error" for record in _told(folder / "journal")):
            shutil.rmtree(folder)  # nothing in it was paid for; the same command can go on
        if not tried:
            raise
        failed = error
    earlier = {one.spec.experiment: one.earlier for one in tried}
    price = _whole(whole_run(settings, registry, tester, earlier), specs[0], settings.models)
    _write_page(folder, tester, tried, price)
    _print(folder, tried, price)
    if failed is not None:
        raise failed
    return _exit_code(tried)


def _made(settings: Settings, registry: Registry, spec: AskSpec, stimuli: int) -> Instrument:
    if spec.experiment == MOSAIC:
        from vlmtom.commands.try_game import first_calls

        return first_calls(settings, registry, spec.tester)
    return chosen(instrument(settings, spec.experiment, stimuli), spec, stimuli)


def chosen(made: Instrument, spec: AskSpec, stimuli: int) -> Instrument:
    """The items of a try, with one trial each: of every arm the same stimuli where it has them.

    Scenes are the first, whose order the seed decides; clips are drawn by the seed. The first
    stimulus of an arm is asked all its prompts, the others their first.
    """
    names = list(dict.fromkeys(str(item["stimulus"]) for item in made.items))
    if spec.experiment != "director":
        random.Random(seed_for(spec.seed, "try", spec.experiment)).shuffle(names)
    place = {name: number for number, name in enumerate(names)}
    items: list[Row] = []
    for arm in dict.fromkeys(item["arm"] for item in made.items):
        of_arm = [item for item in made.items if item["arm"] == arm]
        if spec.batches is not None:  # what several batches ask is tried once
            of_arm = list({item["stimulus"]: item for item in reversed(of_arm)}.values())[::-1]
        shown = sorted({str(item["stimulus"]) for item in of_arm}, key=place.__getitem__)
        for number, name in enumerate(shown[:stimuli]):
            of_stimulus = [item for item in of_arm if item["stimulus"] == name]
            items += of_stimulus if number == 0 else of_stimulus[:1]
    ids = {item["item_id"] for item in items}
    turns = [turn for item in items for turn in item["turns"]]
    pictures = {picture for turn in turns for picture in turn["pictures"]}
    films = {turn["video"] for turn in turns}
    return Instrument(
        [{**item, "trials": 1} for item in items],
        [key for key in made.keys if key["item_id"] in ids],
        [row for row in made.pictures if row["pixel_sha256"] in pictures],
        [row for row in made.films if row["file_sha256"] in films],
    )


def _spec(settings: Settings, registry: Registry, tester: str, experiment: str) -> AskSpec:
    """The job's specification, with less patience than a run has."""
    if experiment == MOSAIC:
        model = registry.models[tester]
        spec = AskSpec(
            tester=tester,
            model=model,
            endpoint=registry.endpoints[model.endpoint],
            experiment=MOSAIC,
            window=1,
            seed=settings.seed,
            allow_missing=True,
            calls=settings.calls,
        )
    else:
        spec = ask_spec(settings, registry, tester, experiment, 1)
    calls = spec.calls.model_copy(
        update={
            "attempts": min(spec.calls.attempts, ATTEMPTS),
            "total_time_s": min(spec.calls.total_time_s, TOTAL_S),
            "max_pause_s": min(spec.calls.max_pause_s, PAUSE_S),
        }
    )
    return spec.model_copy(update={"calls": calls, "allow_missing": True})


def _check_key(spec: AskSpec) -> None:
    """Raise BadConfig, before anything is made, if the endpoint's key is not there."""
    if spec.endpoint.api_key_env is not None:
        from vlmtom.calls.openai_endpoint import key_from

        key_from(os.environ, spec.endpoint.api_key_env)


def _folder(settings: Settings, tester: str, out: str | None) -> Path:
    if out is not None:
        folder = Path(out)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise FileExists(f"{folder} is there already and not empty. Give another --out.")
        return folder
    name = f"{tester}-{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}"
    stem = Path(settings.results) / "try" / name
    folder, number = stem, 1
    while folder.exists():
        number += 1
        folder = stem.with_name(f"{name}-{number}")
    return folder


def _ask(made: Instrument, spec: AskSpec, folder: Path, models: str) -> Tried:
    from vlmtom.calls import history_of, planned, reply_rows

    stimuli = folder / "stimuli" / spec.experiment
    paths = {
        "items": stimuli / "items.parquet",
        "pictures": stimuli / "pictures.parquet",
        "journal": folder / "journal",
        "out": folder / "replies" / f"{spec.experiment}.w1.parquet",
    }
    write_rows(paths["items"], made.items, ITEMS)
    write_rows(paths["pictures"], made.pictures, PICTURES)
    if made.films:
        paths["films"] = stimuli / "films.parquet"
        write_rows(paths["films"], made.films, FILMS)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "vlmtom.jobs.ask", "--spec", spec.model_dump_json()),
            *(part for name, path in paths.items() for part in (f"--{name}", str(path))),
        ],
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    journal = paths["journal"]
    with closing(history_of(journal, spec.experiment)) as history:
        replies = list(reply_rows(planned(made.items, spec), history, spec))
    told = _told(journal, spec.experiment)
    if done.returncode and all(row["status"] == "api_error" for row in replies):
        raise NoReply(_why(told, spec, done.stderr, models))
    return Tried(
        spec=spec,
        items=made.items,
        keys=made.keys,
        pictures={row["pixel_sha256"]: row["image"]["bytes"] for row in made.pictures},
        replies=replies,
        outcomes=_outcomes(replies, made, spec),
        earlier=earlier_replies(
            told, spec.model, {item["arm"] for item in made.items if item["reasoning"]}
        ),
        doubt=_doubt(journal, spec),
    )


def _told(journal: Path, topic: str | None = None) -> list[Row]:
    """The records of replies in a journal, of one topic or all."""
    named = all_streams(journal) if topic is None else streams(journal, topic)
    records = (record for stream in named for record in read_stream(journal, stream))
    return [record for record in records if record.get("kind") == "reply"]


def _doubt(journal: Path, spec: AskSpec) -> str | None:
    """Whether the first call, a red square, leaves it open that the model sees pictures."""
    from vlmtom.calls import probe

    if spec.endpoint.kind == "embedded" or not spec.model.probe:
        return None
    record = probe.probed_before(journal, probe.probe_request(spec).digest)
    return None if record is None else probe.doubt(record)


def _outcomes(replies: Sequence[Row], made: Instrument, spec: AskSpec) -> list[dict[str, Any]]:
    keys = made.keys
    if spec.experiment == MOSAIC:
        from vlmtom.commands.try_game import outcomes

        return outcomes(replies, made.items)
    if spec.experiment == "director":
        from vlmtom.director.scoring import outcomes

        return outcomes(replies, keys)
    if spec.experiment == REPORT_ACTION:
        from vlmtom.report_action.scoring import outcome_rows

        return outcome_rows(replies, keys)
    from vlmtom.judging import blind_salt, descriptions

    return descriptions(replies, keys, blind_salt(spec.seed))


def _why(told: Sequence[Row], spec: AskSpec, stderr: str, models: str) -> str:
    """Why nothing came back, and what to do about it. told: records of replies."""
    failed = [record for record in told if record["status"] == "api_error"]
    url, who = spec.endpoint.base_url, spec.tester
    if not failed:
        said = [line for line in stderr.splitlines() if line.strip()]
        words = stderr.partition("vlmtom ask: ")[2] or "\n".join(said[-5:])
        return _plain(f"{who}: nothing was asked. {words.strip()}", keep="\n")
    kind, error = failed[0]["error_kind"], failed[0]["error"]
    advice = {
        "network": (
            f"{url} does not answer. Is the server running there? Check with `curl {url}/models`; "
            f"base_url of the endpoint {spec.model.endpoint!r} in {models} must be the server's "
            "address up to and including /v1."
        ),
        "not_found": (
            f"{url} does not know the model {spec.model.gateway_model!r}, or has no chat "
            f"completions at that address. `curl {url}/models` lists its models; correct "
            f"gateway_model of {who!r}, or base_url of the endpoint {spec.model.endpoint!r}, in "
            f"{models}."
        ),
        "auth": (
            f"{url} refuses the key in the environment variable {spec.endpoint.api_key_env}. "
            "Put a valid one there."
            if spec.endpoint.api_key_env
            else f"{url} asks for a key. Name its variable as api_key_env of the endpoint "
            f"{spec.model.endpoint!r} in {models}."
        ),
        "quota": f"{url} says that the account has no money or credit left.",
        "rate_limited": f"{url} takes no more requests now. Try again later.",
    }.get(kind, f"{url} gave no reply that can be used. Correct the entry of {who!r} in {models}.")
    return _plain(f"{who}: {advice}\nThe server's word ({kind}): {error}", keep="\n")


def _whole(estimates: Sequence[Estimate], spec: AskSpec, models: str) -> str:
    """What the whole run of the tester comes to at the lengths seen here."""
    calls = sum(one.calls for one in estimates)
    if spec.endpoint.kind == "embedded":
        return f"The whole run of {spec.tester} takes {calls:,} calls on this machine; no cost."
    tokens_in = sum(one.prompt_tokens for one in estimates)
    tokens_out = sum(one.completion_tokens for one in estimates)
    head = f"At these lengths the whole run of {spec.tester}"
    if any(one.tokens_from == "estimate" for one in estimates):
        head = f"By assumed lengths (no tokens were reported) the whole run of {spec.tester}"
    body = f"{calls:,} calls, {tokens_in:,} tokens in and {tokens_out:,} out; without judges"
    costs = [one.cost_usd for one in estimates]
    if None in costs:
        return f"{head} takes {body}. Its cost is not known: no price in {models}."
    bounds = [one.cost_bound_usd for one in estimates]
    most = "" if None in bounds else f", at most {dollars(sum(bounds))} USD"
    return f"{head} costs about {dollars(sum(costs))} USD{most} ({body})."


def _sections(one: Tried) -> list[Any]:
    from vlmtom.publish.try_page import try_sections

    return try_sections(one.spec.experiment, one.items, one.replies, one.outcomes, one.keys)


def _write_page(folder: Path, tester: str, tried: Sequence[Tried], price: str) -> None:
    from vlmtom.calls.messages import data_uri
    from vlmtom.publish.try_page import html_of_try

    sections, pictures = [], {}
    for one in tried:
        for section in _sections(one):
            sections.append(section)
            for item in one.items:
                # Of an item with the section's arm: its title ends in it.
                if section.title.endswith(f"arm {item['arm']}"):
                    digests = [p for turn in item["turns"] for p in turn["pictures"]]
                    uris = [data_uri(one.pictures[digest], digest) for digest in digests]
                    pictures[section.title, str(item["stimulus"])] = uris
    spec = tried[0].spec
    observer = spec.model.kind == "observer"
    facts = [
        ("model", f"{spec.model.gateway_model}{' (an observer, not a model)' if observer else ''}"),
        ("endpoint", spec.endpoint.base_url or "this machine"),
        ("asked", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        ("took", _spent(tried)),
        ("whole run", price),
    ]
    facts += [("doubt", doubt) for doubt in dict.fromkeys(one.doubt for one in tried) if doubt]
    page = html_of_try(tester, NOTE, facts, sections, pictures)
    write_bytes(folder / "index.html", page.encode())


def _print(folder: Path, tried: Sequence[Tried], price: str) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH_WITHOUT_TERMINAL)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in COLUMNS:
        right = column in {"in", "out", "USD", "s"}
        table.add_column(column, overflow="fold", justify="right" if right else "left")
    for one in tried:
        read = _read_as(one)
        items = {item["item_id"]: item for item in one.items}
        for reply in one.replies:
            cells = _cells(items[reply["item_id"]], reply, read[reply["item_id"]])
            table.add_row(*(Text(cell) for cell in cells))
    console.print(table)
    replies = [reply for one in tried for reply in one.replies]
    for name, values in (
        ("served model", [reply["served_model"] or "not told" for reply in replies]),
        ("sent", [_without_seed(reply["parameters"]) for reply in replies]),
    ):
        console.print(Text(f"{name}: {_plain('; '.join(dict.fromkeys(values)))}"))
    doubts = dict.fromkeys(one.doubt for one in tried if one.doubt)
    for problem in [*_problems(replies), *map(_plain, doubts)]:
        console.print(Text(problem))
    console.print(Text(f"This try: {_spent(tried)}."))
    console.print(Text(price))
    console.print(Text(str(folder / "index.html")), soft_wrap=True)


def _read_as(one: Tried) -> dict[str, str]:
    """By item what was read in its reply, as on the page."""
    from vlmtom.publish.try_page import HEADS

    shown = [
        item
        for section in _sections(one)
        for stimulus in section.stimuli
        for item in stimulus.items
    ]
    return {
        str(item["item_id"]): "; ".join(
            f"{head}: {cell}"
            for head, cell in zip(
                page_item.heads[: -len(HEADS)], page_item.rows[0].cells, strict=False
            )
        )
        for item, page_item in zip(one.items, shown, strict=True)
    }


def _cells(item: Row, reply: Row, read: str) -> tuple[str, ...]:
    said = reply["text"] or reply["error"] or reply["refusal"] or ""
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    prompt = f" {item['sub_prompt']}" if item["sub_prompt"] else ""
    cost, seconds = reply["cost_usd"], reply["duration_s"]
    return (
        item["arm"],
        f"{item['stimulus']}{prompt}",
        reply["error_kind"] or reply["status"],
        _plain(first if len(first) <= LINE else f"{first[:LINE]}…"),
        _plain(read),
        *(
            "–" if n is None else str(n)
            for n in (reply["prompt_tokens"], reply["completion_tokens"])
        ),
        "–" if cost is None else f"{cost:.5f}",
        "–" if seconds is None else f"{seconds:.1f}",
    )


def _spent(tried: Sequence[Tried]) -> str:
    replies = [reply for one in tried for reply in one.replies]
    calls = f"{len(replies)} calls"
    if tried[0].spec.endpoint.kind == "embedded":
        return f"{calls}, no cost"
    costs = [reply["cost_usd"] for reply in replies if reply["cost_usd"] is not None]
    if not costs:
        return f"{calls}, cost not known"
    return f"{calls}, {'≥ ' if len(costs) < len(replies) else ''}{dollars(sum(costs))} USD"


def _problems(replies: Sequence[Row]) -> list[str]:
    """What to change where replies are missing, or none can be used."""
    said = []
    failed = [reply for reply in replies if reply["status"] == "api_error"]
    if failed:
        words = "; ".join(dict.fromkeys(str(reply["error"]) for reply in failed))
        said.append(_plain(f"{len(failed)} of {len(replies)} calls brought no reply: {words}"))
    if not any(reply["status"] == "ok" for reply in replies):
        counted = Counter(reply["error_kind"] or reply["status"] for reply in replies)
        causes = ", ".join(f"{cause} {n}" for cause, n in counted.most_common())
        said.append(
            f"None of the replies can be used ({causes}). Change what causes it: max_tokens for "
            "truncated, served_as for model_mismatch, the model for refused or filtered."
        )
    return said


def _exit_code(tried: Sequence[Tried]) -> int:
    return int(bool(_problems([reply for one in tried for reply in one.replies])))


def _without_seed(parameters: str) -> str:
    sent = json.loads(parameters)
    shown = {name: value for name, value in sent.items() if name != "seed"}
    seed = ", and each trial's seed" if "seed" in sent else ""
    return json.dumps(shown) + seed


def _plain(text: str, keep: str = "") -> str:
    """Text of a server without what a terminal would obey or could not show."""
    return "".join(char if char.isprintable() or char in keep else "\ufffd" for char in text)
