"""Figure 1 and Table 1: what was shown and asked, and benchmarks as the paper has them."""

import itertools

import numpy as np
import pytest

from vlmtom.errors import BadData
from vlmtom.publish.figure1 import Clip, Scene, clip_of, figure1, scene_of
from vlmtom.publish.style import save_figure
from vlmtom.publish.table1 import FILE, read_benchmarks, table1_tex
from vlmtom.rendering.images import encode_png
from vlmtom.stats.references import REFERENCES, load_references
from vlmtom.triangles.scripts import scripts

PICTURES = {"b": "1" * 64, "sheet": "2" * 64}


def items():
    def item(arm, sub_prompt, text, picture, stimulus="Q02"):
        name = f"{arm}/{stimulus}/{sub_prompt}"
        turns = [{"role": "user", "text": text, "pictures": [picture], "video": None}]
        row = {"item_id": name, "arm": arm, "stimulus": stimulus}
        return row | {"sub_prompt": sub_prompt, "turns": turns}

    order = 'Head.\n\nThe director says to you: "Move the largest block." Which?\n\nForm.'
    return [
        item("canonical", "a", "Head.\n\nWhich blocks can the director see?\n\nForm.", "0" * 64),
        item("canonical", "b", order, PICTURES["b"]),
        item("canonical", "b", order.replace("largest", "smallest"), "3" * 64, "Q01"),
        item("rule", "b", order, "4" * 64),
    ]


def keys():
    def key(arm, stimulus, polarity):
        row = {"arm": arm, "stimulus": stimulus, "sub_prompt": "b", "polarity": polarity}
        blocks = {"labels": ["A", "B", "C"], "colors": ["blue", "red", "cyan"]}
        return row | blocks | {"visible": ["A", "B"], "own_view": "C", "target": "A"}

    return [
        key("rule", "Q00", "largest"),
        key("canonical", "Q01", "smallest"),
        key("canonical", "Q02", "largest"),
    ]


def test_the_scene_is_the_first_canonical_one_about_the_largest_block():
    picture, said = scene_of(items(), keys())
    assert picture == PICTURES["b"]
    assert said == {
        "question": "Which blocks can the director see?",
        "order": '"Move the largest block."',
        "names": {"A": "blue", "B": "red", "C": "cyan"},
        "visible": ["A", "B"],
        "own": "C",
        "meant": "A",
    }
    picture, said = scene_of([i | {"stimulus": "Q01"} for i in items()[:1]] + items(), keys()[:2])
    assert (picture, said["order"]) == ("3" * 64, '"Move the smallest block."')


def test_the_clip_is_the_first_numbered_one_about_minds():
    turns = [{"text": "Sixteen frames.\n\nDescribe.", "pictures": [PICTURES["sheet"]]}]
    shown = [{"item_id": "n/coaxing", "turns": turns}]
    known = {"stimulus": "coaxing", "script": "s", "stimulus_source": "synthetic"}
    rows = [
        {"item_id": "p/coaxing", "arm": "plain", "condition": "ToM"} | known,
        {"item_id": "n/star", "arm": "numbered", "condition": "Random"} | known,
        {"item_id": "n/coaxing", "arm": "numbered", "condition": "ToM"} | known,
    ]
    picture, said = clip_of(shown, rows)
    assert (picture, said["request"], said["name"]) == (PICTURES["sheet"], "Describe.", "coaxing")
    for found in (lambda: clip_of(shown, rows[:2]), lambda: scene_of([], keys()[:1])):
        with pytest.raises(BadData, match=r"figure 1: no .* among the keys"):
            found()


SHIPPED = max((s.script for s in scripts().values() if s.condition == "ToM"), key=len)
# As a film of other people may have it: 280 characters.
LONG = ("The mother persuades the child, who is afraid and holds back, to come out of the house; "
        "the child looks, hesitates, goes back in, is coaxed once more, and at last steps outside, "
        "where both of them play together and the mother shows it that nothing out there is to "
        "be feared by anyone.")  # fmt: skip


