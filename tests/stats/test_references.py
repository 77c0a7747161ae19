"""Reference groups: read with their sources, nearest by exact distances, ties flagged."""

import csv
from fractions import Fraction

import pytest

from vlmtom.errors import BadData
from vlmtom.stats.exact import Root
from vlmtom.stats.references import COLUMNS, REFERENCES, Point, load_references, nearest

HEAD = ",".join(COLUMNS) + "\n"


def test_the_groups_are_those_of_the_paper():
    known = load_references()
    td, asd = known.adults.groups
    assert (td.group, td.gap) == ("TD-adult", Fraction(435, 1000))
    assert (asd.group, asd.gap) == ("HF-ASD-adult", Fraction(340, 1000))
    assert td.points["ToM"] == Point(Fraction("4.3"), Fraction("1.7"))
    assert asd.points["Random"] == Point(Fraction("0.8"), Fraction("1.5"))
    assert [float(one.gap) for one in known.groups[2:]] == [0.59, 0.67, 0.68, 0.72]
    # sqrt(1.4^2 + 1.2^2): the printed 1.844
    assert td.points["ToM"].distance(asd.points["ToM"]) == Root(Fraction("3.40"))


def test_what_is_no_anchor_is_named_and_never_nearest():
    known = load_references()
    assert known.excluded == ("Keysar 2000 adults", "Apperly 2010 adults")
    assert [(one.measure, float(one.rate)) for one in known.brackets] == [
        ("reach_rate", 0.52),
        ("reach_rate", 0.24),
    ]
    assert known.near_gap(Fraction(52, 100)).group == "Adolescent-II 14.0-17.7y"


def test_every_value_has_a_source_and_says_how_sure_it_is():
    rows = list(csv.DictReader(REFERENCES.read_text(encoding="utf-8").splitlines()))
    assert all(row["source"] and row["certainty"] for row in rows)
    inferred = [row for row in rows if row["derivation"] == "solved_from_distances"]
    assert len(inferred) == 8
    assert all(row["certainty"].startswith("inferred") for row in inferred)


def test_a_tie_goes_to_the_first_in_order_and_is_flagged():
    near = nearest({"one": Root(Fraction(4)), "two": Root(Fraction(4)), "three": Root(Fraction(9))})
    assert (near.group, near.tie, near.margin) == ("one", True, 0)
    near = nearest({"one": Root(Fraction(9)), "two": Root(Fraction(4))})
    assert (near.group, near.tie, near.margin) == ("two", False, 1)


def test_the_boundary_of_the_gap_is_halfway_and_exact():
    adults = load_references().adults
    # (0.435 + 0.340) / 2 = 0.3875: equally far, which floats do not see
    near = adults.near_gap(Fraction(3875, 10000))
    assert (near.group, near.tie, near.margin) == ("TD-adult", True, 0)
    assert adults.near_gap(Fraction(3874, 10000)).group == "HF-ASD-adult"


def test_one_reference_has_no_margin_and_none_has_no_label():
    assert nearest({"one": Root(Fraction(1))}).margin is None
    assert nearest({}).group is None
    assert load_references().near_gap(None).group is None
    assert load_references().near_point(None, "ToM").group is None


def test_a_gap_can_be_made_of_accuracies_and_a_short_scale_is_stretched(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        HEAD
        + "g,director,,gap,,,0.9,0.4,a_minus_b,adult,s,c\n"
        + "g,triangles,ToM,intent,4,5,,,published_mean,adult,s,c\n"
        + "g,triangles,ToM,approp,1.6,2,,,published_mean,adult,s,c\n"
    )
    one = load_references(path).groups[0]
    assert one.gap == Fraction(1, 2)
    assert one.points["ToM"] == Point(Fraction(4), Fraction(24, 10))  # 1.6 x 3/2


def write(tmp_path, *lines):
    path = tmp_path / "r.csv"
    path.write_text(HEAD + "".join(line + "\n" for line in lines))
    return path


def test_without_a_published_gap_the_accuracies_make_one_and_without_both_a_group_is_excluded(
    tmp_path,
):
    path = write(
        tmp_path,
        "one,director,,gap,0.3,,0.9,0.4,published_gap,adult,s,c",  # published: it counts
        "two,director,,gap,,,0.9,0.4,,adult,s,c",
        "three,director,,gap,,,,0.4,error_rate_assuming_a_1,wider,s,c",
        "four,director,,gap,,,,,,wider,s,c",
        "five,director,,gap,,,,,,adult,s,c",
        "five,triangles,ToM,intent,4,5,,,published_mean,adult,s,c",
        "five,triangles,ToM,approp,2,3,,,published_mean,adult,s,c",
        "six,director,,error_rate,,,,,,excluded,s,c",
    )
    known = load_references(path)
    assert [(one.group, one.gap, one.derivation) for one in known.groups] == [
        ("one", Fraction(3, 10), "published_gap"),
        ("two", Fraction(1, 2), "a_minus_b"),
        ("three", Fraction(6, 10), "error_rate_assuming_a_1"),
        ("five", None, None),  # a reference on the triangles alone
    ]
    assert known.excluded == ("four", "five", "six")
    assert known.near_gap(Fraction(1)).group == "three"
    assert known.near_point(Point(Fraction(4), Fraction(2)), "ToM").group == "five"


