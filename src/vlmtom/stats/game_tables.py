"""The game's tables over all pairs of a run: outcomes, tests, arms, ablations, what has no test.

Tables 2 to 6 take one arm of each pair; a pair in which more than half of the answers of a member
could not be read is named with its counts and not scored. Agents with stated policies draw from
seeds of their policies, so that pairs of them are no independent samples: they are tested beside
each other only, apart from the pairs in which a model plays or speaks.
Source: MOSAIC paper, appendices F.2 and F.3.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from vlmtom.mosaic.conditions import BY_SLUG, CONDITIONS
from vlmtom.stats.game import (
    METRICS,
    Cell,
    Pair,
    Played,
    Row,
    bias_class,
    choices_by_reward,
    pair_of,
    pairs_in_arms,
    summary,
    values,
)
from vlmtom.stats.game_tests import (
    EXCLUDED,
    FACTORS,
    NO_TRIALS,
    OK,
    WHY,
    Found,
    binomial,
    bonferroni,
    chi_square,
    kruskal_wallis,
    scheirer_ray_hare,
    untested,
)

ALL = "all"
MODELS, OBSERVERS = "model", "observer"  # the families of tests
MEAN = 0  # in place of a draw's number
_LIGHT = 1
_CHOSEN = ("dark", "light")


def table2(found: Played) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE2: each draw of a condition once, then the mean over pairs.

    Pairs that faced the same trials share one draw, which is no more evidence for being many. The
    place of a reward is drawn before a trial is played, so that missing trials and excluded pairs
    count.
    """
    cells = found.main().cells
    rows: list[dict[str, object]] = []
    for condition in CONDITIONS:
        draws: dict[frozenset[tuple[object, object]], list[Pair]] = {}
        for cell in cells:
            if cell.condition == condition.slug:
                drawn = frozenset((trial["trial"], trial["reward"]) for trial in cell.trials)
                draws.setdefault(drawn, []).append(cell.pair)
        own = [
            _draw(condition.slug, number, drawn, pairs)
            for number, (drawn, pairs) in enumerate(draws.items(), 1)
        ]
        rows += [*own, _mean(own)] if own else []
    return rows


def _draw(
    condition: str, number: int, drawn: Iterable[tuple[object, object]], pairs: Sequence[Pair]
) -> dict[str, object]:
    rewards = [reward for _, reward in drawn]
    k, n = rewards.count(_LIGHT), len(rewards)
    return {
        "condition": condition,
        "draw": number,
        "pairs": " ".join(pair.slug for pair in pairs),
        "n_pairs": len(pairs),
        "k": Fraction(k),
        "n": Fraction(n),
        "p": binomial(k, n).p,
    }


def _mean(rows: Sequence[Row]) -> dict[str, object]:
    """Over pairs, as the paper prints it: a draw counts as often as pairs had it."""
    n_pairs = sum(row["n_pairs"] for row in rows)
    return {
        "condition": rows[0]["condition"],
        "draw": MEAN,
        "pairs": ALL,
        "n_pairs": n_pairs,
        **{
            name: sum(row[name] * row["n_pairs"] for row in rows) / n_pairs
            for name in ("k", "n", "p")
        },
    }


