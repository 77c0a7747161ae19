"""Files are whole or not there, of their declared schema, and never written over."""

import csv
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vlmtom.errors import BadData, FileExists
from vlmtom.store import (
    PictureStore,
    read_rows,
    read_table,
    schemas,
    write_bytes,
    write_csv,
    write_rows,
    write_table,
)
from vlmtom.store.files import write_output


def cell(**changes):
    row = {
        "tester": "t1",
        "kind": "model",
        "arm": "canonical",
        "stimulus": "Q01",
        "measure": "a",
        "level": "letter",
        "value": True,
        "n_trials": 3,
        "n_usable": 3,
        "n_true": 2,
        "n_unparsed": 0,
        "tie": False,
    }
    return row | changes


CELLS = schemas.DIRECTOR_CELLS


def test_a_file_is_never_written_over(tmp_path):
    write_bytes(tmp_path / "a.tex", b"first")
    with pytest.raises(FileExists, match=r"a\.tex exists.*Delete it first"):
        write_bytes(tmp_path / "a.tex", b"second")
    assert (tmp_path / "a.tex").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["a.tex"]


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_bytes(tmp_path / "a.tex", b"first")
    assert list(tmp_path.iterdir()) == []


def test_rows_come_back_and_the_bytes_depend_on_them_alone(tmp_path):
    rows = [cell(), cell(stimulus="Q02", value=None)]
    for name in ("one", "two"):
        write_rows(tmp_path / f"{name}.parquet", rows, CELLS)
    assert read_rows(tmp_path / "one.parquet", CELLS) == rows
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


@pytest.mark.parametrize("schema", schemas.SCHEMAS, ids=lambda schema: schema.name)
def test_a_file_without_rows_or_with_nulls_alone_keeps_every_type(tmp_path, schema):
    write_rows(tmp_path / "empty.parquet", [], schema)
    assert read_table(tmp_path / "empty.parquet", schema).schema.equals(schema.arrow())
    nulls = {c.name: None for c in schema.columns if c.nullable}
    if not nulls:
        return
    table = pa.table(
        {c.name: pa.nulls(1, c.type) for c in schema.columns if c.nullable},
        schema=pa.schema([schema.arrow().field(name) for name in nulls]),
    )
    assert all(not pa.types.is_null(kind) for kind in table.schema.types)


def test_an_undeclared_column_is_refused():
    with pytest.raises(KeyError, match="colour"):
        CELLS.table([cell(colour="red")])


def test_a_null_where_none_may_be_is_refused(tmp_path):
    with pytest.raises(BadData, match="'tie' has 1 nulls"):
        write_rows(tmp_path / "cells.parquet", [cell(tie=None)], CELLS)
    assert not (tmp_path / "cells.parquet").exists()


def test_a_repeated_key_is_refused_and_named(tmp_path):
    with pytest.raises(BadData, match="t1, canonical, Q01, a, letter"):
        write_rows(tmp_path / "cells.parquet", [cell(), cell(value=False)], CELLS)


def test_another_type_is_refused_with_both_types(tmp_path):
    table = CELLS.table([cell()])
    wrong = table.set_column(
        table.schema.get_field_index("n_true"),
        pa.field("n_true", pa.float64(), nullable=False),
        pa.array([2.0]),
    )
    with pytest.raises(BadData, match="n_true: expected int64 not null, found double not null"):
        write_table(tmp_path / "cells.parquet", wrong, CELLS)


def test_a_cut_file_is_named_with_what_to_do(tmp_path):
    path = tmp_path / "cells.parquet"
    write_rows(path, [cell()], CELLS)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadData, match=r"cells\.parquet: not a whole Parquet file.*Delete it"):
        read_rows(path, CELLS)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadData, match=r"cells\.parquet: no such file"):
        read_rows(tmp_path / "cells.parquet", CELLS)


def test_a_file_of_another_schema_is_refused(tmp_path):
    write_rows(tmp_path / "x.parquet", [cell()], CELLS)
    with pytest.raises(BadData, match="expected the schema 'items' version 1, found"):
        read_rows(tmp_path / "x.parquet", schemas.ITEMS)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "foreign.parquet")
    with pytest.raises(BadData, match="found 'none' version none"):
        read_rows(tmp_path / "foreign.parquet", schemas.ITEMS)


def picture(name, content):
    return {
        "pixel_sha256": name,
        "image": {"bytes": content, "path": f"{name}.png"},
        "file_sha256": "0" * 64,
        "width": 1,
        "height": 1,
    }


def test_pictures_are_read_one_at_a_time_and_carry_the_image_feature(tmp_path):
    path = tmp_path / "pictures.parquet"
    write_rows(path, [picture("p1", b"one"), picture("p2", b"two")], schemas.PICTURES)
    pictures = PictureStore(path, schemas.PICTURES)
    try:
        assert pictures.png("p2") == b"two"
        assert "p1" in pictures
        with pytest.raises(BadData, match="no picture p9"):
            pictures.png("p9")
    finally:
        pictures.close()
    features = pq.read_schema(path).metadata[b"huggingface"]
    assert b'"image": {"_type": "Image"}' in features
    assert pq.ParquetFile(path).num_row_groups == 2


def test_text_in_a_csv_cannot_become_a_formula(tmp_path):
    rows = [{"a": "=1+1", "b": None, "c": -1.5, "d": ["x", "y"], "e": True}]
    write_csv(tmp_path / "t.csv", rows, ["a", "b", "c", "d", "e"])
    assert (tmp_path / "t.csv").read_text() == "a,b,c,d,e\n'=1+1,,-1.5,x y,true\n"


def test_every_kind_of_line_break_in_a_csv_field_is_read_back_as_one(tmp_path):
    write_csv(tmp_path / "t.csv", [{"a": "x\ry\r\nz\n", "b": 1}], ["a", "b"])
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["x\ny\nz\n", "1"]]


def test_an_output_replaces_what_vlmtom_made_and_nothing_else(tmp_path):
    write_output(tmp_path / "t.csv", b"1")
    write_output(tmp_path / "t.csv", b"2")
    (tmp_path / "t.csv").write_bytes(b"edited")
    with pytest.raises(FileExists, match="changed since"):
        write_output(tmp_path / "t.csv", b"3")
    (tmp_path / "own.csv").write_bytes(b"mine")
    with pytest.raises(FileExists, match="not made by vlmtom"):
        write_output(tmp_path / "own.csv", b"3")


def test_the_codebook_has_every_column_with_a_meaning():
    rows = schemas.codebook_rows()
    assert len(rows) == sum(len(schema.columns) for schema in schemas.SCHEMAS)
    assert all(row["meaning"] and row["row_is"] for row in rows)
    for schema in schemas.SCHEMAS:
        assert len(set(schema.names)) == len(schema.names)
        assert set(schema.key) <= set(schema.names)
        keyed = {c.name for c in schema.columns if not c.nullable}
        assert set(schema.key) <= keyed
