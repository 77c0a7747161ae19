"""A made-up but well-formed trial of the treasure game, for what is drawn of one."""

from tests.mosaic.rows import trial
from vlmtom.mosaic.world import ROUNDS, Action, act, start
from vlmtom.publish.mosaic_trial import ShownTrial, trial_of

MARIE = ["left forward", "left forward", "forward", None, "dark", "other", None, None, None, None]
PARTICIPANT = ["left", "left forward", "left forward", "left forward", *["stay"] * 6]
FACES = [0.0, -0.8, 0.1, 0.2, -0.6, 0.3, 0.3, -0.4, 0.2, 0.9]
WORDS = (
    (3, "If you know which box contains the treasure, will you tell me?", "No, I will not."),
    (6, "Do you know which box is in front of me?", "Yes, I know which boxes there are."),
    (9, "Is it the dark box?", "Yes, I prefer the dark box."),
)


def _action(word, face=0.0, skin=0.0):
    if word in (None, "stay"):
        return Action("stay idle", None, face, skin)
    kind = "rotate" if word in ("dark", "light", "other") else "move"
    return Action(kind, word, face, skin)


def rows(condition="comp-tom1", number=1, rounds=ROUNDS, words=WORDS, **of_trial):
    """Rows of MOSAIC_TRIALS, MOSAIC_STEPS and MOSAIC_UTTERANCES of one trial."""
    head = trial(number, condition, **{"reward": 1, "choice": 0, **of_trial})
    keys = {k: head[k] for k in ("subject", "participant", "arm", "kind", "condition", "trial")}
    state, steps = start(), []

    def put(round_, role, action, blocked):
        body = state.body(role)
        steps.append(
            {
                **keys,
                "round": round_,
                "role": role,
                "x": body.cell[0],
                "y": body.cell[1],
                "hx": body.heading[0],
                "hy": body.heading[1],
                "facial": body.facial,
                "physiological": body.physiological,
                "action": action and action.kind,
                "direction": action and action.direction,
                "blocked": blocked,
                "unreadable": False,
                "own_other": 0.5,
                "own_dark": 0.5 + 0.03 * round_,
                "own_light": 0.5 - 0.03 * round_,
            }
        )

    for role in ("subject", "participant"):
        put(0, role, None, False)
    for round_ in range(1, rounds + 1):
        skin = 0.05 * round_
        turns = (
            ("subject", _action(MARIE[round_ - 1], FACES[round_ - 1], skin)),
            ("participant", _action(PARTICIPANT[round_ - 1])),
        )
        for role, action in turns:
            acted = act(state, role, action)
            state = acted.state
            put(round_, role, action, acted.blocked)
    said = [
        {**keys, "round": round_, "speaker": speaker, "text": text, "unreadable": False}
        for round_, question, answer in words
        for speaker, text in (("participant", question), ("subject", answer))
        if round_ <= rounds
    ]
    return [head], steps, said


def shown(condition="comp-tom1", number=1, **how) -> ShownTrial:
    """The trial as the card and the film take it."""
    return trial_of(*rows(condition, number, **how), number)
