"""Whether Intentionality follows the length of a description: words, association, contrasts.

Castelli et al. scored length beside Intentionality; here it is a covariate. Least squares over
descriptions, without clusters: estimates alone, descriptive, no test and no interval.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from vlmtom.stats.association import spearman
from vlmtom.stats.profile_tables import PANEL, Reading, averaged
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, object]

CONTRASTS = {"tom_gd": "GD", "tom_random": "Random"}
_COLLINEAR = 1e-12  # share of the variance of log words that its regressors leave


@dataclass(frozen=True)
class Described:
    """One description. intent: mean over the judges that scored it, 0 to 5; None without one."""

    tester: str
    kind: str
    condition: str
    words: int
    intent: Fraction | None


def length(
    descriptions: Iterable[Row], verdicts: Iterable[Row], reading: Reading
) -> list[dict[str, object]]:
    """One row per tester, and one of the panel (LENGTH); words, rho and raw contrasts are exact.

    descriptions: rows of DESCRIPTIONS; verdicts: rows of VERDICTS. Read are the reading's arm and
    overlay. words: means over usable trials. rho: Spearman of words against Intentionality over a
    tester's scored descriptions. Contrasts are differences of mean Intentionality over descriptions
    (levels), then the same with log words in a least-squares model of condition and log words,
    with an intercept for each tester on the panel's row. null where undefined, with a word in
    status (of the adjusted contrasts) or rho_status.
    status: ok; no_cells, no scored description in one of the conditions; constant_length, all are
    as long; fixed_by_condition, length follows from tester and condition, so that the two cannot be
    told apart; too_few, no more descriptions than parameters.
    """
    descriptions = [row for row in descriptions if row["arm"] == reading.arm]
    kinds = {str(row["tester"]): str(row["kind"]) for row in descriptions}
    by_tester: dict[str, list[Described]] = {tester: [] for tester in kinds}
    for one in _described(descriptions, verdicts, reading):
        by_tester[one.tester].append(one)
    rows = [_row(name, kinds[name], own) for name, own in by_tester.items()]
    panel = [str(row["tester"]) for row in averaged(rows)]
    if panel:
        rows.append(_panel_row([one for name in panel for one in by_tester[name]], rows, panel))
    return rows


def _described(
    descriptions: Iterable[Row], verdicts: Iterable[Row], reading: Reading
) -> Iterable[Described]:
    intents: dict[object, list[int]] = defaultdict(list)
    for row in verdicts:
        own = (row["arm"], row["overlay"]) == (reading.arm, reading.overlay)
        if own and row["parse"] == "parsed":
            intents[row["blind_id"]].append(row["intent"])
    for row in descriptions:
        if row["parse"] == "parsed":
            scores = intents[row["blind_id"]]
            yield Described(
                str(row["tester"]),
                str(row["kind"]),
                str(row["condition"]),
                int(row["n_words"]),
                Fraction(sum(scores), len(scores)) if scores else None,
            )


def _row(tester: str, kind: str, own: Sequence[Described]) -> dict[str, object]:
    scored = [one for one in own if one.intent is not None]
    rho = spearman([one.words for one in scored], [one.intent for one in scored], 0, resamples=0)
    words = {c: mean([one.words for one in own if one.condition == c]) for c in CONDITIONS}
    return {
        "tester": tester,
        "kind": kind,
        **{f"words_{condition.lower()}": value for condition, value in words.items()},
        "n_descriptions": len(own),
        "n_scored": len(scored),
        "rho": rho.rho,
        "rho_status": rho.status,
        **_contrasts(scored),
    }


def _panel_row(
    own: Sequence[Described], rows: Sequence[Row], panel: Sequence[str]
) -> dict[str, object]:
    """Testers count once in the means of words; rho would mix up testers, and is not taken."""
    of_panel = [row for row in rows if row["tester"] in panel]
    names = [f"words_{condition.lower()}" for condition in CONDITIONS]
    scored = [one for one in own if one.intent is not None]
    return {
        "tester": PANEL,
        "kind": PANEL,
        **{name: mean([r[name] for r in of_panel if r[name] is not None]) for name in names},
        "n_descriptions": len(own),
        "n_scored": len(scored),
        "rho": None,
        "rho_status": "by_tester",
        **_contrasts(scored),
    }


def mean(values: Sequence[int | Fraction]) -> Fraction | None:
    """The exact mean; None without a value."""
    return sum(values, Fraction()) / len(values) if values else None


def _contrasts(scored: Sequence[Described]) -> dict[str, object]:
    """ToM minus GD and minus Random, raw and at equal log words; and the slope of log words."""
    adjusted, status = _adjusted(scored)
    raw = {name: _raw(scored, other) for name, other in CONTRASTS.items()}
    return {
        **raw,
        **{f"{name}_adjusted": adjusted.get(name) for name in CONTRASTS},
        "per_log_word": adjusted.get("per_log_word"),
        "status": status,
    }


def _raw(scored: Sequence[Described], other: str) -> Fraction | None:
    """The difference of mean Intentionality within testers, over descriptions.

    For several testers the mean of their differences, so that each counts once. Where all have as
    many descriptions in each condition it is that of the adjusted model without log words.
    """
    found = []
    for tester in dict.fromkeys(one.tester for one in scored):
        own = [one for one in scored if one.tester == tester]
        high = mean([one.intent for one in own if one.condition == "ToM"])
        low = mean([one.intent for one in own if one.condition == other])
        if high is not None and low is not None:
            found.append(high - low)
    return mean(found)


def _adjusted(scored: Sequence[Described]) -> tuple[dict[str, float], str]:
    if any(not any(one.condition == c for one in scored) for c in CONDITIONS):
        return {}, "no_cells"
    if len({one.words for one in scored}) == 1:
        return {}, "constant_length"
    testers = list(dict.fromkeys(one.tester for one in scored))
    columns = [[float(one.tester == name) for one in scored] for name in testers]
    columns += [[float(one.condition == c) for one in scored] for c in CONTRASTS.values()]
    known = np.array(columns).T
    # A description without a word has no logarithm; as one word it is the shortest there is.
    log_words = np.array([math.log(max(one.words, 1)) for one in scored])
    if len(scored) <= known.shape[1] + 1:
        return {}, "too_few"
    rest = log_words - known @ np.linalg.lstsq(known, log_words, rcond=None)[0]
    spread = log_words - log_words.mean()
    if rest @ rest <= _COLLINEAR * max(spread @ spread, 1.0):
        return {}, "fixed_by_condition"
    intent = np.array([float(one.intent) for one in scored])
    fitted = np.linalg.lstsq(np.column_stack([known, log_words]), intent, rcond=None)[0]
    places = {name: len(testers) + n for n, name in enumerate(CONTRASTS)}
    found = {name: -float(fitted[place]) for name, place in places.items()}
    return found | {"per_log_word": float(fitted[-1])}, "ok"
