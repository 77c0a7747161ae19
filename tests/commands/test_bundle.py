"""What a bundle refuses to carry, and what unbundle refuses to unpack."""

import base64
import gzip
import hashlib
import io
import json
import os
import re
import stat
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from tests.commands.helpers import Run, vlmtom
from tests.loopback.server import LoopbackServer
from vlmtom.commands import archives
from vlmtom.commands.archives import Member, checksums, summed, unpack, write_archive
from vlmtom.commands.bundle import DESCRIPTION
from vlmtom.commands.leaks import Scanner
from vlmtom.commands.rebuilding import NEED_REPLIES, WORDS_OF_NEEDY, Rebuild
from vlmtom.commands.release import is_film, left_out_words, read_release, release
from vlmtom.commands.unbundle import read_description
from vlmtom.errors import BadData, FileExists, NotBundled
from vlmtom.observers import answer
from vlmtom.settings import load_registry, load_settings
from vlmtom.stats.references import REFERENCES
from vlmtom.store.journal import JournalWriter
from vlmtom.store.schema import Column, Schema

KEY = "planted-4c1d9e7b2a6f8053"


def new(folder):
    folder.mkdir()
    return folder


@pytest.fixture
def run(tmp_path):
    """A run that asked nobody yet; `--unverified` packs it."""
    run = Run(new(tmp_path / "run"))
    run.config |= {
        "locks": "locks.yaml",
        "director": {"arms": {"canonical": {"scenes": 1, "trials": 1}}},
    }
    run.save()
    return run


def pack(run, *options, out="out.tar.gz", **environment):
    arguments = ("bundle", "--config", "config.yaml", "--unverified", "--out", out, *options)
    return vlmtom(run.folder, *arguments, **environment)


def scan(content, name="a.txt", environment=(), keys=()):
    scanner = Scanner(dict(environment), keys)
    return [str(hit) for hit in scanner.hits(name, io.BytesIO(content))]


# What is packed


def test_a_run_that_is_not_finished_is_refused_by_name(run):
    done = vlmtom(run.folder, "bundle", "--config", "config.yaml", "--out", "out.tar.gz")
    assert done.returncode == 1
    assert "replies/t1/director.w1.parquet: not there yet" in done.stderr
    assert "no manifest" in done.stderr
    assert not (run.folder / "out.tar.gz").exists()


def test_a_planted_key_is_found_in_a_journal_and_in_parquet_and_is_not_repeated(run):
    with JournalWriter(run.replies("t1") / "journal", "director.w1") as journal:
        journal.append({"kind": "reply", "text": f"my key is {KEY}"})
    table = pa.table({"n": [1, 2], "said": [["nothing"], ["much", KEY]]})
    (run.results / "cells").mkdir()
    pq.write_table(table, run.results / "cells" / "own.parquet", compression="zstd")
    run.registry["endpoints"]["loop"]["api_key_env"] = "ODD_NAME"
    run.save()
    done = pack(run, "--allow-shape", ODD_NAME=KEY)
    assert done.returncode == 1
    assert "journal/director.w1.0001.jsonl, line 2: the value of ODD_NAME" in done.stderr
    assert "cells/own.parquet, column said, row 2: the value of ODD_NAME" in done.stderr
    assert KEY not in done.stderr + done.stdout
    assert [path.name for path in run.folder.glob("*out.tar.gz*")] == []


def test_the_value_of_any_variable_that_is_named_as_a_key_is_found(run):
    (run.results / "tables").mkdir()
    (run.results / "tables" / "own.csv").write_text(f"a,b\n1,{KEY}\n")
    done = pack(run, MY_SERVICE_TOKEN=KEY)
    assert done.returncode == 1
    assert "results/tables/own.csv, line 2: the value of MY_SERVICE_TOKEN" in done.stderr


