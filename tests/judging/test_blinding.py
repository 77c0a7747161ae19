"""A judge's file says nothing of testers; what is no description is not judged."""

import random
import re

import pytest

from tests.judging.helpers import key, reply
from vlmtom.errors import BadData
from vlmtom.judging import blind_rows, blind_salt, descriptions
from vlmtom.judging.blinding import refuses
from vlmtom.judging.text_traits import language, n_words, self_identifies
from vlmtom.store import schemas

SALT = blind_salt(7)
TEXT = "The big one chases the small one."


def panel(*testers):
    return [
        reply(10 * place + trial, f"{TEXT} {tester} {trial}", tester=tester, trial=trial)
        for place, tester in enumerate(testers)
        for trial in (1, 2, 3)
    ]


def test_an_id_does_not_depend_on_who_else_is_in_the_panel():
    alone = {row["blind_id"]: row for row in blind_rows(panel("a"), [key()], SALT, "numbered")}
    both = {row["blind_id"]: row for row in blind_rows(panel("a", "b"), [key()], SALT, "numbered")}
    assert len(alone) == 3 and len(both) == 6
    assert alone.items() <= both.items()


def test_the_order_of_the_rows_is_the_order_of_the_ids_whatever_the_replies_order():
    replies = panel("a", "b", "c", "d")
    rows = blind_rows(replies, [key()], SALT, "numbered")
    random.Random(3).shuffle(replies)
    assert blind_rows(replies, [key()], SALT, "numbered") == rows
    ids = [row["blind_id"] for row in rows]
    assert ids == sorted(ids)
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in ids)
    testers = [re.search(r"(\w) \d$", row["description"])[1] for row in rows]
    assert testers != sorted(testers)  # else an order by tester would show


def test_the_same_words_to_two_requests_have_unlike_ids_and_another_salt_other_ids():
    replies = [reply(1, TEXT), reply(2, TEXT, tester="t2"), reply(3, TEXT, trial=2)]
    ids = [row["blind_id"] for row in descriptions(replies, [key()], SALT)]
    assert len(set(ids)) == 3
    others = [row["blind_id"] for row in descriptions(replies, [key()], blind_salt(8))]
    assert not set(ids) & set(others)


def test_one_request_with_one_text_is_judged_once_under_both_names():
    replies = [reply(1, TEXT), reply(1, TEXT, tester="alias")]
    assert len(blind_rows(replies, [key()], SALT, "numbered")) == 1
    assert len({row["blind_id"] for row in descriptions(replies, [key()], SALT)}) == 1


def test_a_blind_row_holds_the_declared_columns_and_neither_tester_item_nor_trial():
    rows = blind_rows([reply(1, TEXT, tester="very-secret")], [key()], SALT, "numbered")
    assert schemas.BLIND.table(rows).num_rows == 1
    assert "very-secret" not in str(rows) and "numbered.03" not in str(rows)
    assert not {"tester", "item_id", "trial", "request_digest"} & set(rows[0])


def test_a_blind_file_is_of_one_arm():
    replies = [reply(1, TEXT), reply(2, TEXT, arm="plain", item="plain.03")]
    rows = blind_rows(replies, [key(), key("plain.03", arm="plain")], SALT, "plain")
    assert [row["arm"] for row in rows] == ["plain"]


def test_reasoning_is_cut_off_and_nothing_else_is_edited():
    text = "<think>It is the chase.</think>\n  They *chase*; intent 5/5 \n"
    (row,) = blind_rows([reply(1, text)], [key()], SALT, "numbered")
    assert row["description"] == "\n  They *chase*; intent 5/5 \n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<think>Well.</think>\n ", "empty"),
        ("<think>The big one ch", "truncated"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("As an AI language model I am unable to watch videos. Please describe them.", "refusal"),
    ],
)
def test_a_reply_without_a_description_is_unparsed_with_its_reason_and_not_judged(text, reason):
    (row,) = descriptions([reply(1, text)], [key()], SALT)
    assert (row["status"], row["parse"], row["reason"]) == ("ok", "unparsed", reason)
    assert row["blind_id"] is row["n_words"] is row["language"] is row["self_identifies"] is None
    assert blind_rows([reply(1, text)], [key()], SALT, "numbered") == []
    assert schemas.DESCRIPTIONS.table([row]).num_rows == 1


@pytest.mark.parametrize(
    "text",
    [
        "I do not know what they are doing.",
        'The small one says "I cannot help you" and leaves.',
        "The small triangle cannot get out; the big one is unable to help it.",
        "I cannot see motion in stills. The big triangle seems to chase the small one.",
        "The big one refuses to move.",
    ],
)
def test_what_the_triangles_cannot_or_a_describer_does_not_know_is_no_refusal(text):
    assert not refuses(text)


def test_a_missing_reply_is_missing_and_not_judged():
    given = reply(1, "half a sen", status="truncated")
    (row,) = descriptions([given], [key()], SALT)
    assert (row["status"], row["parse"], row["reason"]) == ("truncated", None, None)
    assert blind_rows([given], [key()], SALT, "numbered") == []


def test_a_reply_without_a_key_is_named():
    with pytest.raises(BadData, match=r"no key for the item numbered\.03 of t1"):
        descriptions([reply(1, TEXT)], [key("numbered.04")], SALT)


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I see two triangles.",
        "I'm a vision-language model. Two triangles move.",
        "This is ChatGPT's description.",
        "Claude here: the big one chases.",
        "Described by Qwen2.5-VL.",
        "I was made by Meta.",
        "Meta AI says hello.",
        "Kimi thinks that red flees.",
        "deepseek: they dance",
        "我是通义千问。",
    ],
)
def test_a_model_or_vendor_that_is_named_is_flagged(text):
    assert self_identifies(text)


@pytest.mark.parametrize(
    "text",
    [
        "A meta story: the meta-triangle moves.",
        "The small one finally groks what the big one wants.",
        "It moves like a llama under a full moon, shot to the moon.",
        "The mistral wind blows both of them along.",
        "It acts as an assistant to the big one.",
        "The big one aims at the small one and opens the door.",
    ],
)
def test_ordinary_words_are_not_taken_for_names(text):
    assert not self_identifies(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The big triangle chases the small one.", "en"),
        ("Random motion.", "en"),
        ("Le grand triangle poursuit le petit et il le rattrape.", "other"),
        ("Das große Dreieck jagt das kleine, und es läuft weg.", "other"),
        ("El triángulo grande persigue al pequeño.", "other"),
        ("大三角形在追小三角形。", "other"),
        ("Большой треугольник гонится за маленьким.", "other"),
        ("…", "other"),
    ],
)
def test_the_language_is_a_hint_from_script_and_common_words(text, expected):
    assert language(text) == expected


def test_words_are_runs_of_letters():
    assert n_words("It doesn't stop -- the blue-red one, 2 times.") == 8
    assert n_words(" … ") == 0
