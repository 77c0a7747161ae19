"""`vlmtom unbundle`: a bundle into a folder of its own, checked, and how to go on from there."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from shlex import quote
from typing import Any

from vlmtom import __version__
from vlmtom.commands.archives import unpack
from vlmtom.commands.bundle import DESCRIPTION, FORMAT
from vlmtom.errors import BadData, FileExists
from vlmtom.store.digests import code_digest


@dataclass(frozen=True)
class Unbundled:
    """What was unpacked, and what is otherwise here than where it was packed."""

    folder: Path
    description: Mapping[str, Any]
    files: int
    differences: tuple[str, ...]


def unbundle(archive: Path, folder: Path) -> Unbundled:
    """Unpack into a new folder; it appears once everything in it was checked.

    Raises FileExists for a folder with something in it, BadData for an archive that is not whole,
    not a bundle, or not to be trusted.
    """
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FileExists(f"{folder} is there already and not empty. Give a new folder.")
    whole = folder.resolve()
    temporary = whole.with_name(f".{whole.name}.{os.getpid()}.tmp")
    temporary.mkdir(parents=True)
    try:
        unpack(archive, temporary)
        description = read_description(temporary)
        if description is None:
            raise BadData(f"{archive}: no {DESCRIPTION} in it. `vlmtom bundle` makes one.")
        files = sum(path.is_file() for path in temporary.rglob("*"))
        temporary.replace(whole)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    # Whole: in `.`, the folder one stands in is not the one that is there now.
    return Unbundled(whole, description, files, tuple(_differences(description)))


def read_description(folder: Path) -> dict[str, Any] | None:
    """What a bundle says of itself; None for a folder that is none. Raises BadData."""
    path = folder / DESCRIPTION
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: not valid JSON ({error}).") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadData(
            f"{path}: not a bundle of format {FORMAT}, which this version of vlmtom reads. "
            "Use the version that packed it."
        )
    if not _is_description(content):
        raise BadData(f"{path}: not what `vlmtom bundle` writes. Fetch the archive again.")
    return content


def _is_description(content: Mapping[str, Any]) -> bool:
    """Whether everything is there that is told, and can be printed: a terminal obeys the rest."""
    libraries, commands = content.get("libraries"), content.get("rebuild")
    if not isinstance(libraries, dict) or not isinstance(commands, list):
        return False
    names = (content.get("vlmtom"), content.get("code_digest"))
    texts = (*names, *libraries, *libraries.values(), *commands)
    return isinstance(content.get("verified"), bool) and all(
        isinstance(text, str) and text.isprintable() for text in texts
    )


def report(done: Unbundled, say: Callable[[str], object]) -> None:
    """Tell a person what is there and how to rebuild it."""
    say(f"{done.folder}: {done.files:,} files, each as CHECKSUMS says.")
    for difference in done.differences:
        say(f"Other than here: {difference}")
    if not done.description["verified"]:
        say("It was packed although something differed from its manifest: see README.txt.")
    say("To rebuild what is derived, with the code of the bundle (README.txt has more):")
    say(f"  cd {quote(str(done.folder))}")
    for command in done.description["rebuild"]:
        say(f"  {command}")
    say("  sha256sum --quiet --check CHECKSUMS")


def _differences(description: Mapping[str, Any]) -> list[str]:
    """What of code and libraries is otherwise here; bytes may come out otherwise with it."""
    said = []
    if description["code_digest"] != code_digest(""):
        said.append(
            f"the code of vlmtom ({description['vlmtom']}, digest {description['code_digest']}; "
            f"here {__version__}, {code_digest('')}). Rebuild with the code of the bundle."
        )
    for name, version in description["libraries"].items():
        try:
            here = metadata.version(name)
        except metadata.PackageNotFoundError:
            here = "not installed"
        if here != version:
            said.append(f"{name} {version} (here {here}).")
    return said
