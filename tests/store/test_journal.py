"""The journal loses nothing, is written by one process, and shows what was changed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from vlmtom.errors import BrokenJournal, StreamBusy
from vlmtom.store import JournalWriter, read_stream, streams
from vlmtom.store.journal import segments


def write(folder, *numbers, stream="director.w1"):
    with JournalWriter(folder, stream) as journal:
        for number in numbers:
            journal.append({"kind": "reply", "number": number, "text": "größer \ud800"})


def numbers(folder, stream="director.w1"):
    return [record["number"] for record in read_stream(folder, stream)]


def segment(folder, number):
    return dict(segments(folder, "director.w1"))[number]


def test_records_come_back_in_the_order_of_writing_across_sessions(tmp_path):
    write(tmp_path, 1, 2)
    write(tmp_path, 3)
    assert numbers(tmp_path) == [1, 2, 3]
    assert next(iter(read_stream(tmp_path, "director.w1")))["text"] == "größer \ud800"


def test_each_session_opens_a_new_segment_that_repeats_the_last_hash(tmp_path):
    write(tmp_path, 1)
    write(tmp_path, 2)
    last_line = segment(tmp_path, 1).read_text().splitlines()[-1]
    header = json.loads(segment(tmp_path, 2).read_text().splitlines()[0])["record"]
    assert header["previous"] == json.loads(last_line)["hash"]


def test_a_session_that_writes_nothing_leaves_no_segment(tmp_path):
    write(tmp_path)
    assert segments(tmp_path, "director.w1") == []


@pytest.mark.parametrize("cut", [1, 2, 20, 120])
def test_a_line_torn_at_the_end_of_a_segment_costs_that_line_alone(tmp_path, cut):
    write(tmp_path, 1, 2)
    path = segment(tmp_path, 1)
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    # Without its newline alone, the line is whole: its hash says so.
    expected = [1, 2] if cut == 1 else [1]
    assert numbers(tmp_path) == expected
    write(tmp_path, 3)
    assert numbers(tmp_path) == [*expected, 3]


def test_a_segment_cut_inside_its_first_line_is_passed_over(tmp_path):
    write(tmp_path, 1)
    write(tmp_path, 2)
    path = segment(tmp_path, 2)
    path.write_bytes(path.read_bytes()[:30])
    write(tmp_path, 3)
    assert numbers(tmp_path) == [1, 3]


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_changed_line_breaks_the_chain_and_is_named(tmp_path, line):
    write(tmp_path, 1, 2)
    path = segment(tmp_path, 1)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"kind"', b'"KIND"')
    path.write_bytes(b"".join(lines))
    with pytest.raises(BrokenJournal, match=rf"0001\.jsonl, line {line + 1}: .*changed"):
        numbers(tmp_path)


def test_a_removed_segment_breaks_the_chain(tmp_path):
    for number in (1, 2, 3):
        write(tmp_path, number)
    segment(tmp_path, 2).unlink()
    with pytest.raises(BrokenJournal, match="segments are missing"):
        numbers(tmp_path)


def test_a_line_cut_out_of_the_middle_breaks_the_chain(tmp_path):
    write(tmp_path, 1, 2, 3)
    path = segment(tmp_path, 1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(BrokenJournal, match="line 3"):
        numbers(tmp_path)


def test_a_writer_does_not_add_to_a_broken_chain(tmp_path):
    write(tmp_path, 1)
    path = segment(tmp_path, 1)
    path.write_bytes(path.read_bytes().replace(b'"number":1', b'"number":7'))
    with pytest.raises(BrokenJournal):
        write(tmp_path, 2)
    write(tmp_path, 3, stream="director.w2")  # the lock is free, other streams are not touched


def test_a_second_writer_is_stopped_and_told_who_writes(tmp_path):
    with JournalWriter(tmp_path, "director.w1"), pytest.raises(StreamBusy) as error:
        write(tmp_path, 1)
    assert f"process {os.getpid()} on " in str(error.value)
    write(tmp_path, 2)
    assert numbers(tmp_path) == [2]


def test_a_writer_waits_for_one_that_is_finishing(tmp_path):
    first = JournalWriter(tmp_path, "director.w1").__enter__()
    first.finishing()
    threading.Timer(3.0, first.close).start()  # longer than the grace for one that says nothing
    with JournalWriter(tmp_path, "director.w1", wait_s=20) as journal:
        journal.append({"kind": "reply", "number": 1})
    assert numbers(tmp_path) == [1]


def test_a_writer_does_not_wait_for_one_that_goes_on(tmp_path):
    started = time.monotonic()
    with JournalWriter(tmp_path, "director.w1"), pytest.raises(StreamBusy, match="Wait for it"):
        JournalWriter(tmp_path, "director.w1", wait_s=600).__enter__()
    assert time.monotonic() - started < 60


def test_streams_of_an_experiment_are_its_windows(tmp_path):
    for stream in ("director.w2", "director.w1", "triangles.w1"):
        write(tmp_path, 1, stream=stream)
    assert streams(tmp_path, "director") == ["director.w1", "director.w2"]


KILLED = """
import sys
from vlmtom.store import JournalWriter
with JournalWriter(sys.argv[1], "director.w1") as journal:
    for number in range(10**9):
        journal.append({"kind": "reply", "number": number, "text": "x" * 2000})
        print(number, flush=True)
"""


def test_sigkill_loses_no_record_that_was_appended(tmp_path):
    seen = -1
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        with process:
            process.stdout.readline()
            time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
            said = [int(line) for line in process.stdout if line.endswith("\n")]
        seen = max(said, default=0)
        assert numbers(tmp_path)[-1] >= seen
    assert len(segments(tmp_path, "director.w1")) == 4
