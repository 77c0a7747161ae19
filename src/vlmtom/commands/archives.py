"""Archives that hold the same bytes for the same files, and unpacking that trusts none.

Everything in one lies below a single folder, one of TOPS. Names are sorted, times and owners fixed.
"""

import errno
import gzip
import hashlib
import io
import os
import re
import shutil
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vlmtom.errors import BadData, FileExists

TOP, RELEASE_TOP = "vlmtom-bundle", "vlmtom-release"
TOPS = (TOP, RELEASE_TOP)
CHECKSUMS = "CHECKSUMS"
# One time for all files, so that none is newer than another and Snakemake makes nothing anew.
# The earliest that a ZIP can hold: 1980-01-01 UTC.
TIME = 315_532_800
_BLOCK = 1 << 20
MOST_FILES = 200_000
# A journal packs to a twentieth; what grows to more than this was made to fill a disk.
MOST_GROWTH, ALWAYS_ALLOWED = 200, 1 << 30
# Longer than any name in a bundle; file systems take 255 bytes and 4096.
LONGEST_PART, LONGEST_NAME = 255, 1024
# What the libraries raise of bytes that are no archive, or of one that was made to confuse them.
_NOT_WHOLE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, gzip.BadGzipFile),
    *(NotImplementedError, RecursionError, ValueError, struct.error),
)


@dataclass(frozen=True)
class Member:
    """A file of an archive. name: its path below the top. content: bytes, or the file to copy."""

    name: str
    content: bytes | Path

    def open(self) -> IO[bytes]:
        """Its bytes, from the first on."""
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else _read(self.content)


@dataclass(frozen=True)
class Sum:
    """What a file's bytes came to when they were looked at."""

    sha256: str
    size: int


@dataclass(frozen=True)
class _Entry:
    name: str
    size: int
    source: tarfile.TarInfo | zipfile.ZipInfo


def checksums(sums: Mapping[str, Sum]) -> bytes:
    """The lines that `sha256sum -c` reads, sorted by name."""
    return "".join(f"{sums[name].sha256}  {name}\n" for name in sorted(sums)).encode()


def summed(file: IO[bytes]) -> Sum:
    """Digest and size of what is left in a file."""
    digest, size = hashlib.sha256(), 0
    while block := file.read(_BLOCK):
        digest.update(block)
        size += len(block)
    return Sum(digest.hexdigest(), size)


def refuse_place(path: Path) -> None:
    """Raise unless an archive can be made there: BadData for its name, FileExists if it is."""
    if not path.name.endswith((".tar.gz", ".zip")):
        raise BadData(f"{path}: expected a name that ends in .tar.gz or .zip.")
    if path.exists():
        raise FileExists(f"{path} exists, and is not written over. Give another --out.")


def write_archive(
    path: Path, members: Sequence[Member], sums: Mapping[str, Sum], top: str = TOP
) -> None:
    """Create an archive, whole or not at all. sums: of every member, by name.

    top: the folder that all of it lies in.

    Raises BadData if a file is not what it was when it was summed; as refuse_place.
    """
    refuse_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(members, key=lambda member: member.name)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            (_write_zip if path.name.endswith(".zip") else _write_tar)(file, ordered, sums, top)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            refuse_place(path)
    finally:
        temporary.unlink(missing_ok=True)