def test_references_of_ones_own_travel_with_the_run(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(Path(REFERENCES).read_text() + "# mine\n")
    run.config |= {"references": str(path)}
    run.save()
    assert pack(run).returncode == 0
    with tarfile.open(run.folder / "out.tar.gz") as archive:
        content = {m.name.split("/", 1)[1]: archive.extractfile(m).read() for m in archive}
    assert content["resources/references.csv"] == path.read_bytes()
    assert yaml.safe_load(content["config/config.yaml"])["references"] == "resources/references.csv"


def test_a_shape_passes_only_when_it_is_allowed(run):
    (run.results / "tables").mkdir()
    (run.results / "tables" / "own.csv").write_text("said\nsk-proj-0123456789abcdefghij\n")
    refused = pack(run)
    assert refused.returncode == 1
    assert "own.csv, line 2: the shape of a key (sk-…)" in refused.stderr
    assert "--allow-shape" in refused.stderr
    assert "0123456789abcdefghij" not in refused.stderr
    done = pack(run, "--allow-shape")
    assert done.returncode == 0, done.stderr
    assert "own.csv, line 2" in done.stdout


def test_a_table_that_cannot_be_looked_through_is_not_packed(run):
    (run.results / "tables").mkdir()
    (run.results / "tables" / "own.parquet").write_bytes(b"PAR1 and no more")
    done = pack(run)
    assert done.returncode == 1
    assert "own.parquet: not a whole Parquet file" in done.stderr


def test_nothing_is_packed_while_a_journal_is_written(run):
    with JournalWriter(run.replies("t2") / "journal", "director.w1") as journal:
        journal.append({"kind": "reply"})
        done = pack(run)
    assert done.returncode == 1
    assert "the journal director.w1 is being written by process" in done.stderr
    assert pack(run).returncode == 0


def test_an_archive_that_is_there_is_not_written_over(run):
    assert pack(run).returncode == 0
    before = (run.folder / "out.tar.gz").read_bytes()
    again = pack(run)
    assert again.returncode == 1
    assert "out.tar.gz exists" in again.stderr
    assert (run.folder / "out.tar.gz").read_bytes() == before
    nowhere = pack(run, out="/proc/none/out.zip")
    assert nowhere.returncode == 1
    assert nowhere.stderr.startswith("vlmtom bundle: /proc/none: No such file or directory.")
    odd = pack(run, out="out.rar")
    assert ".tar.gz or .zip" in odd.stderr


def test_testers_that_are_not_configured_and_what_is_no_result_stay_at_home(run):
    for name in ("replies/t9/journal/director.w1.0001.jsonl", "logs/a.log", "calls/x.spent"):
        path = run.results / name
        path.parent.mkdir(parents=True)
        path.write_text("{}\n")
    (run.results / "tables").mkdir()
    (run.results / "tables" / ".hidden").write_text("")
    assert pack(run).returncode == 0
    with tarfile.open(run.folder / "out.tar.gz") as tar:
        names = tar.getnames()
    assert "vlmtom-bundle/results/stimuli/director/items.parquet" in names
    assert "vlmtom-bundle/src/vlmtom/cli.py" in names
    assert "vlmtom-bundle/Snakefile" in names
    for word in ("t9", "logs", "/calls/x", ".hidden", ".lock\n"):
        assert not [name for name in names if word in name], word


def test_requests_without_a_reply_move_the_start_of_a_rebuild_behind_the_journals():
    whole = Rebuild(text=True, triangles=True).commands()
    assert "results/blind" in whole[0]
    assert whole[1] == "rm results/replies/*/*.parquet results/verdicts/*/*.parquet"
    gaps = Rebuild(text=True, triangles=True, unanswered=3)
    assert len(gaps.commands()) == 2
    assert "blind" not in gaps.commands()[0]
    assert "3 requests have no reply" in gaps.notes[0]


def test_a_run_of_some_windows_is_rebuilt_without_opening_the_next():
    partial = Rebuild(text=True, triangles=False, window=2, windows=3)
    assert partial.commands()[-1].endswith(" window_2 --config window_gap_hours=1000000")
    assert "2 of 3 windows were asked" in partial.notes[0]


# Looking for keys


@pytest.mark.parametrize(
    "text",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "AKIA0123456789ABCDEF",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "github_pat_0123456789_abcdefghijklmnopqrstuvwxyz",
        "hf_abcdefghijklmnopqrstuvwxyz01234567",
        "AIza0123456789abcdefghijklmnopqrstuvwxy",
        "Authorization: Bearer abc123def456ghi789",
        "-----BEGIN RSA PRIVATE KEY-----",
        "http://user:pass@gateway.example/v1",
    ],
)
def test_well_known_shapes_are_found_alone_and_in_json(text):
    for content in (
        *(text, f'{{"text": "so: {text}"}}', f"\\n\n {text}"),
        *(f"THE_KEY={text}", f"https://example.org/v1?key={text}&a=b"),
        *(f'{{"text": "it is\\n{text}"}}', f"authorization: bearer {text}"),
    ):
        assert scan(content.encode()), content


