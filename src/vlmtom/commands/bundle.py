"""`vlmtom bundle`: a run as one archive, which rebuilds its tables elsewhere and asks nobody."""

import io
import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from vlmtom import __version__
from vlmtom.calls import history_of
from vlmtom.commands.archives import (
    CHECKSUMS,
    Member,
    Sum,
    checksums,
    refuse_place,
    summed,
    write_archive,
)
from vlmtom.commands.leaks import Hit, Scanner
from vlmtom.commands.panel import NAME as PANEL
from vlmtom.commands.panel import at_work, refuse_other_panel
from vlmtom.commands.places import Places, experiments
from vlmtom.commands.plan import plan
from vlmtom.commands.rebuilding import Rebuild, readme
from vlmtom.errors import BadData, NotBundled, SecretInside, StreamBusy, VlmtomError
from vlmtom.rating.returned import returned_files
from vlmtom.settings import EXEMPLARS, JudgingSettings, Registry, Settings
from vlmtom.store.digests import PACKAGE, REPOSITORY, code_digest
from vlmtom.store.files import read_rows, read_table
from vlmtom.store.journal import holder, locked_streams
from vlmtom.store.schema import Schema
from vlmtom.store.schemas import EXEMPLAR_VERDICTS, MANIFEST, REPLIES, VERDICTS
from vlmtom.triangles.listing import MANIFEST as CLIPS_MANIFEST

FORMAT = 1
DESCRIPTION = "bundle.json"
# What the rows of a run depend on, by the name of the package that brings it.
LIBRARIES = (
    *("imageio-ffmpeg", "matplotlib", "numpy", "opencv-python-headless", "pandas", "pyarrow"),
    *("scipy", "snakemake", "statsmodels"),
)
SHARED_ROOMS = (
    *("stimuli", "keys", "clips", "blind", "cells", "profiles", "tables", "figures", "report"),
    "rating",
)
# What holds the testers' words, beside replies and verdicts.
WORDS = ("blind", "report", "rating/sheet.html")
# Profiles of clusters stay behind: what is rebuilt from a bundle is light.
WORKFLOW = ("Snakefile", "rules", "workflow", "profiles/default", "envs", "resources")
PACKAGING = (
    *("pyproject.toml", "requirements.lock", "requirements-dev.lock", "constraints.txt"),
    *("Makefile", "LICENSE", "README.md", "CHANGELOG.md", "docs"),
)
KINDS = frozenset({".csv", ".yaml", ".yml", ".txt", ".md", ".py", ".smk", ".rst", ".png", ".j2"})
OWN_CLIPS = "resources/own_clips"
LOCKS, REFERENCES = "resources/locks.yaml", "resources/references.csv"
OWN_EXEMPLARS = "resources/own_exemplars.csv"
OWN_RATINGS = "resources/own_ratings"
WITHOUT_TEXT = "results/without_text"
TEXTS = {"replies": ("error", "text", "reasoning", "refusal"), "verdicts": ("text",)}
_SHOWN = 12


@dataclass(frozen=True)
class Bundled:
    """What was packed. shapes: strings that look like keys and were let pass."""

    path: Path
    files: int
    size: int
    rebuild: Rebuild
    shapes: tuple[Hit, ...] = ()
    unverified: tuple[str, ...] = ()


