"""What counts as the same: canonical JSON, SHA-256 of texts and files, digests of code, seeds."""

import hashlib
import json
from pathlib import Path

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[1]


def canonical_json(value: object) -> str:
    """One spelling per value: sorted keys, no spaces, ASCII with escapes, no NaN.

    ASCII keeps lone surrogates, which models do send, writable.
    Raises ValueError for NaN and infinities, TypeError for what JSON cannot hold.
    """
    return _CANONICAL.encode(value)


def sha256_text(text: str) -> str:
    """SHA-256 of the UTF-8 bytes, as 64 hex digits. Lone surrogates are kept, not refused."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_bytes(content: bytes) -> str:
    """SHA-256 of bytes, as 64 hex digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_json(value: object) -> str:
    """SHA-256 of the canonical JSON of a value."""
    return sha256_text(canonical_json(value))


def sha256_file(path: str | Path) -> str:
    """SHA-256 of a file's bytes, read in blocks."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def code_digest(*places: str) -> str:
    """Digest of the source that a rule runs, so that an edited helper reruns it.

    places: rooms of the package ("director"), single modules ("settings"), or places below the
    repository: files ("workflow/scripts/director_outcomes.py"), folders of resources with all
    that is in them ("resources/clips"). Sixteen hex digits.

    Snakemake sees neither an imported helper nor the content of a script behind an unchanged
    time stamp; this digest, a rule's parameter, sees both.
    Raises FileNotFoundError for a place that does not exist.
    """
    sources = [source for place in places for source in code_sources(place)]
    total = hashlib.sha256()
    for source in sources:
        base = PACKAGE if source.is_relative_to(PACKAGE) else REPOSITORY
        total.update(source.relative_to(base).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(source.read_bytes()).digest())
    return total.hexdigest()[:16]


def code_sources(place: str) -> list[Path]:
    """The files behind a place of code_digest, sorted: of a room all that it runs or shows."""
    root = PACKAGE / place
    if not root.exists():
        root = REPOSITORY / place
    if not root.exists():
        raise FileNotFoundError(f"no such source for a code digest: {place}")
    if root.is_file():
        return [root]
    inside = root.is_relative_to(PACKAGE)
    kinds = (".py", ".j2", ".js", ".css", ".png") if inside else (".csv", ".yaml", ".txt")
    return sorted(
        path
        for path in root.rglob("*")
        if path.suffix in kinds
        and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(root).parts)
    )


def folder_digest(folder: str | Path) -> str:
    """Digest of what lies in a folder: names, sizes and times of change, not contents.

    For folders of large files, whose contents would take long to read. Sixteen hex digits; of a
    folder that does not exist, as of an empty one.
    """
    root = Path(folder)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    found = [
        [path.relative_to(root).as_posix(), path.stat().st_size, path.stat().st_mtime_ns]
        for path in files
    ]
    return sha256_json(found)[:16]


def seed_for(*identity: object) -> int:
    """A 63-bit seed derived from ids, so that the order of draws never matters.

    identity: what the draw is for, e.g. (run seed, experiment, arm, stimulus, trial).
    """
    digest = hashlib.sha256(canonical_json([str(part) for part in identity]).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