def table3(found: Played) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE3: every pair in every condition."""
    return [_outcome(cell, found) for cell in found.main().cells]


def _outcome(cell: Cell, found: Played) -> dict[str, object]:
    of, read = summary(cell.trials), found.readable[cell.pair]
    excluded = found.excluded(cell.pair)
    half = untested(EXCLUDED) if excluded else binomial(of.conforming, of.n)
    chance = untested(half.status) if half.p is None else binomial(of.conforming, of.n, of.chance)
    numbers = {
        "tocs": of.tocs,
        "tocs_choice": of.tocs_choice,
        "ur": of.ur,
        "pb_all": of.pb_all,
        "pb_choice": of.pb_choice,
        "pb_class": bias_class(of.pb_choice),
        "null_ur": of.chance,
    }
    return cell.head() | {
        "n": of.n,
        "n_missing": of.n_missing,
        "conforming": of.conforming,
        "p": half.p,
        "n_choice": of.n_choice,
        **(dict.fromkeys(numbers) if excluded else numbers),
        "p_ur": chance.p,
        **{f"unreadable_{role}": own.unreadable for role, own in read.items()},
        **{f"answers_{role}": own.answers for role, own in read.items()},
        "unread": found.unread(cell.pair),
        "status": half.status if half.p is None else chance.status,
    }


def table4(found: Played) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE4: every scored pair in every condition."""
    rows = []
    for cell in found.main().scored().cells:
        counts = choices_by_reward(cell.trials)
        test = chi_square(counts) if cell.done else untested(NO_TRIALS)
        rows.append(
            cell.head()
            | {
                f"{reward}_{box}": counts[i][j]
                for i, reward in enumerate(_CHOSEN)
                for j, box in enumerate(_CHOSEN)
            }
            | {
                "n_neutral": summary(cell.trials).chosen[2],
                "chi2": test.statistic,
                "p": test.p,
                "status": test.status,
            }
        )
    return rows


def table5(found: Played, metrics: Iterable[str] = tuple(METRICS)) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE5: mode, ToM order and both, of each metric of every scored pair.

    A family is all of these tests that are defined, of models or of observers.
    """
    rows: list[dict[str, object]] = []
    tests: list[Found] = []
    kept = found.main().scored()
    for pair in kept.pairs:
        cells = kept.of(pair)
        for metric in metrics:
            of_conditions = {
                (BY_SLUG[c.condition].mode, BY_SLUG[c.condition].tom): values(c.done, metric)
                for c in cells
            }
            for factor, test in scheirer_ray_hare(of_conditions).by_factor().items():
                head = {k: v for k, v in cells[0].head().items() if k != "condition"}
                n = sum(len(own) for own in of_conditions.values())
                rows.append(
                    head | {"family": _family(cells[0]), "metric": metric, "factor": factor, "n": n}
                )
                tests.append(test)
    return _in_families(rows, tests)


def table6(found: Played, metrics: Iterable[str] = tuple(METRICS)) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE6: the scored pairs of a family against each other.

    A family is all of these tests that are defined, by condition and metric, of models or of
    observers.
    """
    rows: list[dict[str, object]] = []
    tests: list[Found] = []
    kept = found.main().scored().cells
    for family in (MODELS, OBSERVERS):
        for condition in CONDITIONS:
            cells = [
                cell for cell in kept if (_family(cell), cell.condition) == (family, condition.slug)
            ]
            for metric in metrics if cells else ():
                groups = [own for cell in cells if (own := values(cell.done, metric))]
                tests.append(kruskal_wallis(groups))
                rows.append(
                    {
                        "family": family,
                        "condition": condition.slug,
                        "metric": metric,
                        "n_pairs": len(groups),
                        "n": sum(map(len, groups)),
                    }
                )
    return _in_families(rows, tests)


def _family(cell: Cell) -> str:
    """Models: all pairs in which one plays or speaks."""
    return OBSERVERS if cell.kind == OBSERVERS else MODELS


def _in_families(rows: Sequence[Row], tests: Sequence[Found]) -> list[dict[str, object]]:
    """The rows with their tests, p adjusted for the tests of the row's own family."""
    corrected: list[dict[str, object]] = [{} for _ in rows]
    for family in (MODELS, OBSERVERS):
        places = [place for place, row in enumerate(rows) if row["family"] == family]
        m, adjusted = bonferroni([tests[place] for place in places])
        for place, p_adj in zip(places, adjusted, strict=True):
            corrected[place] = {"p_adj": p_adj, "family_size": m}
    return [
        {**row, "h": test.statistic, "p": test.p, **of_family, "status": test.status}
        for row, test, of_family in zip(rows, tests, corrected, strict=True)
    ]


