"""Locks stop a changed instrument; the manifest and the chains show a changed result."""

import pytest

from vlmtom.commands.verifying import verify
from vlmtom.errors import BadData, LockMismatch
from vlmtom.store import JournalWriter, code_digest, schemas, seed_for, write_bytes, write_rows
from vlmtom.store.digests import code_sources
from vlmtom.store.locks import check_locks, locks_digest, read_locks, write_locks
from vlmtom.store.manifest import manifest_rows

A, B, C = ("a" * 64, "b" * 64, "c" * 64)


def test_a_changed_instrument_stops_with_its_name_and_how_to_lock(tmp_path):
    locks = tmp_path / "locks.yaml"
    write_locks(locks, {"director/a prompt": A, "director/b prompt": B})
    check_locks(locks, {"director/a prompt": A})
    with pytest.raises(LockMismatch, match="director/b prompt: locked bbbbbbbbbbbb…, found") as e:
        check_locks(locks, {"director/a prompt": A, "director/b prompt": C})
    assert "vlmtom lock --config" in str(e.value)
    assert "director/a" not in str(e.value)


def test_an_instrument_without_a_lock_stops_too(tmp_path):
    with pytest.raises(LockMismatch, match="director/a prompt: not locked"):
        check_locks(tmp_path / "none.yaml", {"director/a prompt": A})


def test_locking_keeps_the_other_entries_and_says_what_changed(tmp_path):
    locks = tmp_path / "locks.yaml"
    write_locks(locks, {"x": A, "y": B})
    assert write_locks(locks, {"y": C}) == ["y: locked bbbbbbbbbbbb…, found cccccccccccc…"]
    assert read_locks(locks) == {"x": A, "y": C}
    assert write_locks(locks, {"y": C}) == []


@pytest.mark.parametrize("text", ["x: 12\n", "- x\n", "x: [\n", "just text\n"])
def test_a_damaged_lock_file_is_named(tmp_path, text):
    (tmp_path / "locks.yaml").write_text(text)
    with pytest.raises(BadData, match=r"(?s)locks\.yaml: .*vlmtom lock"):
        read_locks(tmp_path / "locks.yaml")


def test_the_digest_of_locks_follows_its_own_experiment_alone(tmp_path):
    locks = tmp_path / "locks.yaml"
    write_locks(locks, {"director/x": A, "triangles/x": A})
    before = locks_digest(locks, ("director/",))
    write_locks(locks, {"triangles/x": B})
    assert locks_digest(locks, ("director/",)) == before
    write_locks(locks, {"director/x": B})
    assert locks_digest(locks, ("director/",)) != before


@pytest.fixture
def results(tmp_path):
    root = tmp_path / "results"
    write_bytes(root / "tables" / "table2.tex", b"tex")
    write_rows(root / "cells" / "director.parquet", [], schemas.DIRECTOR_CELLS)
    files = [root / "tables" / "table2.tex", root / "cells" / "director.parquet"]
    write_rows(root / "manifest.parquet", manifest_rows(root, files), schemas.MANIFEST)
    with JournalWriter(root / "replies" / "t1" / "journal", "director.w1") as journal:
        journal.append({"kind": "reply"})
    write_locks(tmp_path / "locks.yaml", {"director/a prompt": A})
    return root


def check(results, **instruments):
    return verify(results, results.parent / "locks.yaml", instruments or {"director/a prompt": A})


def test_untouched_results_verify(results):
    assert check(results) == []


def test_the_manifest_holds_rows_and_schema_of_parquet_files(results):
    rows = manifest_rows(results, [results / "cells" / "director.parquet"])
    assert rows[0]["path"] == "cells/director.parquet"
    assert (rows[0]["rows"], rows[0]["schema"]) == (0, "director_cells")


def test_a_changed_a_removed_and_a_tampered_file_are_each_named(results):
    (results / "tables" / "table2.tex").write_text("other")
    (results / "cells" / "director.parquet").unlink()
    journal = results / "replies" / "t1" / "journal" / "director.w1.0001.jsonl"
    journal.write_text(journal.read_text().replace("reply", "REPLY"))
    problems = check(results, **{"director/a prompt": B})
    assert len(problems) == 4
    for words in ("table2.tex: not the file", "director.parquet: in the manifest, but gone"):
        assert any(words in problem for problem in problems)
    assert any("director/a prompt: locked" in problem for problem in problems)
    assert any("director.w1.0001.jsonl, line 2" in problem for problem in problems)


def test_a_run_that_did_not_end_has_no_manifest(tmp_path):
    (tmp_path / "results").mkdir()
    write_locks(tmp_path / "locks.yaml", {"director/a prompt": A})
    assert "no manifest" in check(tmp_path / "results")[0]


def test_the_code_digest_covers_what_it_names():
    assert code_digest("store", "settings") != code_digest("store")
    assert code_digest("store") == code_digest("store")
    with pytest.raises(FileNotFoundError, match="no_such_room"):
        code_digest("no_such_room")


def test_templates_and_resources_are_part_of_the_code():
    assert any(path.suffix == ".j2" for path in code_sources("publish"))
    assert any(path.name == "coaxing.csv" for path in code_sources("resources/clips"))


def test_what_editors_and_python_leave_behind_is_not_code(tmp_path, monkeypatch):
    monkeypatch.setattr("vlmtom.store.digests.PACKAGE", tmp_path)
    room = tmp_path / "room"
    (room / "__pycache__").mkdir(parents=True)
    (room / "a.py").write_text("x = 1")
    before = code_digest("room")
    for name in ("__pycache__/a.cpython-311.pyc.14", "__pycache__/a.py", ".DS_Store", ".a.py"):
        (room / name).write_text("left behind")
    assert code_digest("room") == before
    (room / "page.j2").write_text("x")
    assert code_digest("room") != before


def test_a_seed_depends_on_every_part_of_its_identity():
    seeds = {seed_for(1, "director", "Q01", 1), seed_for(1, "director", "Q01", 2)}
    seeds |= {seed_for(2, "director", "Q01", 1), seed_for(1, "directorQ01", 1)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)
