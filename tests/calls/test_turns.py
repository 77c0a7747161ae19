"""Conversations, several pictures in a message, films, and the detail of pictures, over HTTP."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.calls.helpers import Place, item, picture_row, png, spec
from tests.jobs.test_ask import job, rows
from tests.loopback.server import Fault, LoopbackServer, completion
from vlmtom.calls import History, planned
from vlmtom.store import schemas, write_rows

FILM = b"\0\0\0\x18ftypmp42" + bytes(range(64))


def turn(text: str, role: str = "user", pictures: tuple[str, ...] = (), video: str | None = None):
    return {"role": role, "text": text, "pictures": list(pictures), "video": video}


def place_with(folder: Path, turns: list[dict[str, Any]], trials: int = 1) -> Place:
    place = Place(folder)
    place.items.unlink()
    picture = place.items_rows[0]["turns"][1]["pictures"][0]
    for one in turns:
        one["pictures"] = [picture if name == "PICTURE" else name for name in one["pictures"]]
    place.items_rows = [item(0, picture, trials, turns=turns)]
    write_rows(place.items, place.items_rows, schemas.ITEMS)
    return place


def last_word(body: dict[str, Any]) -> dict[str, Any]:
    """An answer that names the last question, and how many messages came with it."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    return completion(body, f"{len(body['messages'])}:{text}")


TALK = [
    turn("Be brief.", "system"),
    turn("One?", pictures=("PICTURE",)),
    turn("Two?"),
    turn("Three?"),
]


def messages(server: LoopbackServer) -> list[list[tuple[str, str]]]:
    def text(content: Any) -> str:
        return content if isinstance(content, str) else content[-1]["text"]

    return [
        [(m["role"], text(m["content"])) for m in body["messages"]]
        for body in server.stats.received
    ]


def test_each_answer_is_carried_into_the_next_question(tmp_path):
    place = place_with(tmp_path, TALK, trials=2)
    with LoopbackServer(last_word) as server:
        done = job(place, spec(server.base_url, model_concurrency=1))
    assert done.returncode == 0, done.stderr
    talk = [
        ("system", "Be brief."),
        ("user", "One?"),
        ("assistant", "2:One?"),
        ("user", "Two?"),
        ("assistant", "4:Two?"),
        ("user", "Three?"),
    ]
    # A conversation goes on before another is begun, so that its calls meet the same load.
    assert messages(server) == [talk[:2], talk[:4], talk] * 2
    table = rows(place)
    assert [(r["trial"], r["turn"], r["text"]) for r in table] == [
        (trial, number, text)
        for trial in (1, 2)
        for number, text in enumerate(("2:One?", "4:Two?", "6:Three?"), 1)
    ]
    assert len({r["request_digest"] for r in table}) == 6
    assert "6/6 done" in done.stderr


def test_half_a_surrogate_pair_is_carried_on_as_a_character_that_can_be_sent(tmp_path):
    place = place_with(tmp_path, TALK)
    with LoopbackServer(lambda body: completion(body, "half \ud83d pair")) as server:
        done = job(place, spec(server.base_url))
    assert done.returncode == 0, done.stderr
    assert messages(server)[1][2] == ("assistant", "half \ufffd pair")
    place.out.unlink()
    assert job(place, spec("http://127.0.0.1:9/v1")).returncode == 0


def test_a_conversation_goes_on_where_it_broke_off(tmp_path):
    place = place_with(tmp_path, TALK)
    with LoopbackServer(last_word, script=[None, Fault(402)]) as server:
        stopped = job(place, spec(server.base_url))
    assert stopped.returncode == 1
    assert "1 of 3 replies are missing" not in stopped.stderr
    assert "2 of 3 replies are missing" in stopped.stderr
    with LoopbackServer(last_word) as server:
        assert job(place, spec(server.base_url)).returncode == 0
    assert [len(talk) for talk in messages(server)] == [4, 6]
    place.out.unlink()
    assert job(place, spec("http://127.0.0.1:9/v1")).returncode == 0  # rebuilt without a call
    assert [r["turn"] for r in rows(place)] == [1, 2, 3]


def test_what_follows_a_question_without_an_answer_is_missing_for_its_reason(tmp_path):
    place = place_with(tmp_path, TALK, trials=2)

    def cut(body: dict[str, Any]) -> dict[str, Any]:
        long = len(body["messages"]) == 4 and body["seed"] % 2 == trial_one % 2
        return completion(body, "and so on", finish_reason="length" if long else "stop")

    one = spec("http://127.0.0.1:9/v1")
    trial_one = planned(place.items_rows, one)[0].parameters["seed"]
    trial_two = planned(place.items_rows, one)[1].parameters["seed"]
    with LoopbackServer(cut) as server:
        done = job(place, spec(server.base_url))
    assert done.returncode == 0, done.stderr
    expected = {"ok", "truncated"} if trial_one % 2 != trial_two % 2 else {"truncated"}
    table = rows(place)
    assert {r["status"] for r in table if r["turn"] == 2} == expected
    for row in table:
        if row["turn"] == 3 and row["status"] == "truncated":
            assert (row["text"], row["attempts"], row["request_digest"]) == (None, 0, None)
            assert row["error"] == "not asked: question 2 is truncated"
    assert any(r["turn"] == 3 and r["status"] == "truncated" for r in table)


def test_an_answer_that_the_item_gives_is_not_asked_for(tmp_path):
    given = [turn("One?"), turn("Said before.", "assistant"), turn("Two?")]
    place = place_with(tmp_path, given)
    with LoopbackServer(last_word) as server:
        assert job(place, spec(server.base_url)).returncode == 0
    assert messages(server) == [[("user", "One?"), ("assistant", "Said before."), ("user", "Two?")]]


