"""The game's instruments: its prompts, and what is seen in a few states that never change."""

from vlmtom.mosaic.prompts import instruments as of_prompts
from vlmtom.mosaic.view import picture
from vlmtom.mosaic.world import ROLES, Body, PublicState, start, unit
from vlmtom.rendering.images import pixel_sha256

VIEW = "mosaic/view"
# Faces and skins of either sign, near and far, a box before each and one out of view.
STATES = {
    "start": start(),
    "near": PublicState(
        Body((1, -1), unit((-1, 1)), facial=0.8, physiological=-0.5),
        Body((-1, 1), unit((1, -1)), facial=-0.6, physiological=0.4),
    ),
    "aside": PublicState(
        Body((3, -2), unit((-1, 2)), facial=-0.3, physiological=0.9),
        Body((-4, 3), unit((5, -3)), facial=0.2, physiological=-1.0),
    ),
}


def instruments() -> dict[str, str]:
    """SHA-256 of each instrument by its name in the locks; the states are drawn for it."""
    views = {
        f"{VIEW} {name} {role} {arm} pixels": pixel_sha256(picture(state, role, arm))
        for name, state in STATES.items()
        for role in ROLES
        for arm in ("standard", "face")
    }
    blank = picture(STATES["start"], "subject", "blank")  # the same of every state
    return of_prompts() | views | {f"{VIEW} blank pixels": pixel_sha256(blank)}
