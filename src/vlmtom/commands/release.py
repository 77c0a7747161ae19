"""`snakemake release`: what a paper publishes of a run, as one archive that can be checked.

The cross-task paper promises stimuli, prompts, the locked rubric, judge configuration, the
two-firewall harness, the aggregation code and a digest manifest; raw scoring outputs later
(Appendix O).
"""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from vlmtom.commands.archives import CHECKSUMS, RELEASE_TOP, Member, refuse_place
from vlmtom.commands.packing import (
    configuration,
    listed,
    returned,
    run_files,
    sources,
    versions,
    write_pack,
)
from vlmtom.commands.places import Places
from vlmtom.errors import BadData, NotBundled
from vlmtom.instruments import prompts
from vlmtom.settings import Registry, Settings, judge_spec
from vlmtom.store.digests import code_digest, sha256_bytes, sha256_file, sha256_text
from vlmtom.store.files import read_rows
from vlmtom.store.schemas import MANIFEST

FORMAT = 1
DESCRIPTION = "release.json"
PROMPTS, DIGESTS, JUDGES = "prompts", "digests.csv", "judges.yaml"
_FRAMES_OF_FILMS = ("stimuli", "representations", "pictures.parquet")
# What turns outcomes and verdicts into the numbers of the paper.
AGGREGATION = (
    *("stats", "director/cells.py", "triangles/cells.py", "judging", "publish"),
    *("report_action/measures.py", "report_action/estimates.py"),
    *("mosaic/metrics.py", "mosaic/world.py", "mosaic/conditions.py"),
)


def release(
    settings: Settings,
    registry: Registry,
    out: Path,
    verify: Callable[[], Sequence[str]],
    environment: Mapping[str, str] | None = None,
) -> int:
    """Pack a finished run for publication; returns the number of files.

    verify: what differs from manifest, locks and journals. Raises FileExists or BadData for `out`,
    NotBundled where something differs, SecretInside.
    """
    refuse_place(out)
    places = Places(Path(settings.results))
    if problems := verify():
        raise NotBundled(
            f"{places.results} is not as its run left it:\n{listed(problems)}\nRun `snakemake all` "
            "to the end; then release it."
        )
    raw = settings.release.raw
    files = [
        member
        for member in run_files(settings, places, text=raw, listed=True)
        if not (own_films(settings) and is_film(member.name))
    ]
    members = [
        *files,
        *sources(settings, text=raw),
        *configuration(settings, registry, text=raw),
        *_prompts(settings),
        _digests(places.results, files),
        _description(settings, places.results, files),
        Member("README-RELEASE.txt", _readme(settings).encode()),
    ]
    if settings.triangles is not None:
        members.append(_judges(settings, registry))
    write_pack(out, members, registry, environment=environment, top=RELEASE_TOP)
    return len(members) + 1


def own_films(settings: Settings) -> bool:
    """Whether the clips are films of other people, which are not ours to publish."""
    return settings.triangles is not None and settings.triangles.clips is not None


def is_film(name: str) -> bool:
    """Whether a file of the results is a film, holds films, or most of what one shows.

    Pictures of the representations are up to 64 frames of each film at its own size. Those of the
    triangles are no such thing: sheets of sixteen reduced frames, and of keyframe one still.
    """
    path = PurePosixPath(name)
    return (
        (path.suffix == ".mp4" and path.parent.name == "clips")
        or path.name == "films.parquet"
        or path.parts[-3:] == _FRAMES_OF_FILMS
    )


def left_out_words(left_out: Collection[str]) -> str:
    """What kinds of files a release is without: raw outputs, films, or both.

    left_out: paths below the results, as in release.json; not empty.
    """
    films = sum(map(is_film, left_out))
    kinds = [
        *(["raw outputs"] if films < len(left_out) else []),
        *(["films and pictures of their frames"] if films else []),
    ]
    return "; ".join(kinds)


def read_release(folder: Path) -> dict[str, Any] | None:
    """What a release says of itself; None for a folder that is none. Raises BadData."""
    path = folder / DESCRIPTION
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: not valid JSON ({error}). Unpack the release again.") from error
    left_out = content.get("left_out") if isinstance(content, dict) else None
    if not isinstance(left_out, list) or content.get("format") != FORMAT:
        raise BadData(
            f"{path}: not a release of format {FORMAT}, which this version of vlmtom reads. Use "
            "the version that packed it."
        )
    return content


def release_problems(folder: Path, settings: Settings) -> list[str]:
    """Files of an unpacked release that differ from its CHECKSUMS, prompts from the present ones.

    What a run or a reader added (results, logs) is not looked at.
    """
    problems = []
    lines = (folder / CHECKSUMS).read_bytes().decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        sha256, _, name = line.partition("  ")
        file = folder / name
        if not name:
            problems.append(f"{folder / CHECKSUMS}, line {number}: not a SHA-256 and a name.")
        elif not file.is_file():
            problems.append(f"{name}: in {CHECKSUMS}, but gone.")
        elif sha256_file(file) != sha256:
            problems.append(f"{name}: not the file of {CHECKSUMS}.")
    for name, text in prompts(settings).items():
        file = folder / PROMPTS / f"{name}.txt"
        if not file.is_file() or sha256_bytes(file.read_bytes()) != sha256_text(text):
            problems.append(f"{PROMPTS}/{name}.txt: not the prompt that this version builds.")
    return problems