@pytest.mark.parametrize(
    "text",
    [
        "the task-oriented-description-of-it",
        "a risk-adjusted-0123456789-measure",
        "iVBORw0KGgoAAAsk-notAIza0123456789abcdefghijklmnopqrstuvwxyzAAAA",
        "Bearer authentication",
        "http://127.0.0.1:8000/v1",
        "https://example.org/a?b=c:d@e",
    ],
)
def test_ordinary_text_has_no_shape(text):
    assert scan(text.encode()) == []


@pytest.mark.parametrize(
    "value", ['with"quote\\and', "pass word&<x>", "schlüssel-ß-lang", "a/b?c=d e"]
)
def test_a_value_is_found_however_it_is_spelled(value):
    import html
    import json
    from urllib.parse import quote

    once = json.dumps(value)
    for text in (value, once, json.dumps(once), html.escape(value), quote(value, safe="")):
        assert scan(text.encode(), environment={"K": value}, keys=["K"]), text


def test_a_value_is_found_in_base64_and_as_it_is_sent():
    for before in ("", "u", "u:", "us:", "user:"):
        for after in ("", "!", "!!", "!!!"):
            packed = base64.b64encode(f"{before}{KEY}{after}".encode())
            assert scan(b"x " + packed, environment={"A_KEY": KEY}), (before, after)
    odd = "a>b?c/d=e~f"
    for encoded in (base64.b64encode, base64.urlsafe_b64encode):
        assert scan(encoded(odd.encode()), environment={"A_KEY": odd})
    assert scan(b"a%2fb%2bc%3dd-e", environment={"A_KEY": "a/b+c=d-e"})
    # A client strips what the variable holds, and so does what is looked for.
    assert scan(f"key: {KEY}, sent".encode(), environment={"K": f" {KEY}\r\n"}, keys=["K"])


def test_short_values_are_not_looked_for():
    # "EMPTY" is what some local servers take for a key; it would be found in ordinary words
    assert (
        scan(b"EMPTY seven77", environment={"K": "EMPTY", "A_TOKEN": "seven77"}, keys=["K"]) == []
    )


def test_a_long_key_is_not_told_as_a_short_one_that_it_begins_with():
    environment = {"A_KEY": "abcdefgh", "B_KEY": "abcdefghij"}
    assert scan(b"abcdefghij", environment=environment) == ["a.txt, line 1: the value of B_KEY"]


# Archives