def bundle(
    settings: Settings,
    registry: Registry,
    out: Path,
    verify: Callable[[], Sequence[str]],
    *,
    text: bool = True,
    allow_shapes: bool = False,
    allow_unverified: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Bundled:
    """Pack the results of a configuration with all that they rest on.

    verify: what differs from manifest, locks and journals. text: keep raw replies. Nothing is
    written before every file was looked through for keys. Raises FileExists or BadData for `out`,
    BadData for another panel's results, StreamBusy while a journal is written, NotBundled where the
    run is not whole, SecretInside.
    """
    refuse_place(out)
    places = Places(Path(settings.results))
    if not places.results.is_dir():
        raise BadData(f"{places.results}: no such folder. Run `snakemake` first.")
    refuse_other_panel(places.results, settings.panel)
    _refuse_written(settings, places)
    problems: list[str] = []
    try:
        problems += _unfinished(settings, places)
        problems += verify()
        problems = problems or _never_asked(settings, registry, places)
    except VlmtomError as error:  # such as stimuli that cannot be rendered here
        problems.append(str(error))
    # What is read elsewhere need not know where the results lie here.
    told = [problem.replace(str(places.results), "results") for problem in problems]
    if problems and not allow_unverified:
        raise NotBundled(
            f"{places.results} is not as its run left it, so that a bundle would not rebuild it:\n"
            f"{_listed(problems)}\nRun `snakemake` to the end, or pack it as it is with "
            "--unverified."
        )
    rebuild = _rebuild(settings, places, text)
    members = [
        *_results(settings, places, text, listed=not problems),
        *_sources(settings, makefile=text),
        *_configuration(settings, registry),
    ]
    members.append(_description(settings, rebuild, problems))
    members.append(Member("README.txt", readme(rebuild, settings, told).encode()))
    used = environment if environment is not None else os.environ
    keys = (entry.api_key_env for entry in registry.endpoints.values() if entry.api_key_env)
    sums, shapes = _looked_through(members, Scanner(used, keys), allow_shapes)
    listing = checksums(sums)
    members.append(Member(CHECKSUMS, listing))
    sums[CHECKSUMS] = summed(io.BytesIO(listing))
    _refuse_written(settings, places)  # a job may have started meanwhile
    write_archive(out, members, sums)
    return Bundled(
        *(out, len(members), out.stat().st_size, rebuild, tuple(shapes), tuple(problems))
    )


def report(done: Bundled, say: Callable[[str], object]) -> None:
    """Tell a person what was packed."""
    say(f"{done.path}: {done.files:,} files, {done.size:,} bytes.")
    if done.unverified:
        say(f"Packed although {len(done.unverified)} things differ; README.txt names them.")
    if done.shapes:
        say(f"Let pass, though they look like keys:\n{_listed(map(str, done.shapes))}")
    for note in done.rebuild.notes:
        say(note)
    say(f"To unpack it: vlmtom unbundle {done.path.name} FOLDER")


def _refuse_written(settings: Settings, places: Places) -> None:
    folders = [places.replies(tester) for tester in settings.testers]
    folders += [places.verdicts(judge) for judge in settings.asked_judges]
    if run := at_work(places.results):
        raise StreamBusy(
            f"{places.results}: a run is at work in it ({run}). Wait for it, then bundle."
        )
    for journal in (folder / "journal" for folder in folders):
        for stream in locked_streams(journal):
            try:
                who = holder(journal, stream)
            except OSError:  # no locks there: a file that changes while it is packed is noticed
                continue
            if who is not None:
                raise StreamBusy(
                    f"{journal}: the journal {stream} is being written by {who}. "
                    "Wait for it, then bundle."
                )


def _unfinished(settings: Settings, places: Places) -> list[str]:
    """Tables of replies, outcomes and verdicts that the configuration asks for, and are not there.

    `verify` knows what was made, not what a tester that was added since still lacks.
    """
    wanted = []
    for tester in settings.testers:
        for experiment in experiments(settings):
            wanted.append(places.replies(tester) / f"{experiment}.w1.parquet")
            wanted.append(places.results / "outcomes" / tester / f"{experiment}.parquet")
    verdicts = [path for path, _ in _verdict_tables(settings, places)]
    found = [f"{path}: not there yet." for path in [*wanted, *verdicts] if not path.exists()]
    for path in _reply_tables(settings, places):
        found += _unjournalled(path, path.stem.rpartition(".w")[0], REPLIES)
    for path in filter(Path.exists, verdicts):
        found += _unjournalled(path, path.stem, _schema(path))
    return found


def _unjournalled(path: Path, topic: str, schema: Schema) -> list[str]:
    """Whether a table holds replies that its journal lacks, and a rebuild would ask for."""
    rows = read_table(path, schema, ["request_digest", "status"]).to_pylist()
    with closing(history_of(path.parent / "journal", topic)) as history:
        lacking = sum(
            row["request_digest"] is not None
            and row["status"] != "api_error"
            and not history.is_settled(row["request_digest"])
            for row in rows
        )
    if not lacking:
        return []
    return [f"{path}: {lacking} replies are not in its journal. Run `vlmtom adopt {path}`."]


def _never_asked(settings: Settings, registry: Registry, places: Places) -> list[str]:
    """Requests of the configuration that a rebuild would send: it was changed since the run.

    While windows are still to be asked, theirs cannot be told from those.
    """
    if len(_reply_tables(settings, places)) < _streams(settings):
        return []
    return [
        f"{line.who}, {line.topic}: {line.calls} requests of this configuration have no reply in "
        "the journal. Was it, or the registry, changed after the run?"
        for line in plan(settings, registry).lines
        if line.calls
    ]


def _streams(settings: Settings) -> int:
    return len(settings.testers) * len(experiments(settings)) * settings.windows


def _verdict_tables(settings: Settings, places: Places) -> list[tuple[Path, str]]:
    tables = [
        (places.verdicts(judge) / f"{overlay}.{arm}.parquet", judge)
        for judge in settings.judges
        for overlay, arms in settings.judged.items()
        for arm in arms
    ]
    return tables + [(places.exemplars(judge), judge) for judge in settings.battery]


def _reply_tables(settings: Settings, places: Places) -> list[Path]:
    """The tables of replies that are there, of the windows that the configuration has."""
    return [
        path
        for tester in settings.testers
        for experiment in experiments(settings)
        for window in range(1, settings.windows + 1)
        if (path := places.replies(tester) / f"{experiment}.w{window}.parquet").exists()
    ]


def _rebuild(settings: Settings, places: Places, text: bool) -> Rebuild:
    replies = _reply_tables(settings, places)
    last = max((int(path.stem.rpartition(".w")[2]) for path in replies), default=1)
    streams = _streams(settings)
    partial = len(replies) < streams
    if partial and not text:
        raise NotBundled(
            f"{places.results}: {len(replies)} of {streams} tables of replies are there, by "
            "windows. Without the journals nobody can tell later which were asked; ask the other "
            "windows first, or leave out --without-text."
        )
    verdicts = [path for path, _ in _verdict_tables(settings, places) if path.exists()]
    return Rebuild(
        text=text,
        triangles=settings.triangles is not None,
        tables=_names(places.results / "tables", "tex"),
        figures=_names(places.results / "figures", "pdf"),
        unanswered=_unanswered([*replies, *verdicts]),
        window=last if partial else None,
        windows=settings.windows,
        own_films=settings.triangles is not None and settings.triangles.clips is not None,
    )


def _names(folder: Path, form: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob(f"*.{form}")))