def table7(found: Played) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE7: pairs that were played in several image arms."""
    rows = []
    for cell in (cell for pair in pairs_in_arms(found.pairs) for cell in found.of(pair)):
        of, excluded = summary(cell.trials), found.excluded(cell.pair)
        numbers = {name: getattr(of, name) for name in ("tocs", "tocs_choice", "ur", "pb_choice")}
        rows.append(
            cell.head()
            | {"n": of.n, "n_missing": of.n_missing, "status": _status(of.n, excluded)}
            | {"unread": found.unread(cell.pair)}
            | (dict.fromkeys(numbers) if excluded else numbers)
        )
    return rows


def ablations(found: Played, reference: str, pairs: Sequence[str]) -> list[dict[str, object]]:
    """Rows of MOSAIC_ABLATIONS: the reference, then each pair by the name of its folder.

    A pair that was not played has no row.
    """
    by_slug = {pair.slug: pair for pair in found.pairs}
    of_reference = {
        cell.condition: summary(cell.trials).tocs
        for cell in (found.of(by_slug[reference]) if reference in by_slug else ())
        if not found.excluded(cell.pair)
    }
    rows = []
    for slug in dict.fromkeys((reference, *pairs)):
        for cell in found.of(by_slug[slug]) if slug in by_slug else ():
            of, excluded = summary(cell.trials), found.excluded(cell.pair)
            beside = of_reference.get(cell.condition)
            numbers = {
                "tocs": of.tocs,
                "tocs_less": None if None in (of.tocs, beside) else of.tocs - beside,
                **{metric: of.mean(metric) for metric in ("tas", "gas", "s_traj")},
            }
            rows.append(
                cell.head()
                | {"reference": slug == reference, "n": of.n, "n_missing": of.n_missing}
                | (dict.fromkeys(numbers) if excluded else numbers)
                | {"status": _status(of.n, excluded), "unread": found.unread(cell.pair)}
            )
    return rows


def _status(n: int, excluded: bool) -> str:
    return EXCLUDED if excluded else OK if n else NO_TRIALS


def untested_rows(
    outcomes: Sequence[Row], choices: Sequence[Row], effects: Sequence[Row], pairs: Sequence[Row]
) -> list[dict[str, object]]:
    """Rows of MOSAIC_UNTESTED, from those of Tables 3 to 6: each test without a p, with why.

    A pair that is excluded has one row, with all tests of its own: two binomial and a chi-square in
    each condition, and those of Table 5; it is in no other table.
    """
    rows = []
    for row in outcomes:
        if row["p"] is None and row["status"] != EXCLUDED:
            rows.append(_untested("binomial", row, "tocs", str(row["status"]), 1))
        if row["p_ur"] is None and row["status"] != EXCLUDED:
            rows.append(_untested("binomial_ur", row, "tocs", str(row["status"]), 1))
    excluded = [row for row in outcomes if row["status"] == EXCLUDED]
    for pair in dict.fromkeys(pair_of(row) for row in excluded):
        own = [row for row in excluded if pair_of(row) == pair]
        n = 3 * len(own) + len(METRICS) * len(FACTORS)
        rows.append(_untested("all", {**own[0], "condition": ALL}, ALL, EXCLUDED, n))
    rows += [
        _untested("chi_square", row, "choice", str(row["status"]), 1)
        for row in choices
        if row["p"] is None
    ]
    lacking: dict[tuple[Pair, str], list[Row]] = {}
    for row in effects:
        if row["p"] is None:
            lacking.setdefault((pair_of(row), str(row["metric"])), []).append(row)
    rows += [
        _untested(
            "scheirer_ray_hare",
            {**of[0], "condition": ALL},
            metric,
            str(of[0]["status"]),
            len(of),
        )
        for (_, metric), of in lacking.items()
    ]
    return rows + [
        _untested("kruskal_wallis", row, str(row["metric"]), str(row["status"]), 1)
        for row in pairs
        if row["p"] is None
    ]


def _untested(test: str, row: Mapping[str, object], metric: str, status: str, n: int) -> dict:
    whose = f": {row['unread']}" if status == EXCLUDED else ""
    return {
        "test": test,
        "pair": pair_of(row).slug if "subject" in row else row["family"],
        "condition": row["condition"],
        "metric": metric,
        "status": status,
        "why": f"{WHY[status]}{whose}",
        "n_tests": n,
    }
