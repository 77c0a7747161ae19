"""Keys, replies and outcomes of made-up scenes, for tests of what is counted from them."""

from vlmtom.report_action.prompts import condition
from vlmtom.report_action.scoring import outcome_rows

K = 5  # replies to each scene in each condition


def key(arm, scene, labels=(1, 2, 3), batch="b", scene_set="main", **more):
    """A row of REPORT_ACTION_KEYS. The last block is hidden, the one before it is meant."""
    of = condition(arm)
    *visible, hidden = labels
    return {
        "item_id": f"report_action/{scene_set}/{batch}/{arm}/R{scene:03d}",
        "arm": arm,
        "stimulus": f"{scene_set}/R{scene:03d}",
        "scene_set": scene_set,
        "batch": batch,
        "request": of.request,
        "report": of.report,
        "constraint": of.constraint,
        "labels": list(labels),
        "sizes_m": [0.05 + 0.01 * place for place in range(len(labels))],
        "hidden": hidden,
        "visible": visible,
        "director_view": visible[-1],
        "largest_digit": max(labels),
        "hidden_has_largest_digit": hidden == max(labels),
        "smaller_visible_has_larger_digit": any(v > visible[-1] for v in visible),
        "misleading_size": False,
        "tester_area_px": [900] * len(labels),
        "director_area_px": [900] * len(labels),
        **more,
    }


def keys_of(arms, scenes, **more):
    """Keys of all scenes in all conditions of a batch."""
    return [key(arm, scene, **more) for scene in range(scenes) for arm in arms]


def reply(of, trial, text, turn=1, status="ok", refusal=None, tester="t1"):
    """What scoring reads of a row of REPLIES."""
    return {
        "tester": tester,
        "kind": "model",
        "item_id": of["item_id"],
        "trial": trial,
        "turn": turn,
        "status": status,
        "finish_reason": "stop" if status == "ok" else None,
        "refusal": refusal,
        "text": text,
    }


def outcomes_of(keys, hidden, wrong_reports=0):
    """Outcomes scored from replies of one turn.

    hidden: by condition, how many of a scene's K replies choose the hidden block; the others choose
    what is meant. wrong_reports: so many of the first hidden choices list the hidden block as seen.
    """
    replies = []
    scene_of = {arm: iter(counts) for arm, counts in hidden.items()}
    for of in keys:
        chosen = next(scene_of[of["arm"]])
        for trial in range(1, K + 1):
            choice = of["hidden"] if trial <= chosen else of["director_view"]
            seen = of["visible"]
            if of["report"] != "none" and trial <= chosen and wrong_reports:
                seen, wrong_reports = [*seen, of["hidden"]], wrong_reports - 1
            report = f'"visible": {seen}, ' if of["report"] != "none" else ""
            replies.append(reply(of, trial, f'{{{report}"choice": {choice}}}'))
    return outcome_rows(replies, keys)