def archive_of(tmp_path, name="a.tar.gz", files=(("b.txt", b"b"), ("a/c.txt", b"c"))):
    members = [Member(*file) for file in files]
    sums = {m.name: summed(m.open()) for m in members}
    listing = checksums(sums)
    members.append(Member(archives.CHECKSUMS, listing))
    sums[archives.CHECKSUMS] = summed(io.BytesIO(listing))
    write_archive(tmp_path / name, members, sums)
    return tmp_path / name


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
def test_what_is_packed_comes_out_again_at_one_time_with_its_sums(tmp_path, name):
    packed = archive_of(tmp_path, name)
    unpack(packed, tmp_path / "out")
    assert (tmp_path / "out" / "a" / "c.txt").read_bytes() == b"c"
    digest = hashlib.sha256(b"c").hexdigest()
    lines = (tmp_path / "out" / "CHECKSUMS").read_text().splitlines()
    assert lines[0] == f"{digest}  a/c.txt"
    times = {path.stat().st_mtime for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert times == {archives.TIME}


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_the_order_of_files_and_their_times_leave_no_trace(tmp_path, suffix):
    one = archive_of(tmp_path, f"one{suffix}")
    two = archive_of(tmp_path, f"two{suffix}", (("a/c.txt", b"c"), ("b.txt", b"b")))
    assert one.read_bytes() == two.read_bytes()


def test_a_file_that_changes_while_it_is_packed_is_noticed(tmp_path):
    path = tmp_path / "growing.txt"
    for later in (b"other", b"more than before", b"-"):
        path.write_bytes(b"first")
        sums = {"growing.txt": summed(io.BytesIO(b"first"))}
        path.write_bytes(later)
        with pytest.raises(BadData, match="changed while it was packed"):
            write_archive(tmp_path / "a.tar.gz", [Member("growing.txt", path)], sums)
    assert [path.name for path in tmp_path.iterdir()] == ["growing.txt"]


def tar_with(path, *infos):
    with tarfile.open(path, "w:gz") as tar:
        for info in infos:
            info.size = 0 if info.type != tarfile.REGTYPE else 4
            tar.addfile(info, io.BytesIO(b"evil"))
    return path


def entry(name, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


HOSTILE = {
    "leads elsewhere": [
        entry("vlmtom-bundle/../../evil"),
        entry("/etc/evil"),
        entry("../evil"),
        entry("vlmtom-bundle/a//b"),
    ],
    "not an ordinary file": [
        entry("vlmtom-bundle/a", tarfile.SYMTYPE, "/etc"),
        entry("vlmtom-bundle/a", tarfile.LNKTYPE, "vlmtom-bundle/b"),
        entry("vlmtom-bundle/a", tarfile.CHRTYPE),
        entry("vlmtom-bundle/a", tarfile.BLKTYPE),
        entry("vlmtom-bundle/a", tarfile.FIFOTYPE),
    ],
    "characters that no bundle uses": [
        entry("vlmtom-bundle\\..\\evil"),
        entry("C:/evil"),
        entry("vlmtom-bundle/a\nb"),
    ],
    "its name is too long": [
        entry(f"vlmtom-bundle/{'a' * 256}"),
        entry("vlmtom-bundle/" + "/".join(["a" * 200] * 6)),
    ],
    "not below vlmtom-bundle/": [entry("other/evil"), entry("evil")],
}


@pytest.mark.parametrize(
    ("why", "info"), [(why, info) for why, infos in HOSTILE.items() for info in infos]
)
def test_a_hostile_tar_is_refused_by_entry_and_writes_nothing(tmp_path, why, info):
    packed = tar_with(tmp_path / "a.tar.gz", entry("vlmtom-bundle/fine"), info)
    done = vlmtom(tmp_path, "unbundle", "a.tar.gz", "inner/out")
    assert done.returncode == 1
    assert why in done.stderr
    assert info.name.encode("unicode_escape").decode()[:200] in done.stderr
    left = sorted(path.name for path in tmp_path.rglob("*"))
    assert left in ([packed.name], [packed.name, "inner"])
    assert not Path("/etc/evil").exists()


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("a", "a"), "there is 'a' already"),
        (("Table.csv", "table.CSV"), "there is 'Table.csv' already"),
        (("a", "a/b"), "it lies in a file"),
    ],
)
def test_two_entries_of_one_name_are_refused(tmp_path, names, why):
    packed = tar_with(tmp_path / "a.tar.gz", *(entry(f"vlmtom-bundle/{n}") for n in names))
    with pytest.raises(BadData, match=why):
        unpack(packed, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_hostile_zip_is_refused_by_entry_and_writes_nothing(tmp_path):
    link = zipfile.ZipInfo("vlmtom-bundle/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for info in (zipfile.ZipInfo("vlmtom-bundle/../../evil"), zipfile.ZipInfo("/evil"), link):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
            packed.writestr(info, "/etc")
        with pytest.raises(BadData, match="is refused"):
            unpack(tmp_path / "a.zip", tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_what_unpacks_to_far_more_than_it_is_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "ALWAYS_ALLOWED", 1000)
    packed = archive_of(tmp_path, files=(("zeros", bytes(2_000_000)),))
    with pytest.raises(BadData, match=r"zeros' is refused: with it, more than [\d,]+ bytes"):
        unpack(packed, tmp_path / "out")
    monkeypatch.setattr(archives, "MOST_FILES", 1)
    with pytest.raises(BadData, match="more than 1 files"):
        unpack(archive_of(tmp_path, "many.zip"), tmp_path / "out")


def test_an_archive_that_is_cut_or_no_archive_is_told(tmp_path):
    packed = archive_of(tmp_path, files=(("noise", os.urandom(100_000)),))
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(packed.read_bytes()[:50_000])
    with pytest.raises(BadData, match="not a whole archive"):
        unpack(cut, tmp_path / "out")
    (tmp_path / "text.zip").write_text("words")
    with pytest.raises(BadData, match=r"neither a \.tar\.gz nor a \.zip"):
        unpack(tmp_path / "text.zip", tmp_path / "out")
    with pytest.raises(BadData, match="cannot be read"):
        unpack(tmp_path / "none.zip", tmp_path / "out")
    (tmp_path / "gzip.tar.gz").write_bytes(gzip.compress(b"no tar in it" * 100))
    with pytest.raises(BadData, match="not a whole archive"):
        unpack(tmp_path / "gzip.tar.gz", tmp_path / "out")


def header(name, kind, size):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf()


def test_an_archive_that_was_made_to_exhaust_the_reader_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.tar.gz"
    for kind in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE):
        with gzip.open(path, "wb") as file:  # it says 4 GB; what it holds does not matter
            file.write(header("x", kind, 1 << 32) + bytes(10_000))
        with pytest.raises(BadData, match="a name or a comment in it is longer than"):
            unpack(path, tmp_path / "out")
    with gzip.open(path, "wb") as file:  # each describes the next
        file.write((header("x", tarfile.XHDTYPE, 12) + b"12 path=abc\n".ljust(512, b"\0")) * 3000)
    with pytest.raises(BadData, match="not a whole archive"):
        unpack(path, tmp_path / "out")
    monkeypatch.setattr(archives, "MOST_FILES", 100)
    with gzip.open(path, "wb") as file:
        file.write(header("vlmtom-bundle/d", tarfile.DIRTYPE, 0) * 101)
    with pytest.raises(BadData, match="more than 100 files"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_zip_that_no_library_reads_is_told(tmp_path):
    path = archive_of(tmp_path, "a.zip")
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 6] = 99  # the version that is needed
    path.write_bytes(content)
    with pytest.raises(BadData, match="not a whole archive"):
        unpack(path, tmp_path / "out")


def test_a_file_that_was_changed_or_slipped_in_after_packing_is_named(tmp_path):
    listing = f"{hashlib.sha256(b'b').hexdigest()}  b.txt\n".encode()
    for files, why in (
        ({"b.txt": b"B", "CHECKSUMS": listing}, "b.txt is not the file of CHECKSUMS"),
        ({"b.txt": b"b", "c.txt": b"", "CHECKSUMS": listing}, "c.txt is there, but not in"),
        ({"CHECKSUMS": listing}, "b.txt is not there, but in CHECKSUMS"),
        ({"b.txt": b"b"}, "no CHECKSUMS in it"),
        ({"CHECKSUMS": b"words\n"}, "line 1: not a SHA-256"),
        ({"CHECKSUMS": b"\xff\xfe\n"}, "line 1: not a SHA-256"),
    ):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
            for name, content in files.items():
                packed.writestr(f"vlmtom-bundle/{name}", content)
        done = vlmtom(tmp_path, "unbundle", "a.zip", "out")
        assert done.returncode == 1
        assert why in done.stderr
        assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_not_unpacked_into(tmp_path):
    archive_of(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    done = vlmtom(tmp_path, "unbundle", "a.tar.gz", "out")
    assert done.returncode == 1
    assert "not empty" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_an_archive_without_a_description_is_no_bundle(tmp_path):
    archive_of(tmp_path)
    done = vlmtom(tmp_path, "unbundle", "a.tar.gz", "out")
    assert done.returncode == 1
    assert "no bundle.json in it" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"libraries": None},
        {"libraries": {"numpy": 1}},
        {"rebuild": "rm"},
        {"rebuild": ["true \x1b[8m; false"]},
        {"code_digest": None},
        {"verified": "no"},
    ],
)
def test_a_description_that_no_bundle_has_is_refused(tmp_path, change):
    fine = {"format": 1, "vlmtom": "0", "code_digest": "0", "libraries": {}, "rebuild": ["true"]}
    (tmp_path / DESCRIPTION).write_text(json.dumps(fine | {"verified": True}))
    assert read_description(tmp_path)["rebuild"] == ["true"]
    (tmp_path / DESCRIPTION).write_text(json.dumps(fine | {"verified": True} | change))
    with pytest.raises(BadData, match="not what `vlmtom bundle` writes"):
        read_description(tmp_path)


