"""The Director Task as files: pictures, items without answers, keys, sheets for people, locks."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from vlmtom.director.prompts import REASONING_ARMS, asked, every_prompt, prompt
from vlmtom.director.scenes import DirectorScene, scenes
from vlmtom.rendering.images import contact_sheet, decode_image, encode_png, pixel_sha256
from vlmtom.settings import DirectorArm
from vlmtom.store import schemas, sha256_json, sha256_text, write_bytes, write_rows
from vlmtom.store.digests import sha256_bytes
from vlmtom.tabletop.scene import Scene, picture
from vlmtom.tabletop.visibility import GATES

BATCH = "director"


@dataclass(frozen=True)
class Picture:
    """A rendered scene as a PNG file; the pixels themselves are not held."""

    pixel_sha256: str
    png: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Stimuli:
    """Scenes of each arm with their pictures, in the order of the configuration."""

    arms: Mapping[str, DirectorArm]
    scenes: Mapping[str, Sequence[DirectorScene]]
    pictures: Mapping[str, Mapping[str, Picture]]  # arm -> scene name -> picture


def build_stimuli(arms: Mapping[str, DirectorArm], seed: int) -> Stimuli:
    """Lay out, check and render every scene of every arm."""
    shown = {arm: scenes(arm, settings.scenes, seed) for arm, settings in arms.items()}
    # Arms that differ in words alone show the same scenes: each is rendered once.
    once: dict[tuple[Scene, bool], Picture] = {}
    for of_arm in shown.values():
        for scene in of_arm:
            if (scene.scene, scene.person) not in once:
                once[scene.scene, scene.person] = _render(scene)
    rendered = {
        arm: {scene.name: once[scene.scene, scene.person] for scene in of_arm}
        for arm, of_arm in shown.items()
    }
    return Stimuli(arms, shown, rendered)


def instruments(stimuli: Stimuli, seed: int) -> dict[str, str]:
    """Everything of this experiment that is locked, by name: prompts, pixels, gates."""
    locked = {f"{name} prompt": sha256_text(text) for name, text in every_prompt().items()}
    locked["director/scenes thresholds"] = sha256_json(asdict(GATES))
    for arm, of_arm in stimuli.pictures.items():
        for name, shown in of_arm.items():
            locked[f"director/{arm} seed {seed} {name} pixels"] = shown.pixel_sha256
    return locked


def item_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """ITEMS: every scene under every sub-prompt. No answer, no arm's name in text or picture."""
    return [
        {
            "item_id": _item_id(scene, sub_prompt),
            "experiment": "director",
            "arm": arm,
            "stimulus": scene.name,
            "sub_prompt": sub_prompt,
            "batch": BATCH,
            "trials": stimuli.arms[arm].trials,
            "reasoning": arm in REASONING_ARMS,
            "turns": [
                {
                    "role": "user",
                    "text": prompt(sub_prompt, scene.polarity, arm),
                    "pictures": [stimuli.pictures[arm][scene.name].pixel_sha256],
                    "video": None,
                }
            ],
        }
        for arm, of_arm in stimuli.scenes.items()
        for scene in of_arm
        for sub_prompt in asked(arm)
    ]


def key_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """DIRECTOR_KEYS: the answers, from what the id buffers show, one row an item."""
    return [
        {"item_id": _item_id(scene, sub_prompt), "sub_prompt": sub_prompt, **_key(scene)}
        for arm, of_arm in stimuli.scenes.items()
        for scene in of_arm
        for sub_prompt in asked(arm)
    ]


def picture_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """PICTURES: each picture once, under a name that says nothing."""
    once = {
        shown.pixel_sha256: shown
        for of_arm in stimuli.pictures.values()
        for shown in of_arm.values()
    }
    return [
        {
            "pixel_sha256": digest,
            "image": {"bytes": shown.png, "path": f"{digest[:16]}.png"},
            "file_sha256": sha256_bytes(shown.png),
            "width": shown.width,
            "height": shown.height,
        }
        for digest, shown in once.items()
    ]


def sheet_png(stimuli: Stimuli, arm: str) -> bytes:
    """A contact sheet of an arm for people, with what is asked and meant under each scene."""
    images = [decode_image(shown.png) for shown in stimuli.pictures[arm].values()]
    captions = [_caption(scene) for scene in stimuli.scenes[arm]]
    return encode_png(contact_sheet(images, captions, columns=3, cell_width=420))


def write_stimuli(
    stimuli: Stimuli, pictures: str, items: str, keys: str, sheets: Sequence[str]
) -> None:
    """Write all files; sheets in the order of the arms."""
    for path in (pictures, items, keys, *sheets):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_rows(pictures, picture_rows(stimuli), schemas.PICTURES)
    write_rows(items, item_rows(stimuli), schemas.ITEMS)
    write_rows(keys, key_rows(stimuli), schemas.DIRECTOR_KEYS)
    for arm, path in zip(stimuli.scenes, sheets, strict=True):
        write_bytes(path, sheet_png(stimuli, arm))


def _render(scene: DirectorScene) -> Picture:
    rgb = picture(scene.scene, person=scene.person)
    return Picture(pixel_sha256(rgb), encode_png(rgb), rgb.shape[1], rgb.shape[0])


def _item_id(scene: DirectorScene, sub_prompt: str) -> str:
    return f"director/{scene.arm}/{scene.name}/{sub_prompt}"


def _key(scene: DirectorScene) -> dict[str, object]:
    blocks, facts = scene.scene.blocks, scene.facts.blocks
    labels = [block.label for block in blocks]
    return {
        "arm": scene.arm,
        "stimulus": scene.name,
        "polarity": scene.polarity,
        "labels": labels,
        "colors": [block.color for block in blocks],
        "sizes_m": [block.size_m for block in blocks],
        "x_m": [block.x_m for block in blocks],
        "y_m": [block.y_m for block in blocks],
        "visible": [labels[i] for i in sorted(scene.visible)],
        "hidden": None if scene.hidden is None else labels[scene.hidden],
        "target": labels[scene.target],
        "own_view": labels[scene.own_view],
        "director_visible_max": [fact.seen_max for fact in facts],
        "director_visible_min": [fact.seen_min for fact in facts],
        "tester_visible": [fact.tester_seen for fact in facts],
        "director_area_px": [fact.director_alone_px for fact in facts],
        "tester_area_px": [fact.tester_px for fact in facts],
    }


def _caption(scene: DirectorScene) -> str:
    labels = [block.label for block in scene.scene.blocks]
    hidden = "none" if scene.hidden is None else labels[scene.hidden]
    return f"{scene.name}  {scene.polarity}: {labels[scene.target]}  hidden: {hidden}"