@pytest.fixture(scope="module")
def drawn():
    """Makes the figure with a script and a source; by default the longest that a ToM clip has."""
    _, scene = scene_of(items(), keys())
    plain = [np.full((h, w, 3), 200, np.uint8) for h, w in ((768, 1024), (960, 1280))]
    request = (
        "Describe what happens in the animation, from its beginning to its end, in a few "
        "sentences. Reply with the description alone."
    )
    clip = {"name": "c", "condition": "ToM", "request": request}
    return lambda script=SHIPPED, source="synthetic": figure1(
        Scene(png=encode_png(plain[0]), **scene),
        Clip(png=encode_png(plain[1]), **clip, script=script, source=source),
        load_references(REFERENCES),
    )


def said(figure):
    return [" ".join(text.get_text().split()) for text in figure.texts]


def test_a_script_that_fits_is_whole_and_a_longer_one_ends_in_an_ellipsis(drawn):
    assert SHIPPED in said(drawn())
    assert len(LONG) >= 280 and LONG not in said(drawn(LONG))
    [shown] = [text for text in said(drawn(LONG)) if text.startswith("The mother persuades")]
    assert shown.endswith(" …") and LONG.startswith(shown.removesuffix(" …"))
    # not more is taken away than must be: a shipped script fits, and this is no shorter
    assert len(shown) >= len(SHIPPED)


@pytest.mark.parametrize(
    ("script", "source"),
    [(SHIPPED, "synthetic"), (LONG, "synthetic"), (2 * LONG, "Someone et al. 2023, " * 8)],
    ids=["shipped", "long", "longer, with a long source"],
)
def test_no_text_covers_another_or_leaves_the_page_and_all_can_be_read(drawn, script, source):
    figure = drawn(script, source)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]
    texts += [t for a in figure.axes for t in (a.xaxis.label, a.yaxis.label) if t.get_text()]
    boxes = {text.get_text(): text.get_window_extent(renderer) for text in texts}
    assert len(boxes) > 20
    for (one, box), (other, second) in itertools.combinations(boxes.items(), 2):
        assert not box.shrunk(0.98, 0.9).overlaps(second.shrunk(0.98, 0.9)), (one, other)
    page = figure.bbox
    for text, box in boxes.items():
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0, text
    assert min(text.get_fontsize() for text in texts) >= 6.5
    pictures = [axes.get_window_extent(renderer) for axes in figure.axes]
    for text in figure.texts:
        assert not any(boxes[text.get_text()].overlaps(box) for box in pictures), text


def test_the_figure_is_the_same_bytes_from_the_same_rows(drawn, tmp_path):
    for name in ("a", "b"):
        save_figure(drawn(), tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
    for form in ("pdf", "png"):
        assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()


def test_table_1_has_the_rows_of_the_paper_and_its_own_last():
    rows = read_benchmarks()
    assert [row["benchmark"] for row in rows] == [
        *("MMToM-QA", "EgoToM", "MoMentS", "MINDCUBE", "Gao et al. (2024)"),
        *("Zhang et al. (2026)", "vlmtom"),
    ]
    assert [row["paired"] for row in rows] == [
        *["no"] * 4,
        "no (one task)",
        *["yes (paired tasks)"] * 2,
    ]
    assert all(("2608.00261" in row["source"]) == (row["benchmark"] != "vlmtom") for row in rows)
    tex = table1_tex(rows)
    assert "Source: Zhang et al. (arXiv 2608.00261), Table 1" in tex
    # MoMentS: three cells of one line and one of two
    assert (
        r"MoMentS & multiple ToM types & narrative film clips & no (face, dialogue, & no \\" in tex
    )
    assert r" &  &  & music) &  \\" in tex


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("paired,", "pair,", 1), "expected the columns benchmark, sub_"),
        (lambda text: text.replace("belief and goal", ""), "line 2: nothing under sub_capacity"),
    ],
)
def test_a_bad_file_of_benchmarks_is_refused_with_the_line(tmp_path, change, words):
    (tmp_path / "b.csv").write_text(change(FILE.read_text()))
    with pytest.raises(BadData, match=words):
        read_benchmarks(tmp_path / "b.csv")
    with pytest.raises(BadData, match="cannot be read"):
        read_benchmarks(tmp_path / "none.csv")