def test_other_code_is_told_when_a_bundle_is_unpacked(run, monkeypatch):
    from vlmtom.commands import unbundle as module

    assert pack(run).returncode == 0
    monkeypatch.setattr(module, "code_digest", lambda *places: "0123456789abcdef")
    monkeypatch.setattr(module.metadata, "version", lambda name: "0.0")
    done = module.unbundle(run.folder / "out.tar.gz", run.folder / "there")
    said = " ".join(done.differences)
    assert "here 0.1.0, 0123456789abcdef" in said
    assert "(here 0.0)" in said
    assert done.description["verified"] is False


def test_replies_without_text_keep_everything_but_the_words(tmp_path):
    from vlmtom.commands.bundle import _without_text
    from vlmtom.store import read_rows
    from vlmtom.store.schemas import REPLIES

    with LoopbackServer(answer) as server:
        run = Run(
            new(tmp_path / "run"), server.base_url, gateway_model="obs-guess", testers=("t1",)
        )
        run.job("t1")
    path = run.replies("t1") / "director.w1.parquet"
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(_without_text(run.results, path).content)
    for before, after in zip(read_rows(path, REPLIES), read_rows(copy, REPLIES), strict=True):
        assert before["text"] and after["text"] is None
        cut = {"text", "reasoning", "refusal", "error"}
        assert {k: v for k, v in before.items() if k not in cut} == {
            k: v for k, v in after.items() if k not in cut
        }


