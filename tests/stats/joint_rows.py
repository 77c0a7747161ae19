"""Rows of the tables that the joint cards are made of, for a few testers."""

from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.stats.joint_cards import PROFILE, Effect, Game, joint_cards

EFFECT = Effect("asked", "move-none", "move-visibility")


def intervals_of(tester, kind="model", **values):
    """Rows of INTERVALS. values: value, low and high of a measure; the others are in the middle."""
    tops = {"gap": 1, **{m: 5 if m.endswith("intent") else 3 for m in PROFILE}}
    rows = []
    for measure, top in tops.items():
        value, low, high = values.get(measure, (top / 2, top / 4, 3 * top / 4))
        of = {"tester": tester, "kind": kind, "measure": measure, "n": 12}
        status = "no_cells" if value is None else "ok"
        rows.append({**of, "value": value, "low": low, "high": high, "status": status})
    return rows


def estimate_of(tester, kind="model", diff=0.169, lo=0.091, hi=0.247, method="gee", **other):
    """A row of REPORT_ACTION_ESTIMATES."""
    of = {"tester": tester, "kind": kind, "comparison": "asked", "measure": "hidden_chosen"}
    numbers = {"diff": diff, "lo": lo, "hi": hi, "method": method, "n_paired": 160}
    return {**of, "subset": "all", **numbers, **other}


def signals_of(tester, kind="model", arm="standard", metric="tocs", participant=None, value=0.92):
    """Rows of MOSAIC_SIGNALS, one a condition."""
    of = {"subject": tester, "participant": participant or tester, "arm": arm, "kind": kind}
    numbers = {"n": 50, "value": value, "low": 0.808, "high": 0.978, "method": "exact"}
    return [
        {**of, "metric": metric, "condition": c.slug, **numbers, "status": "ok"} for c in CONDITIONS
    ]


def cards(testers):
    """Rows of JOINT_CARDS, of testers by name with their kinds."""
    made = [(intervals_of(*t), estimate_of(*t), signals_of(*t)) for t in testers.items()]
    return joint_cards(
        [Game(tester, "standard") for tester in testers],
        EFFECT,
        [row for rows, _, _ in made for row in rows],
        [row for _, row, _ in made],
        [row for _, _, rows in made for row in rows],
    )
