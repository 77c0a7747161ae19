"""Which changes an utterance makes: rows of a closed form, or none at all."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmtom.mosaic.beliefs import Update
from vlmtom.mosaic.replies.preferences import read_preferences
from vlmtom.mosaic.world import ROLES
from vlmtom.parsing import REASONS

AGENTS = {"Marie": "subject", "Participant": "participant"}
ENTITIES = {"dark brown box": "dark", "light brown box": "light"}
VARIATIONS = {
    "more positive": 1.0,
    "less negative": 1.0,
    "more negative": 0.0,
    "less positive": 0.0,
    "unchanged": None,
}
quick = settings(max_examples=150, deadline=None)


@quick
@given(
    st.dictionaries(
        st.tuples(st.sampled_from([*AGENTS]), st.sampled_from([*ENTITIES, "other"])),
        st.sampled_from([*VARIATIONS]),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["', '", "',\n'", "'\n- '", "'; '"]),
)
def test_every_row_that_is_asked_for_is_read(rows, between):
    names = {"Marie": "Participant", "Participant": "Marie"}
    told = [
        f"{agent} | preference towards {names[agent] if entity == 'other' else entity} | {how}"
        for (agent, entity), how in rows.items()
    ]
    read = read_preferences(f"Updating: '{between.join(told)}'\nReasoning: as I say.")
    assert read.updates == tuple(
        Update(AGENTS[agent], ENTITIES.get(entity, "other"), VARIATIONS[how])
        for (agent, entity), how in rows.items()
        if VARIATIONS[how] is not None
    )


def test_one_row_that_cannot_be_read_leaves_the_others_unread():
    good = "'Marie | preference towards Participant | more positive'"
    assert read_preferences(f"Updating: {good}\nReasoning: x").parsed
    for bad in ("'Marie | preference towards gold | more positive'", "'Marie | 50%'"):
        assert not read_preferences(f"Updating: {good}, {bad}\nReasoning: x").parsed


def test_liking_of_oneself_and_feelings_are_put_aside_and_listed():
    read = read_preferences(
        "Updating: 'Participant | preference towards Participant | more positive', "
        "'Marie | felt emotion valence | more negative', "
        "'Marie | theory of mind order | unchanged'\nReasoning: x"
    )
    assert read.updates == ()
    assert read.ignored == (
        "Participant | preference towards Participant | more positive",
        "Marie | felt emotion valence | more negative",
        "Marie | theory of mind order | unchanged",
    )


def test_i_and_the_other_are_who_they_are_for_the_reader_and_nobody_without_one():
    text = "Updating: 'I | preference towards the other player | more positive'\nReasoning: x"
    assert read_preferences(text, "subject").updates == (Update("subject", "other", 1.0),)
    assert read_preferences(text, "participant").updates == (Update("participant", "other", 1.0),)
    assert read_preferences(text).reason == "off_vocabulary"


@pytest.mark.parametrize(
    "section",
    [
        *("None", "none.", "[]", "", "No changes", "no updates needed", "N/A", "nothing"),
        *("Unchanged", "{}", "null", "'None'", "(none)", "No change.", "Nothing changes."),
        "No preferences need to be updated.",
        "No preference needs to be changed at this step.",
        "No updates are required for Marie or Participant.",
        "None of the preferences change.",
        "None of the preferences towards the boxes change.",
        "None of my preferences have changed.",
        "None of the triples need to be updated",
        "There are no changes in the preferences.",
        "There is nothing to update.",
        "Nothing needs to be updated.",
        "I have no updates to any of the preferences.",
        "The preferences do not change.",
        "My preferences don't need to be updated.",
        "I do not need to update any preferences.",
        "No preferences of Marie or the Participant need to be updated.",
        "All preferences remain unchanged.",
        "All of the preferences stay the same.",
        "Both preferences should remain the same at this step.",
        "None. No preferences need to be updated.",
        "No changes, as she only asked a question.",
        "No preferences need to be updated because the question reveals nothing.",
    ],
)
def test_nothing_changed_is_an_answer(section):
    for text in (
        f"Updating: {section}\nReasoning: he only asked.",
        f"**Updating:**\n{section}\n\n**Reasoning:** he only asked.",
        f"1. Updating: {section}\n2. Reasoning: he only asked.",
        f"[Updating] {section}\n[Reasoning] he only asked.",
    ):
        read = read_preferences(text)
        assert (read.updates, read.reason) == ((), None)


@pytest.mark.parametrize(
    "section",
    [
        *(
            "No, she lied to me.",
            "nobody knows",
            "The dark one is better",
            "not sure",
            "No, as ever",
        ),
        "No preferences change except that towards the dark brown box.",
        "No other preferences change.",
        "No preferences remain unchanged.",
        "None of the preferences stay the same.",
        "No changes but more positive towards Marie.",
        "No changes, as she lied, but the dark box is more positive.",
        "The preferences change.",
        "None. Marie's preferences changed.",
        "None, the preferences changed.",
        "None\nUpdate the preferences",
        "None and update Marie's preferences",
        "The preferences of Marie are not unchanged.",
        "Nothing is certain, so I trust her less.",
        "No doubt the light box is better.",
        *("I do not trust her.", "I will not.", "They do not."),
        "The preferences are updated.",
    ],
)
def test_prose_is_no_answer(section):
    assert read_preferences(f"Updating: {section}\nReasoning: x").reason == "no_answer"


PIECES = [
    *("Updating:", "Reasoning:", "'", '"', "|", ",", "\n", " ", "Marie", "Participant", "I"),
    *("preference towards ", "dark brown box", "light brown box", "more positive", "unchanged"),
    *("Marie | preference towards dark brown box | more negative", "(", "]", "<think>", "\ud800"),
]
texts = st.one_of(
    st.text(max_size=120), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
)


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from([*ROLES, None]))
def test_no_text_raises_and_every_update_is_one_that_the_game_has(text, reader):
    read = read_preferences(text, reader)
    assert read.parsed == (read.reason is None)
    assert read.reason is None or read.reason in REASONS
    for update in read.updates or ():
        assert update.whose in ROLES
        assert update.entity in ("other", "dark", "light")
        assert update.towards in (0.0, 1.0)
    pairs = [(one.whose, one.entity) for one in read.updates or ()]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize(
    "text",
    [
        "|" * 100_000,
        "a|b|c," * 16_000,
        "Updating:" + " " * 100_000,
        "Updating: " + "no " * 33_000,
        "Updating:" + "'Marie | preference towards dark brown box | more positive'," * 1_700,
        "Updating:\n" * 10_000,
        "Updating: " + "no preferences " * 26,
        "Updating: " + "all of the " * 18 + "\n" + "have been " * 19,
        "Updating: " + "no as " * 60,
        "Updating: no " + "the marie " * 17 + "x",
        "Updating: no " + "marie or the marie's " * 8 + "x",
        "'" * 100_000,
        "\ufdfa" * 100_000,
        "reasoning" * 11_000,
    ],
    ids=lambda text: repr(text[:10]),
)
def test_a_hostile_reply_is_read_in_a_second(text):
    begun = time.process_time()
    read_preferences(text, "subject")
    assert time.process_time() - begun < 3
