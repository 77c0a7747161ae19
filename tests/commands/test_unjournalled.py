"""Tables without a journal behind them are found by names alone."""

import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet

from vlmtom.commands.unjournalled import refuse_unjournalled, tables, unjournalled
from vlmtom.errors import BadData
from vlmtom.settings import TRACE_TOPICS


def made(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(folder):
    return [path.relative_to(folder).as_posix() for path in unjournalled(folder)]


def test_tables_without_a_segment_of_their_topic_are_named_in_order(tmp_path):
    made(
        tmp_path,
        "replies/t2/director.w1.parquet",
        "replies/t1/triangles.w2.parquet",
        "replies/t1/director.w1.parquet",
        "replies/t1/journal/director.w1.0001.jsonl",
        "verdicts/j1/blinded.numbered.parquet",
        "verdicts/j1/blinded.plain.parquet",
        "verdicts/j1/journal/blinded.plain.w1.0001.jsonl",
    )
    assert found(tmp_path) == [
        "replies/t1/triangles.w2.parquet",
        "replies/t2/director.w1.parquet",
        "verdicts/j1/blinded.numbered.parquet",
    ]


def test_the_journal_of_another_window_stands_behind_a_table(tmp_path):
    made(tmp_path, "replies/t1/director.w2.parquet", "replies/t1/journal/director.w1.0003.jsonl")
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    "other",
    [
        "replies/t1/journal/director.w1.lock",
        "replies/t1/journal/director2.w1.0001.jsonl",
        "replies/t1/journal/.director.w1.0001.jsonl",
        "replies/t2/journal/director.w1.0001.jsonl",
        "replies/t1/director.w1.0001.jsonl",
    ],
)
def test_another_file_is_no_segment_of_it(tmp_path, other):
    made(tmp_path, "replies/t1/director.w1.parquet", other)
    assert found(tmp_path) == ["replies/t1/director.w1.parquet"]


def test_hidden_names_and_other_tables_are_passed_over(tmp_path):
    made(
        tmp_path,
        "replies/t1/.director.w1.parquet.123.tmp",
        "replies/t1/.director.w1.parquet",
        "replies/.t3/director.w1.parquet",
        ".forgotten/2026/replies/t1/director.w1.parquet",
        "replies/notes.parquet",
        "verdicts/j1/notes.parquet",
        "outcomes/t1/director.parquet",
    )
    assert found(tmp_path) == []
    assert found(tmp_path / "nowhere") == []


def test_verdicts_on_exemplars_need_a_journal_too(tmp_path):
    made(tmp_path, "verdicts/j1/exemplars.parquet")
    assert found(tmp_path) == ["verdicts/j1/exemplars.parquet"]
    made(tmp_path, "verdicts/j1/journal/exemplars.w1.0001.jsonl")
    assert found(tmp_path) == []


@pytest.mark.parametrize("topic", TRACE_TOPICS)
def test_codes_of_traces_need_the_coders_journal(tmp_path, topic):
    made(
        tmp_path,
        *(f"traces/{name}" for name in ("key.parquet", "sheet_key.parquet", "human.parquet")),
        f"traces/c1/{topic}.parquet",
        f"traces/c1/.{topic}.parquet.12.tmp",
        "traces/c1/notes.parquet",
        f"traces/c1/journal/{topic}.w1.0001.jsonl",  # of no coder's job
    )
    assert found(tmp_path) == [f"traces/c1/{topic}.parquet"]
    assert tables(tmp_path) == []  # no table that can be adopted
    made(tmp_path, f"traces/c1/journal/traces.{topic}.w1.0001.jsonl")
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "who", "said"),
    [
        ("replies/x/director.w1.parquet", "testers", "these replies.*vlmtom adopt` to keep them"),
        ("verdicts/x/exemplars.parquet", "judges", "these replies.*vlmtom adopt` to keep them"),
        ("traces/x/report_action.parquet", "coders", "these codes.*the folder `journal`"),
    ],
)
def test_whoever_is_configured_is_not_asked_again_for_want_of_a_journal(tmp_path, name, who, said):
    made(tmp_path, name)
    nobody = {"testers": [], "judges": [], "coders": []}
    refuse_unjournalled(tmp_path, **nobody)
    with pytest.raises(BadData, match=said):
        refuse_unjournalled(tmp_path, **(nobody | {who: ["x"]}))


def test_a_table_without_a_row_needs_no_journal(tmp_path):
    folder = tmp_path / "verdicts" / "j1"
    made(folder, "blinded.numbered.parquet")  # damaged: it may have had rows
    rows = [{"n": 1}]
    for name, content in (("blinded.plain", []), ("blinded.reversed", rows)):
        table = pa.Table.from_pylist(content, pa.schema([("n", pa.int64())]))
        parquet.write_table(table, folder / f"{name}.parquet")
    assert found(tmp_path) == [
        "verdicts/j1/blinded.numbered.parquet",
        "verdicts/j1/blinded.reversed.parquet",
    ]


def test_it_needs_the_standard_library_alone():
    program = "import sys, vlmtom.commands.unjournalled\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "vlmtom.commands.unjournalled" in loaded
    assert not {"pyarrow", "pandas", "numpy", "pydantic", "yaml", "openai"} & loaded