def test_several_pictures_stand_in_their_order_before_the_text(tmp_path):
    contents = [png(10), png(200)]
    names = [picture_row(content)["pixel_sha256"] for content in contents]
    place = place_with(tmp_path, [turn("Which is darker?", pictures=tuple(names))])
    place.pictures.unlink()
    write_rows(place.pictures, map(picture_row, contents), schemas.PICTURES)
    with LoopbackServer() as server:
        assert job(place, spec(server.base_url)).returncode == 0
    parts = server.stats.received[0]["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["image_url", "image_url", "text"]
    assert parts[0]["image_url"]["url"] != parts[1]["image_url"]["url"]


def with_film(folder: Path, content: bytes) -> tuple[Place, Path]:
    name = hashlib.sha256(content).hexdigest()
    place = place_with(folder, [turn("What happens?", video=name)])
    films = folder / "films.parquet"
    row = {"file_sha256": name, "film": {"bytes": content, "path": "film.mp4"}}
    write_rows(films, [row], schemas.FILMS)
    return place, films


def test_a_film_is_sent_as_it_is(tmp_path):
    place, films = with_film(tmp_path, FILM)
    with LoopbackServer() as server:
        done = job(place, spec(server.base_url), options=("--films", str(films)))
    assert done.returncode == 0, done.stderr
    film, text = server.stats.received[0]["messages"][0]["content"]
    head, _, content = film["video_url"]["url"].partition(",")
    assert (film["type"], head) == ("video_url", "data:video/mp4;base64")
    assert base64.b64decode(content) == FILM
    assert text["text"] == "What happens?"


def test_a_film_that_is_none_or_not_there_is_refused_before_any_call(tmp_path):
    place, films = with_film(tmp_path, b"not an mp4 at all")
    with LoopbackServer() as server:
        bad = job(place, spec(server.base_url), options=("--films", str(films)))
        none = job(place, spec(server.base_url))
    assert bad.returncode == none.returncode == 1
    assert "not an MP4" in bad.stderr
    assert "was given no films (--films)" in none.stderr
    assert server.stats.requests == 0


def test_every_picture_that_is_too_large_is_named_before_any_call(tmp_path):
    place = Place(tmp_path, items=3)
    size = 4 * -(-len(png(0)) // 3)
    with LoopbackServer() as server:
        refused = job(place, spec(server.base_url, model_max_media_bytes=size - 1))
        assert server.stats.requests == 0
        done = job(place, spec(server.base_url, model_max_media_bytes=size + 4))
    assert refused.returncode == 1
    assert "3 of 3 pictures and films are larger" in refused.stderr
    for one in place.items_rows:
        assert one["turns"][1]["pictures"][0][:16] in refused.stderr
    assert done.returncode == 0, done.stderr


def test_an_item_whose_pictures_are_too_large_together_is_named_before_any_call(tmp_path):
    contents = [png(10), png(200)]
    names = [picture_row(content)["pixel_sha256"] for content in contents]
    place = place_with(tmp_path, [turn("Which is darker?", pictures=tuple(names))])
    place.pictures.unlink()
    write_rows(place.pictures, map(picture_row, contents), schemas.PICTURES)
    size = sum(4 * -(-len(content) // 3) for content in contents)
    with LoopbackServer() as server:
        refused = job(place, spec(server.base_url, model_max_message_bytes=size - 1))
        assert server.stats.requests == 0
        done = job(place, spec(server.base_url, model_max_message_bytes=size))
    assert refused.returncode == 1
    assert "1 of 1 items show more, as base64 text, than max_message_bytes" in refused.stderr
    assert f": {size:,} bytes" in refused.stderr
    assert done.returncode == 0, done.stderr


DETAIL = {"model_sampling": {"image_detail": "high"}}


def test_image_detail_stands_with_each_picture_and_is_part_of_what_is_asked(tmp_path):
    place = Place(tmp_path)
    with LoopbackServer() as server:
        one = spec(server.base_url, **DETAIL)
        assert job(place, one).returncode == 0
    body = server.stats.received[0]
    picture, _ = body["messages"][1]["content"]
    assert picture["image_url"]["detail"] == "high"
    assert "image_detail" not in body
    assert '"image_detail":"high"' in rows(place)[0]["parameters"]
    plain = planned(place.items_rows, spec(server.base_url))[0].digest
    assert planned(place.items_rows, one)[0].digest != plain


@pytest.mark.parametrize(
    "error",
    [
        {"code": "unsupported_parameter", "param": "messages.[1].content.[0].image_url.detail"},
        {"code": "invalid_request_error", "message": "image_url.detail is not supported"},
    ],
)
def test_a_refused_image_detail_is_learned_like_any_parameter(tmp_path, error):
    place = Place(tmp_path, items=3)
    refusal = Fault(400, {"error": {"message": "unsupported", **error}})
    with LoopbackServer(script=[refusal]) as server:
        done = job(place, spec(server.base_url, model_concurrency=1, **DETAIL))
    assert done.returncode == 0, done.stderr
    assert server.stats.requests == 4
    assert all("image_detail" not in row["parameters"] for row in rows(place))
    sent = [body["messages"][1]["content"][0]["image_url"] for body in server.stats.received]
    assert ["detail" in one for one in sent] == [True, False, False, False]


def test_a_history_knows_nothing_of_a_digest_that_was_never_asked():
    assert History().get("ab") is None
    assert not History().is_settled("ab")