def unpack(archive: Path, folder: Path) -> None:
    """Write an archive's files below a folder, without their top, and check their sums.

    Names, kinds and sizes of all entries are checked before the first byte is written. Raises
    BadData naming the entry that cannot be trusted, or the file that is not as CHECKSUMS says.
    """
    try:
        with _opened(archive) as (entries, stream):
            _check(archive, entries)
            for entry in entries:
                _copy(archive, entry, stream(entry), folder)
    except (*_NOT_WHOLE, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # of the disk: no room, no right; an impossible place in a file is EINVAL
        raise BadData(f"{archive}: not a whole archive ({error}). Fetch it again.") from error
    _check_sums(archive, folder)


def _read(path: Path) -> IO[bytes]:
    return path.open("rb")


class _Unpacking(gzip.GzipFile):
    """What is in a .tar.gz, a block at most at a time.

    tarfile reads a name or a comment at once, however long it says that it is.
    """

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _BLOCK:
            raise BadData(
                f"{self.name}: a name or a comment in it is longer than {_BLOCK:,} bytes. Nothing "
                "was unpacked. `vlmtom bundle` makes no such archive."
            )
        return super().read(size)


class _Watched(io.RawIOBase):
    """A member's bytes on their way into the archive, which must be those that were summed."""

    def __init__(self, member: Member, expected: Sum) -> None:
        self._member, self._expected = member, expected
        self._file, self._digest, self._left = member.open(), hashlib.sha256(), expected.size

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        block = self._file.read(wanted)
        if len(block) < wanted:
            self._refuse()
        self._digest.update(block)
        self._left -= wanted
        return block

    def close(self) -> None:
        self._file.close()
        super().close()

    def check(self) -> None:
        more = self._file.read(1)
        if more or self._left or self._digest.hexdigest() != self._expected.sha256:
            self._refuse()

    def _refuse(self) -> None:
        raise BadData(
            f"{self._member.content}: changed while it was packed. Is something writing to the "
            "results? Run the same command again when it has ended."
        )


def _write_tar(
    file: IO[bytes], members: Sequence[Member], sums: Mapping[str, Sum], top: str
) -> None:
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for member in members:
            info = tarfile.TarInfo(f"{top}/{member.name}")  # owner 0, no name
            info.size, info.mtime, info.mode = sums[member.name].size, TIME, 0o644
            with _Watched(member, sums[member.name]) as watched:
                tar.addfile(info, watched)
                watched.check()


def _write_zip(
    file: IO[bytes], members: Sequence[Member], sums: Mapping[str, Sum], top: str
) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for member in members:
            info = zipfile.ZipInfo(f"{top}/{member.name}", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # as on Unix, wherever it is made
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.file_size = sums[member.name].size
            with _Watched(member, sums[member.name]) as watched:
                with archive.open(info, "w") as target:
                    shutil.copyfileobj(watched, target, _BLOCK)
                watched.check()


@contextmanager
def _opened(archive: Path) -> Iterator[tuple[list[_Entry], object]]:
    try:
        with archive.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise BadData(f"{archive}: cannot be read ({error.strerror}).") from error
    if start.startswith(b"\x1f\x8b"):
        with _Unpacking(archive) as file, tarfile.open(fileobj=file, mode="r:") as tar:
            yield list(_tar_entries(archive, tar)), lambda entry: tar.extractfile(entry.source)
    elif start.startswith(b"PK"):
        with zipfile.ZipFile(archive) as packed:
            yield list(_zip_entries(archive, packed)), lambda entry: packed.open(entry.source)
    else:
        raise BadData(f"{archive}: neither a .tar.gz nor a .zip, whatever its name says.")


def _tar_entries(archive: Path, tar: tarfile.TarFile) -> Iterator[_Entry]:
    allowed = _Allowance(archive)
    for info in tar:
        if info.isdir():
            allowed.take(info.name, 0)
            _name_below_top(archive, f"{info.name.rstrip('/')}/x")
            continue
        if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.sparse:
            raise _refused(archive, info.name, "it is not an ordinary file")
        allowed.take(info.name, info.size)
        yield _Entry(_name_below_top(archive, info.name), info.size, info)


def _zip_entries(archive: Path, packed: zipfile.ZipFile) -> Iterator[_Entry]:
    allowed = _Allowance(archive)
    for info in packed.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() and kind in (0, stat.S_IFDIR):
            allowed.take(info.orig_filename, 0)
            _name_below_top(archive, f"{info.orig_filename.rstrip('/')}/x")
            continue
        if kind not in (0, stat.S_IFREG) or info.flag_bits & 1 or info.is_dir():
            raise _refused(archive, info.orig_filename, "it is not an ordinary file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused(archive, info.orig_filename, "it is packed in a way not used here")
        allowed.take(info.orig_filename, info.file_size)
        yield _Entry(_name_below_top(archive, info.orig_filename), info.file_size, info)


class _Allowance:
    """How much an archive may unpack to."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._most = max(ALWAYS_ALLOWED, MOST_GROWTH * archive.stat().st_size)
        self._files = self._bytes = 0

    def take(self, name: str, size: int) -> None:
        self._files += 1
        self._bytes += size
        if size < 0 or self._bytes > self._most:
            raise _refused(self._archive, name, f"with it, more than {self._most:,} bytes unpack")
        if self._files > MOST_FILES:
            raise _refused(self._archive, name, f"there are more than {MOST_FILES:,} files")


def _name_below_top(archive: Path, name: str) -> str:
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise _refused(archive, name, "its name leads elsewhere")
    if re.search(r"[\\\x00-\x1f\x7f]", name) or re.match(r"[A-Za-z]:", name):
        raise _refused(archive, name, "its name holds characters that no bundle uses")
    lengths = [len(part.encode("utf-8", "surrogateescape")) for part in parts]
    if max(lengths) > LONGEST_PART or sum(lengths) > LONGEST_NAME:
        raise _refused(archive, name, "its name is too long")
    if parts[0] not in TOPS or len(parts) < 2:
        raise _refused(archive, name, f"it is not below {TOP}/, as all of a bundle is")
    return "/".join(parts[1:])


def _refused(archive: Path, name: str, why: str) -> BadData:
    shown = name.encode("unicode_escape").decode()[:200]
    return BadData(
        f"{archive}: the entry '{shown}' is refused: {why}. Nothing was unpacked. "
        "`vlmtom bundle` makes no such archive."
    )


def _check(archive: Path, entries: Sequence[_Entry]) -> None:
    """Refuse names that stand there twice (also on a disk that knows no case), or in a file."""
    seen: dict[str, str] = {}
    for entry in entries:
        folded = unicodedata.normalize("NFC", entry.name).casefold()
        if folded in seen:
            raise _refused(archive, entry.name, f"there is {seen[folded]!r} already")
        seen[folded] = entry.name
    for folded, name in seen.items():
        parents = folded.split("/")[:-1]
        if any("/".join(parents[:n]) in seen for n in range(1, len(parents) + 1)):
            raise _refused(archive, name, "it lies in a file")


def _copy(archive: Path, entry: _Entry, source: IO[bytes] | None, folder: Path) -> None:
    target = folder / entry.name
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with source, target.open("xb") as file:
        while block := source.read(_BLOCK):
            written += len(block)
            file.write(block)
    if written != entry.size:
        raise _refused(archive, entry.name, f"{written} bytes, where it says {entry.size}")
    os.utime(target, (TIME, TIME))


def _check_sums(archive: Path, folder: Path) -> None:
    path = folder / CHECKSUMS
    if not path.is_file():
        raise BadData(f"{archive}: no {CHECKSUMS} in it. `vlmtom bundle` makes no such archive.")
    expected = {}
    for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1):
        match = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
        if match is None:
            raise BadData(f"{archive}: {CHECKSUMS}, line {number}: not a SHA-256 and a name.")
        expected[match[2]] = match[1]
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    for name in sorted(found ^ {*expected, CHECKSUMS}):
        where = "there, but not" if name in found else "not there, but"
        raise BadData(f"{archive}: {name} is {where} in {CHECKSUMS}. Fetch the archive again.")
    for name, sha256 in expected.items():
        with (folder / name).open("rb") as file:
            if summed(file).sha256 != sha256:
                raise BadData(
                    f"{archive}: {name} is not the file of {CHECKSUMS}: it was changed after it "
                    "was packed. Fetch the archive again."
                )
