"""What a bundle and a release are packed from: a run's files, the code, the configuration.

Nothing is written before every file was looked through for keys.
"""

import hashlib
import io
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from vlmtom import __version__
from vlmtom.commands.archives import CHECKSUMS, TOP, Member, Sum, checksums, summed, write_archive
from vlmtom.commands.leaks import Hit, Scanner
from vlmtom.commands.panel import NAME as PANEL
from vlmtom.commands.places import Places
from vlmtom.errors import BadData, SecretInside
from vlmtom.rating.returned import returned_files
from vlmtom.rating.secret import NAME as RATING_SECRET
from vlmtom.report_action.traces.sheets import returned_sheets
from vlmtom.settings import JudgingSettings, Registry, Settings
from vlmtom.store.digests import PACKAGE, REPOSITORY, code_digest
from vlmtom.store.files import read_rows
from vlmtom.store.schemas import MANIFEST
from vlmtom.triangles.listing import MANIFEST as CLIPS_MANIFEST

# What the rows of a run depend on, by the name of the package that brings it.
LIBRARIES = (
    *("imageio-ffmpeg", "matplotlib", "numpy", "opencv-python-headless", "pandas", "pyarrow"),
    *("scipy", "snakemake", "statsmodels"),
)
SHARED_ROOMS = (
    *("stimuli", "keys", "clips", "blind", "cells", "profiles", "tables", "figures", "report"),
    *("rating", "traces", "mosaic"),
)
# What holds the testers' words or single scores, beside replies and verdicts.
RAW_ROOMS = ("blind", "report", "rating", "traces")
# Likewise within rooms that hold other things too: what was said in the treasure game.
RAW_FILES = (
    *("mosaic/*/*.utterances.parquet", "mosaic/*/*.calls.parquet"),
    *("figures/mosaic_card.*", "figures/mosaic_film.*"),
)
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
OWN_TRACE_CODES = "resources/own_trace_codes"
_SHOWN = 12


def run_files(settings: Settings, places: Places, text: bool, listed: bool) -> list[Member]:
    """The files of a run. text: with raw replies, verdicts, journals and the sheet's secret.

    listed: only what the manifest names, and the journals.
    """
    root = places.results
    shared = tuple(room for room in SHARED_ROOMS if text or room not in RAW_ROOMS)
    folders = [root / room for room in shared]
    folders += [root / "outcomes" / tester for tester in settings.asked_testers]
    if text:
        folders += [places.replies(tester) for tester in settings.asked_testers]
        folders += [places.verdicts(judge) for judge in settings.asked_judges]
    files = [path for folder in folders for path in _files(folder)]
    if not text:
        files = [path for path in files if not _is_raw(path.relative_to(root))]
    # No manifest names the secret; a sheet that is made again needs it to have the same ids.
    kept = (PANEL, RATING_SECRET) if text else (PANEL,)
    single = ("codebook.csv", "manifest.parquet", *kept)
    files += [path for path in (root / name for name in single) if path.exists()]
    if listed:
        rows = read_rows(root / "manifest.parquet", MANIFEST)
        named = {str(row["path"]) for row in rows} | {"manifest.parquet", *kept}
        files = [
            path
            for path in files
            if path.parent.name == "journal" or path.relative_to(root).as_posix() in named
        ]
    return [Member(f"results/{path.relative_to(root).as_posix()}", path) for path in files]


def _is_raw(path: Path) -> bool:
    return any(path.match(pattern) for pattern in RAW_FILES)


def sources(settings: Settings, text: bool) -> Iterator[Member]:
    """The workflow as it lies here, the package as it runs, and what the configuration names.

    text: with people's ratings, and the Makefile, with which a run is gone on with.
    """
    for part in (*WORKFLOW, *PACKAGING):
        if part == "Makefile" and not text:
            continue  # `make run` would ask every model again
        here = Path(part) if part in WORKFLOW and Path(part).exists() else REPOSITORY / part
        for path in _files(here) if here.is_dir() else [here]:
            if here.is_dir() and (path.suffix not in KINDS or "__pycache__" in path.parts):
                continue
            name = part if path == here else f"{part}/{path.relative_to(here).as_posix()}"
            if name in (LOCKS, REFERENCES) or name.startswith(
                (OWN_CLIPS, OWN_RATINGS, OWN_TRACE_CODES)
            ):
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
    for path in returned(settings) if text else ():
        yield Member(f"{OWN_RATINGS}/{path.name}", path)
    for path in returned_codes(settings) if text else ():
        yield Member(f"{OWN_TRACE_CODES}/{path.name}", path)
    if settings.triangles is not None and settings.triangles.clips is not None:
        yield Member(
            f"{OWN_CLIPS}/{CLIPS_MANIFEST}", Path(settings.triangles.clips) / CLIPS_MANIFEST
        )