def test_a_shorter_scale_of_human_appropriateness_is_stretched_once(tmp_path):
    points = [
        one.points["ToM"].approp for one in load_references().assuming_approp_to(2).adults.groups
    ]
    assert points == [Fraction("2.55"), Fraction("0.75")]  # 1.7 and 0.5, times 3 / 2
    line = "g,triangles,ToM,intent,4,5,,,published_mean,adult,s,c"
    short = "g,triangles,ToM,approp,1.6,2,,,published_mean,adult,s,c"
    known = load_references(write(tmp_path, line, short))
    assert known.assuming_approp_to(2) == known  # it says 0 to 2 already
    high = "g,triangles,ToM,approp,2.2,3,,,published_mean,adult,s,c"
    known = load_references(write(tmp_path, line, high))
    assert known.assuming_approp_to(2) == known  # 2.2 was not rated on 0 to 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("group\n", "no column task"),
        (HEAD + "g,director\n", "line 2: not as many fields"),
        (HEAD + "g,juggling,,gap,1,,,,published_gap,adult,s,c\n", "column 'task': expected dir"),
        (HEAD + "g,director,,gap,x,,,,published_gap,adult,s,c\n", "'value': expected a number"),
        (HEAD + "g,director,,gap,1,,,,guess,adult,s,c\n", "'derivation': expected published_gap"),
        (HEAD + "g,director,,reach_rate,1,,,,x,adult,s,c\n", "'measure': expected gap"),
        (HEAD + "g,director,,gap,1,,,,published_gap,young,s,c\n", "'set': expected adult"),
        (HEAD + ",director,,gap,1,,,,published_gap,adult,s,c\n", "'group': expected a name"),
        (HEAD + "g,director,,gap,1,,,,published_gap,adult,s,c\n" * 2, "line 3: .* twice"),
        (HEAD + "g,triangles,,intent,1,5,,,m,adult,s,c\n", "'condition': expected ToM or GD"),
        (HEAD + "g,triangles,ToM,intent,1,5,,,m,adult,s,c\n", "both intent and approp of ToM"),
        (HEAD + "g,triangles,ToM,intent,1,0,,,m,adult,s,c\n", "'scale_max': expected a number"),
        (HEAD + "g,triangles,ToM,approp,3.1,,,,m,adult,s,c\n", "'value': expected a number from 0"),
        (HEAD + "g,triangles,ToM,approp,2.1,2,,,m,adult,s,c\n", "'value': .* from 0 to 2, found"),
        (HEAD + "g,director,,gap,43,,,,published_gap,adult,s,c\n", "'value': .* from -1 to 1"),
        (HEAD + "g,director,,gap,,,90,0.4,a_minus_b,adult,s,c\n", "'p_a': .* from 0 to 1"),
        (HEAD + "g,director,,gap,,,0.9,,,adult,s,c\n", "'p_b': expected a number"),
        (HEAD + "g,director,,gap,,,,,published_gap,adult,s,c\n", "'value': expected a number"),
        (HEAD + "g,director,,gap,0.4,,,,,adult,s,c\n", "'derivation': expected published_gap"),
        (
            HEAD + "g,director,,gap,0.6,,0.9,0.4,a_minus_b,adult,s,c\n",
            "'value': expected p_a - p_b",
        ),
        (HEAD + "g,director,,reach_rate,52,,,,r,bracket,s,c\n", "'value': .* from 0 to 1"),
        (
            HEAD
            + "g,director,,gap,0.4,,,,published_gap,adult,s,c\n"
            + "g,triangles,ToM,intent,1,,,,m,wider,s,c\n",
            "line 3, column 'set': expected adult, as on the first line of 'g'",
        ),
    ],
)
def test_a_bad_file_is_refused_with_line_and_column(tmp_path, text, words):
    path = tmp_path / "r.csv"
    head, _, rest = text.partition("\n")
    path.write_text(head + "\n" + rest.replace(HEAD, ""))
    with pytest.raises(BadData, match=words):
        load_references(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadData, match=r"no\.csv: cannot be read"):
        load_references(tmp_path / "no.csv")