def test_replies_that_no_journal_holds_are_told(tmp_path):
    with LoopbackServer(answer) as server:
        run = Run(new(tmp_path / "run"), server.base_url, gateway_model="obs-guess")
        run.job("t1")
        run.job("t2")
    for segment in (run.replies("t1") / "journal").glob("*.jsonl"):
        segment.unlink()
    done = vlmtom(run.folder, "bundle", "--config", "config.yaml", "--out", "out.tar.gz")
    assert done.returncode == 1
    assert "t1/director.w1.parquet: 2 replies are not in its journal" in done.stderr
    assert "t2/director.w1.parquet: " not in done.stderr


def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(tmp_path):
    (tmp_path / "a.zip").write_text("")
    with pytest.raises(FileExists):
        archives.refuse_place(tmp_path / "a.zip")


def test_parquet_strings_are_read_wherever_they_are_nested():
    schema = Schema(
        "s", "a row", ("n",), (Column("n", pa.int64(), ""), Column("s", pa.string(), ""))
    )
    table = schema.table([{"n": n, "s": "x" * n} for n in range(3000)])
    struct = pa.array([{"path": KEY if n == 2999 else "p", "bytes": b"1"} for n in range(3000)])
    file = io.BytesIO()
    pq.write_table(table.append_column("image", struct), file, compression="zstd")
    found = scan(file.getvalue(), "t.parquet", {"A_KEY": KEY})
    assert "t.parquet, column image, row 3000: the value of A_KEY" in found


def test_a_run_that_is_not_as_it_was_left_is_not_released(run):
    settings = load_settings(run.config | {"results": str(run.results)})
    registry = load_registry(settings, run.folder)
    out = run.folder / "release.tar.gz"
    with pytest.raises(NotBundled, match=r"table2.csv: not the file of the manifest"):
        release(settings, registry, out, lambda: ["table2.csv: not the file of the manifest"])
    assert not out.exists()


def test_a_description_that_no_release_has_is_refused(tmp_path):
    assert read_release(tmp_path) is None
    for content, why in (
        ("{", "not valid JSON"),
        ('{"format": 2, "left_out": []}', "not a release of format 1"),
        ('{"format": 1}', "not a release of format 1"),
        ("[]", "not a release of format 1"),
    ):
        (tmp_path / "release.json").write_text(content)
        with pytest.raises(BadData, match=why):
            read_release(tmp_path)


@pytest.mark.parametrize(
    ("name", "film"),
    [
        ("results/clips/coaxing.mp4", True),
        ("results/stimuli/representations/films.parquet", True),
        ("results/stimuli/representations/pictures.parquet", True),
        ("stimuli/representations/pictures.parquet", True),  # as release.json names it
        ("results/stimuli/representations/items.parquet", False),
        ("results/clips/frames.parquet", False),
        ("results/stimuli/triangles/pictures.parquet", False),
    ],
)
def test_films_of_other_people_are_not_released_in_any_form(name, film):
    assert is_film(name) is film


def test_what_a_release_is_without_is_said_by_kind():
    raw, film = "replies/a/director.parquet", "stimuli/representations/pictures.parquet"
    assert left_out_words([raw]) == "raw outputs"
    assert left_out_words([film]) == "films and pictures of their frames"
    assert left_out_words([film, raw]) == "raw outputs; films and pictures of their frames"


def test_the_page_names_what_cannot_be_made_again_without_text():
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    block = re.search(r"^\| not made again .*?(?=\n\n)", page, re.M | re.S)
    assert {*re.findall(r"`(\w+)`", block[0])} == NEED_REPLIES
    told = Rebuild(text=False, triangles=True).notes[0]
    for words, names in WORDS_OF_NEEDY.items():
        assert words in told and names