def configuration(settings: Settings, registry: Registry, text: bool) -> list[Member]:
    """The configuration as it was run, in one file, and the entries that it names.

    text: people's ratings come along; else it names no folder of them.
    """
    places = {"results": "results", "models": "config/models.yaml"}
    places |= {"locks": LOCKS, "references": REFERENCES}
    effective = settings.model_dump(mode="json") | places
    if settings.triangles is not None and settings.triangles.clips is not None:
        effective["triangles"]["clips"] = OWN_CLIPS
    if settings.battery and settings.judging.exemplars != JudgingSettings().exemplars:
        effective["judging"]["exemplars"] = OWN_EXEMPLARS
    if settings.rating is not None and settings.rating.returned is not None:
        packed = text and bool(returned(settings))
        effective["rating"]["returned"] = OWN_RATINGS if packed else None
    if returned_codes(settings):
        effective["report_action"]["traces"]["returned"] = OWN_TRACE_CODES if text else None
    used = {
        slug: registry.models[slug] for slug in (*settings.asked_testers, *settings.asked_judges)
    }
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


def sources_digest(settings: Settings, registry: Registry, text: bool) -> str:
    """Digest of all that is packed beside results: code, docs, resources, configuration."""
    total = hashlib.sha256()
    of = (*sources(settings, text), *configuration(settings, registry, text))
    for member in of:
        with member.open() as file:
            total.update(f"{member.name}\0{summed(file).sha256}\n".encode())
    return total.hexdigest()[:16]


def versions() -> dict[str, Any]:
    """What made a pack: versions of vlmtom, Python and libraries, digest of the code, commit."""
    return {
        "vlmtom": __version__,
        "code_digest": code_digest(""),
        **_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
    }


def write_pack(
    out: Path,
    members: Sequence[Member],
    registry: Registry,
    allow_shapes: bool = False,
    environment: Mapping[str, str] | None = None,
    changed: Callable[[], object] = lambda: None,
    top: str = TOP,
) -> tuple[Hit, ...]:
    """Write members, with their CHECKSUMS, once every one was looked through for keys.

    top: the folder in the archive. changed: called before the first byte is written; it raises if
    the files changed meanwhile.
    Returns shapes that were let pass. Raises SecretInside, and as write_archive.
    """
    used = environment if environment is not None else os.environ
    keys = (entry.api_key_env for entry in registry.endpoints.values() if entry.api_key_env)
    sums, shapes = _looked_through(members, Scanner(used, keys), allow_shapes)
    listing = checksums(sums)
    sums[CHECKSUMS] = summed(io.BytesIO(listing))
    changed()
    write_archive(out, [*members, Member(CHECKSUMS, listing)], sums, top)
    return tuple(shapes)


def returned(settings: Settings) -> list[Path]:
    """The files of ratings by people; they hold ids, levels and the raters' codes."""
    rating = settings.rated_by_people
    if rating is None or rating.returned is None:
        return []
    return [Path(path) for path in returned_files(rating.returned)]


def returned_codes(settings: Settings) -> list[Path]:
    """The files of people who coded traces; they hold the traces' texts."""
    traces = settings.report_action.traces if settings.trace_coders else None
    if traces is None or traces.returned is None:
        return []
    return [Path(path) for path in returned_sheets(traces.returned)]


def listed(lines: Iterable[str]) -> str:
    lines = list(lines)
    more = [f"… and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join(f"  {line}" for line in [*lines[:_SHOWN], *more])


def _files(folder: Path) -> list[Path]:
    """What a run leaves in a folder: no locks, nothing temporary, nothing hidden."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in (".lock", ".tmp")
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _yaml(name: str, head: str, content: Mapping[str, Any]) -> Member:
    text = head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return Member(name, text.encode())


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
            f"{listed(map(str, refused))}\n{advice}"
        )
    return sums, found
