"""Which record stands for a request, without a network."""

from tests.calls.helpers import item, spec
from vlmtom.calls import History, history_of, planned, reply_rows, settled
from vlmtom.store import JournalWriter, schemas


def journalled(folder, *records):
    """records: (window, digest, status, text), in the order of writing."""
    for window, digest, status, text in records:
        with JournalWriter(folder, f"director.w{window}") as journal:
            what = {"digest": digest, "status": status, "text": text}
            journal.append({"kind": "reply"} | what)
            journal.append({"kind": "attempt", "digest": digest})


def test_every_status_but_an_api_error_is_settled_in_any_window(tmp_path):
    statuses = ("ok", "empty", "truncated", "filtered", "refused", "model_mismatch", "api_error")
    journalled(tmp_path, *((n % 3 + 1, status, status, "") for n, status in enumerate(statuses)))
    assert settled(tmp_path, "director") == set(statuses) - {"api_error"}
    assert settled(tmp_path, "triangles") == set()
    assert settled(tmp_path / "none", "director") == set()


def test_the_last_record_stands_and_an_api_error_never_hides_a_reply(tmp_path):
    journalled(
        tmp_path,
        (1, "a", "api_error", "first"),
        (1, "a", "ok", "second"),
        (1, "a", "api_error", "third"),
        (2, "a", "api_error", "fourth"),
        (1, "b", "api_error", "first"),
        (2, "b", "api_error", "second"),
        (1, "c", "ok", "not wanted"),
    )
    found = history_of(tmp_path, "director")
    assert [found.get(digest)["text"] for digest in "ab"] == ["second", "second"]
    assert found.get("d") is None
    found.close()


def test_a_request_without_a_record_is_an_api_error_that_was_not_asked():
    one = spec("http://127.0.0.1:9/v1")
    requests = planned([item(1, "ab" * 32)], one)
    rows = list(reply_rows(requests, History(), one))
    table = schemas.REPLIES.table(rows)  # declared columns, and no other
    assert table.num_rows == 1
    assert (rows[0]["status"], rows[0]["error_kind"], rows[0]["attempts"]) == (
        "api_error",
        "not_asked",
        0,
    )
    assert rows[0]["text"] is None
