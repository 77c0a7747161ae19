"""Locked instruments: prompts, stimuli and thresholds carry a SHA-256 that a run must meet."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from vlmtom.errors import BadData, LockMismatch
from vlmtom.store.digests import sha256_json
from vlmtom.store.files import write_bytes

_HEADER = (
    "# SHA-256 of every instrument: prompts (of the text), stimuli (of the pixels), thresholds.\n"
    "# A run stops on a difference. Written by `vlmtom lock`, which is how a change is accepted.\n"
)


def read_locks(path: str | Path) -> dict[str, str]:
    """Instrument names with their digests; empty if the file does not exist yet.

    Raises BadData if the file is not a mapping of names to 64 hex digits.
    """
    path = Path(path)
    if not path.exists():
        return {}
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise BadData(f"{path}: not valid YAML: {error}. Run `vlmtom lock` again.") from error
    for name, digest in content.items() if isinstance(content, dict) else [("file", content)]:
        if not (isinstance(digest, str) and len(digest) == 64):
            raise BadData(f"{path}: {name!r} has no SHA-256. Run `vlmtom lock` again.")
    return content


def check_locks(path: str | Path, instruments: Mapping[str, str]) -> None:
    """Raise LockMismatch, naming each instrument that is not locked or not as it was locked."""
    problems = lock_problems(path, instruments)
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:12])
        more = f"\n  … and {len(problems) - 12} more" if len(problems) > 12 else ""
        raise LockMismatch(
            f"{path}: {len(problems)} instruments differ from their locks:\n{shown}{more}\n"
            "Results under changed instruments cannot be compared with earlier ones. If the "
            "change is meant, run `vlmtom lock --config YOUR_CONFIG` and commit the file; "
            "else undo the change."
        )


def lock_problems(path: str | Path, instruments: Mapping[str, str]) -> list[str]:
    """What differs, one sentence an instrument, in the order given."""
    locked = read_locks(path)
    problems = []
    for name, digest in instruments.items():
        if name not in locked:
            problems.append(f"{name}: not locked")
        elif locked[name] != digest:
            problems.append(f"{name}: locked {locked[name][:12]}…, found {digest[:12]}…")
    return problems


def write_locks(path: str | Path, instruments: Mapping[str, str]) -> list[str]:
    """Lock instruments, keep the other entries, and return what changed."""
    path = Path(path)
    problems = lock_problems(path, instruments)
    if problems or not path.exists():
        locked = dict(sorted((read_locks(path) | dict(instruments)).items()))
        text = _HEADER + yaml.safe_dump(locked, sort_keys=True, allow_unicode=True, width=200)
        write_bytes(path, text.encode(), replace=True)
    return problems


def locks_digest(path: str | Path, prefixes: tuple[str, ...]) -> str:
    """Digest of the locks under some prefixes: a rule's parameter, so that locking reruns it."""
    return sha256_json(
        {name: digest for name, digest in read_locks(path).items() if name.startswith(prefixes)}
    )[:16]