def _prompts(settings: Settings) -> list[Member]:
    texts = prompts(settings)
    rows = [(name, sha256_text(text)) for name, text in texts.items()]
    return [
        *(Member(f"{PROMPTS}/{name}.txt", text.encode()) for name, text in texts.items()),
        Member(f"{PROMPTS}/index.csv", _csv(("prompt", "sha256"), rows)),
    ]


def _digests(results: Path, files: Sequence[Member]) -> Member:
    """The digest manifest: every file of the run, in the release or not, and every journal."""
    packed = {member.name.removeprefix("results/") for member in files}
    rows = [
        (row["path"], row["sha256"], row["size"], row["rows"], row["path"] in packed)
        for row in read_rows(results / "manifest.parquet", MANIFEST)
    ]
    for journal in sorted(results.glob("*/*/journal/*.jsonl")):
        path = journal.relative_to(results).as_posix()
        rows.append((path, sha256_file(journal), journal.stat().st_size, None, path in packed))
    return Member(DIGESTS, _csv(("path", "sha256", "bytes", "rows", "in_release"), rows))


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def _judges(settings: Settings, registry: Registry) -> Member:
    """Who judged, and how: what a verdict rests on beside rubric and prompts."""
    roles = dict.fromkeys(settings.judges, "panel") | {
        slug: role for slug, role in settings.judge_roles.items() if role != "chosen"
    }
    for slug in settings.representation_judges:
        roles.setdefault(slug, "representations")
    judges = {}
    for slug, role in roles.items():
        spec = judge_spec(settings, registry, slug, "blinded", "numbered")
        told = spec.model.model_dump(
            mode="json",
            include={"gateway_model", "kind", "family", "lab", "price", "sampling", "json_schema"},
        )
        judges[slug] = {"role": role} | told
    content = {
        "judges": judges,
        "overlays": {overlay: list(arms) for overlay, arms in settings.judged.items()},
        "reasks": settings.judging.reasks,
        "exemplar_repetitions": settings.judging.repetitions,
        "rubric": {"file": "resources/rubric.csv", "sha256": sha256_file("resources/rubric.csv")},
    }
    head = "# Judges as they were asked: temperature 0, one verdict on each description.\n"
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return Member(JUDGES, (head + text).encode())


def _description(settings: Settings, results: Path, files: Sequence[Member]) -> Member:
    packed = {member.name.removeprefix("results/") for member in files}
    rows = read_rows(results / "manifest.parquet", MANIFEST)
    content = {
        "format": FORMAT,
        **versions(),
        "aggregation_digest": code_digest(*AGGREGATION),
        "panel": settings.panel,
        "raw": settings.release.raw,
        "left_out": sorted(row["path"] for row in rows if row["path"] not in packed),
    }
    return Member(DESCRIPTION, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _readme(settings: Settings) -> str:
    raw = (
        "Raw replies, verdicts and their journals are in it."
        if settings.release.raw
        else "Raw replies, verdicts and their journals are not in it; digests.csv has the digest "
        "of each, so that what is published later can be told to be the same. Scored outcomes, "
        "cells and everything after them are in it."
    )
    paragraphs = [
        f"A release of vlmtom: panel {settings.panel}",
        _wrapped(
            "Stimuli, prompts, the locked rubric, judge configuration, code and digests of a run "
            f"that measures theory of mind in vision-language models. {raw}"
        ),
        "    results/stimuli/    pictures as they were sent, items (turn by turn), contact sheets\n"
        "    results/clips/      films, sampled frames, kinematics\n"
        "    results/keys/       answers and scripts: keep them from models that are to be tested\n"
        "    results/tables/, results/figures/    the numbers; results/codebook.csv explains them\n"
        "    prompts/            every prompt as text; index.csv has their SHA-256\n"
        "    judges.yaml         judges and how they were asked\n"
        "    resources/          rubric.csv, locks.yaml, exemplars.csv, references.csv, clips/\n"
        "    digests.csv         SHA-256 of every file of the run, and whether it is in here\n"
        "    release.json        versions, digests of the whole code and of what aggregates\n"
        "    config/             the whole configuration, and the models and endpoints it names\n"
        "    Snakefile, rules/, workflow/, src/vlmtom/    the code; docs/ explains it",
        "CHECK that it is whole, and that its stimuli are what the code draws, pixel for pixel\n"
        "(with the packages of requirements.lock):\n\n"
        "    sha256sum --quiet --check CHECKSUMS\n"
        '    PYTHONPATH="$PWD/src" python -m vlmtom.cli verify',
    ]
    if settings.mosaic_pairs:
        said = ", calls, and what was said" if settings.release.raw else ""
        paragraphs.append(
            _wrapped(f"results/mosaic/ holds the game by pair and condition: trials, steps{said}.")
        )
    if settings.release.raw and returned(settings):
        paragraphs.append(
            _wrapped(
                "resources/own_ratings/ holds what people gave, a file each under the code that "
                "the rater was given, and results/rating/ whose descriptions they rated."
            )
        )
    if own_films(settings):
        paragraphs.append(
            _wrapped(
                "The animated triangles were original films. Not in it are the films, the copies "
                "that were sent (films.parquet) and, where representations were shown, the "
                "pictures with up to 64 frames of each at its own size "
                "(results/stimuli/representations/pictures.parquet); digests.csv has their "
                "digests. In it are the sheets, sixteen frames of each film reduced to 320x240, "
                "and figures that show one; and, where the arm keyframe was shown, one still of "
                "each film at its own size. They are checked against their own digests. Whether "
                "these may be passed on is for whoever releases them to know."
            )
        )
    return "\n\n".join(paragraphs) + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88, break_on_hyphens=False, break_long_words=False)
