"""The game's tables over all pairs of a run: outcomes, tests, arms, ablations, what has no test.

Tables 2 to 6 take one arm of each pair; a pair of which more than half of the answers could not be
read is named with its counts and not scored. Source: MOSAIC paper, appendices F.2 and F.3.
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

PANEL = "panel"
ALL = "all"
_LIGHT = 1
_CHOSEN = ("dark", "light")


def table2(found: Played) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE2: each pair in each condition, then the conditions over all pairs.

    The place of a reward is drawn before a trial is played, so that missing trials and excluded
    pairs count.
    """
    rows = []
    for cell in found.main().cells:
        k, n = sum(trial["reward"] == _LIGHT for trial in cell.trials), len(cell.trials)
        p = binomial(k, n).p
        rows.append(
            cell.head() | {"n_pairs": 1, "k": Fraction(k), "n": Fraction(n), "p": p, "p_pooled": p}
        )
    return rows + [
        _over_pairs([row for row in rows if row["condition"] == condition.slug])
        for condition in CONDITIONS
        if any(row["condition"] == condition.slug for row in rows)
    ]


def _over_pairs(rows: Sequence[Row]) -> dict[str, object]:
    k, n = (sum(row[name] for row in rows) for name in ("k", "n"))
    return {
        **dict.fromkeys(("subject", "participant", "arm", "kind"), PANEL),
        "condition": rows[0]["condition"],
        "n_pairs": len(rows),
        "k": k / len(rows),
        "n": n / len(rows),
        "p": sum(row["p"] for row in rows) / len(rows),
        "p_pooled": binomial(int(k), int(n)).p,
    }


def table3(found: Played) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE3: every pair in every condition."""
    return [_outcome(cell, found) for cell in found.main().cells]


def _outcome(cell: Cell, found: Played) -> dict[str, object]:
    of, read = summary(cell.trials), found.readable[cell.pair]
    excluded = read.excluded
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
        "unreadable": read.unreadable,
        "answers": read.answers,
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

    The family is all of these tests that are defined.
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
                rows.append(head | {"metric": metric, "factor": factor, "n": n})
                tests.append(test)
    return _in_family(rows, tests)


def table6(found: Played, metrics: Iterable[str] = tuple(METRICS)) -> list[dict[str, object]]:
    """Rows of MOSAIC_TABLE6: the scored pairs against each other, by condition and metric.

    The family is all of these tests that are defined.
    """
    rows: list[dict[str, object]] = []
    tests: list[Found] = []
    kept = found.main().scored()
    for condition in CONDITIONS:
        cells = [cell for cell in kept.cells if cell.condition == condition.slug]
        if not cells:
            continue
        for metric in metrics:
            groups = [own for cell in cells if (own := values(cell.done, metric))]
            tests.append(kruskal_wallis(groups))
            rows.append(
                {
                    "condition": condition.slug,
                    "metric": metric,
                    "n_pairs": len(groups),
                    "n": sum(map(len, groups)),
                }
            )
    return _in_family(rows, tests)


def _in_family(rows: Sequence[Row], tests: Sequence[Found]) -> list[dict[str, object]]:
    m, adjusted = bonferroni(tests)
    return [
        {
            **row,
            "h": test.statistic,
            "p": test.p,
            "p_adj": p_adj,
            "family_size": m,
            "status": test.status,
        }
        for row, test, p_adj in zip(rows, tests, adjusted, strict=True)
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
                | {"status": _status(of.n, excluded)}
            )
    return rows


def _status(n: int, excluded: bool) -> str:
    return EXCLUDED if excluded else OK if n else NO_TRIALS


def untested_rows(
    outcomes: Sequence[Row], choices: Sequence[Row], effects: Sequence[Row], pairs: Sequence[Row]
) -> list[dict[str, object]]:
    """Rows of MOSAIC_UNTESTED, from those of Tables 3 to 6: each test without a p, with why.

    A pair that is excluded has one row, with its binomial tests; it is in no other table.
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
        rows.append(_untested("all", {**own[0], "condition": ALL}, ALL, EXCLUDED, 3 * len(own)))
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
    return {
        "test": test,
        "pair": pair_of(row).slug if "subject" in row else ALL,
        "condition": row["condition"],
        "metric": metric,
        "status": status,
        "why": WHY[status],
        "n_tests": n,
    }