def _unanswered(paths: Iterable[Path]) -> int:
    return sum(
        read_table(path, _schema(path), ["status"])["status"].to_pylist().count("api_error")
        for path in paths
    )


def _schema(path: Path) -> Schema:
    """What a table of replies or verdicts holds, by where it lies."""
    if path.parent.parent.name == "replies":
        return REPLIES
    return EXEMPLAR_VERDICTS if path.stem == EXEMPLARS else VERDICTS


def _results(settings: Settings, places: Places, text: bool, listed: bool) -> list[Member]:
    """The files of the run. listed: only what the manifest names, and the journals."""
    root = places.results
    folders = [root / room for room in SHARED_ROOMS]
    folders += [root / "outcomes" / tester for tester in settings.testers]
    if text:
        folders += [places.replies(tester) for tester in settings.testers]
        folders += [places.verdicts(judge) for judge in settings.asked_judges]
    files = [path for folder in folders for path in _files(folder)]
    if not text:
        words = [root / place for place in WORDS]
        files = [path for path in files if not any(path.is_relative_to(word) for word in words)]
    single = ("codebook.csv", "manifest.parquet", PANEL)
    files += [path for path in (root / name for name in single) if path.exists()]
    if listed:
        rows = read_rows(root / "manifest.parquet", MANIFEST)
        named = {str(row["path"]) for row in rows} | {"manifest.parquet", PANEL}
        files = [
            path
            for path in files
            if path.parent.name == "journal" or path.relative_to(root).as_posix() in named
        ]
    members = [Member(f"results/{path.relative_to(root).as_posix()}", path) for path in files]
    if not text:
        tables = _reply_tables(settings, places)
        tables += [path for path, _ in _verdict_tables(settings, places) if path.exists()]
        members += [_without_text(root, path) for path in tables]
    return members


def _without_text(root: Path, path: Path) -> Member:
    below = path.relative_to(root)
    table = read_table(path, _schema(path))
    for name in TEXTS[below.parts[0]]:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(place), pa.nulls(len(table), "string"))
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return Member(f"{WITHOUT_TEXT}/{below.as_posix()}", buffer.getvalue())


def _files(folder: Path) -> list[Path]:
    """What a run leaves in a folder: no locks, nothing temporary, nothing hidden."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in (".lock", ".tmp")
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _sources(settings: Settings, makefile: bool) -> Iterator[Member]:
    """The workflow as it lies here, the package as it runs, and what the configuration names."""
    for part in (*WORKFLOW, *PACKAGING):
        if part == "Makefile" and not makefile:
            continue  # `make run` would ask every model again
        here = Path(part) if part in WORKFLOW and Path(part).exists() else REPOSITORY / part
        for path in _files(here) if here.is_dir() else [here]:
            if here.is_dir() and (path.suffix not in KINDS or "__pycache__" in path.parts):
                continue
            name = part if path == here else f"{part}/{path.relative_to(here).as_posix()}"
            if name in (LOCKS, REFERENCES) or name.startswith((OWN_CLIPS, OWN_RATINGS)):
                continue
            if not path.is_file():
                raise BadData(
                    f"{path}: no such file. A bundle carries the workflow with it; run "
                    "`vlmtom bundle` in a checkout, with vlmtom installed from it."
                )
            yield Member(name, path)
    for path in _files(PACKAGE):
        if "__pycache__" in path.parts:
            continue
        yield Member(f"src/{PACKAGE.name}/{path.relative_to(PACKAGE).as_posix()}", path)
    for name, path in ((LOCKS, settings.locks), (REFERENCES, settings.references)):
        if Path(path).exists():
            yield Member(name, Path(path))
    if settings.battery and settings.judging.exemplars != JudgingSettings().exemplars:
        yield Member(OWN_EXEMPLARS, Path(settings.judging.exemplars))
    for path in _returned(settings):
        yield Member(f"{OWN_RATINGS}/{path.name}", path)
    if settings.triangles is not None and settings.triangles.clips is not None:
        yield Member(
            f"{OWN_CLIPS}/{CLIPS_MANIFEST}", Path(settings.triangles.clips) / CLIPS_MANIFEST
        )


def _returned(settings: Settings) -> list[Path]:
    """The files of ratings by people; they hold ids, levels and the raters' codes."""
    rating = settings.rated_by_people
    if rating is None or rating.returned is None:
        return []
    return [Path(path) for path in returned_files(rating.returned)]


def _configuration(settings: Settings, registry: Registry) -> list[Member]:
    """The configuration as it was run, in one file, and the entries that it names."""
    places = {"results": "results", "models": "config/models.yaml"}
    places |= {"locks": LOCKS, "references": REFERENCES}
    effective = settings.model_dump(mode="json") | places
    if settings.triangles is not None and settings.triangles.clips is not None:
        effective["triangles"]["clips"] = OWN_CLIPS
    if settings.battery and settings.judging.exemplars != JudgingSettings().exemplars:
        effective["judging"]["exemplars"] = OWN_EXEMPLARS
    if _returned(settings):
        effective["rating"]["returned"] = OWN_RATINGS
    used = {slug: registry.models[slug] for slug in (*settings.testers, *settings.asked_judges)}
    endpoints = {entry.endpoint: registry.endpoints[entry.endpoint] for entry in used.values()}
    reduced = registry.model_copy(update={"models": used, "endpoints": endpoints})
    return [
        _yaml(
            "config/config.yaml",
            "# The whole configuration of this run; nothing is laid under it.\n",
            effective,
        ),
        _yaml(
            "config/models.yaml",
            "# The endpoints and models of this run, of all that the registry knew.\n",
            reduced.model_dump(mode="json"),
        ),
    ]


def _yaml(name: str, head: str, content: Mapping[str, Any]) -> Member:
    text = head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return Member(name, text.encode())


def _description(settings: Settings, rebuild: Rebuild, problems: Sequence[str]) -> Member:
    content = {
        "format": FORMAT,
        "vlmtom": __version__,
        "code_digest": code_digest(""),
        **_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "panel": settings.panel,
        "text": rebuild.text,
        "verified": not problems,
        "rebuild": rebuild.commands(),
    }
    return Member(DESCRIPTION, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _commit() -> dict[str, Any]:
    """The commit of the package's own repository, and whether files differ from it."""
    top, commit = _git("rev-parse", "--show-toplevel", "HEAD") or ("", "")
    if not commit or Path(top).resolve() != REPOSITORY:
        return {"git_commit": None, "git_changed": None}
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return {"git_commit": commit, "git_changed": bool(changed)}


def _git(*words: str) -> list[str]:
    """The lines that git answers; none where there is no git or no repository."""
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(REPOSITORY), *words],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.splitlines()


def _looked_through(
    members: Sequence[Member], scanner: Scanner, allow_shapes: bool
) -> tuple[dict[str, Sum], list[Hit]]:
    """The sums of all members, if none holds a key, and the shapes that were let pass."""
    sums: dict[str, Sum] = {}
    found: list[Hit] = []
    for member in members:
        if "\n" in member.name or "\\" in member.name:
            raise BadData(f"{member.name!r}: a name that sha256sum cannot list. Rename the file.")
        with member.open() as file:
            sums[member.name] = summed(file)
            file.seek(0)
            found += scanner.hits(member.name, file)
    refused = [hit for hit in found if not (hit.is_shape and allow_shapes)]
    if refused:
        advice = "Take it out of the file, or forget that tester and ask it again."
        if all(hit.is_shape for hit in refused):
            advice = (
                "If these are no keys (a model may write such words), pack them with --allow-shape."
            )
        elif any(hit.is_shape for hit in refused):
            advice += " --allow-shape lets shapes pass, never the value of a variable."
        raise SecretInside(
            f"{len(refused)} places look like keys; nothing was packed:\n"
            f"{_listed(map(str, refused))}\n{advice}"
        )
    return sums, found


def _listed(lines: Iterable[str]) -> str:
    lines = list(lines)
    more = [f"… and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join(f"  {line}" for line in [*lines[:_SHOWN], *more])
