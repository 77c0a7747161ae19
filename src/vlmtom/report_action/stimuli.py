"""The scene sets as files: pictures, items without answers, keys, sheets for people, locks."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Protocol

from vlmtom.rendering.images import contact_sheet, decode_image, encode_png, pixel_sha256
from vlmtom.report_action.prompts import condition, every_prompt, turns
from vlmtom.report_action.scenes import ActionScene, scenes
from vlmtom.store import schemas, sha256_json, sha256_text, write_bytes, write_rows
from vlmtom.store.digests import sha256_bytes
from vlmtom.tabletop.scene import Scene, picture
from vlmtom.tabletop.visibility import GATES

EXPERIMENT = "report_action"
# Smaller than the Director Task's: thousands are asked about, and a picture is most of the cost.
PICTURE_PX = (800, 600)
_ON_SHEET = 24  # scenes of a set that a contact sheet shows


class Batch(Protocol):
    """What the configuration says of a batch: conditions asked together, on which sets."""

    @property
    def conditions(self) -> Sequence[str]:
        """Slugs of the conditions."""
        ...

    @property
    def sets(self) -> Sequence[str]:
        """Scene sets that they are asked of."""
        ...


@dataclass(frozen=True)
class Picture:
    """A rendered scene as a PNG file; the pixels themselves are not held."""

    pixel_sha256: str
    png: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Stimuli:
    """Scenes of each set with their pictures, by set and name."""

    scenes: Mapping[str, Sequence[ActionScene]]
    pictures: Mapping[str, Mapping[str, Picture]]


def build_stimuli(sets: Mapping[str, int], seed: int) -> Stimuli:
    """Lay out, check and render every scene of every set. sets: how many scenes each has."""
    shown = {name: scenes(name, count, seed) for name, count in sets.items()}
    with ThreadPoolExecutor(2) as pool:  # numpy leaves Python free for a good part
        rendered = {
            name: dict(
                zip(
                    (scene.name for scene in of_set),
                    pool.map(_render, (scene.scene for scene in of_set)),
                    strict=True,
                )
            )
            for name, of_set in shown.items()
        }
    return Stimuli(shown, rendered)


def stand_ins(sets: Mapping[str, int], seed: int) -> Stimuli:
    """As build_stimuli, but that no picture is drawn: digests are made up."""
    shown = {name: scenes(name, count, seed) for name, count in sets.items()}
    pictures = {
        name: {
            scene.name: Picture(
                sha256_text(f"not rendered: {stimulus(name, scene)}"), b"", *PICTURE_PX
            )
            for scene in of_set
        }
        for name, of_set in shown.items()
    }
    return Stimuli(shown, pictures)


def instruments(stimuli: Stimuli, seed: int) -> dict[str, str]:
    """Everything of this experiment that is locked, by name: prompts, pixels in order, gates."""
    locked = {f"{name} prompt": sha256_text(text) for name, text in every_prompt().items()}
    locked["report_action/scenes thresholds"] = sha256_json(asdict(GATES))
    for name, of_set in stimuli.pictures.items():
        order = [shown.pixel_sha256 for shown in of_set.values()]
        locked[f"report_action/{name} {len(order)} seed {seed} scenes"] = sha256_json(order)
    return locked


def item_rows(
    stimuli: Stimuli, batches: Mapping[str, Batch], replies: int
) -> list[dict[str, object]]:
    """ITEMS: every scene under every condition of every batch, a scene's conditions together."""
    return [
        {
            "item_id": item_id(name, batch, slug, scene),
            "experiment": EXPERIMENT,
            "arm": slug,
            "stimulus": stimulus(name, scene),
            "sub_prompt": None,
            "batch": batch,
            "trials": replies,
            "reasoning": True,
            "turns": [
                {
                    "role": "user",
                    "text": text,
                    "pictures": [] if number else [stimuli.pictures[name][scene.name].pixel_sha256],
                    "video": None,
                }
                for number, text in enumerate(turns(condition(slug), _digits(scene, scene.visible)))
            ],
        }
        for name, scene, batch, slug in _asked(stimuli, batches)
    ]


def key_rows(stimuli: Stimuli, batches: Mapping[str, Batch]) -> list[dict[str, object]]:
    """REPORT_ACTION_KEYS: the answers, from what the id buffers show, one row an item."""
    return [
        {
            "item_id": item_id(name, batch, slug, scene),
            "arm": slug,
            "stimulus": stimulus(name, scene),
            "scene_set": name,
            "batch": batch,
            **asdict(condition(slug)),
            **_key(scene),
        }
        for name, scene, batch, slug in _asked(stimuli, batches)
    ]


def picture_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """PICTURES: each picture once, under a name that says nothing."""
    once = {
        shown.pixel_sha256: shown
        for of_set in stimuli.pictures.values()
        for shown in of_set.values()
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


def sheet_png(stimuli: Stimuli, name: str) -> bytes:
    """A contact sheet of a set for people, with what is hidden and meant under each scene."""
    of_set = stimuli.scenes[name][:_ON_SHEET]
    images = [decode_image(stimuli.pictures[name][scene.name].png) for scene in of_set]
    return encode_png(
        contact_sheet(images, [_caption(s) for s in of_set], columns=4, cell_width=320)
    )


def write_stimuli(
    stimuli: Stimuli,
    batches: Mapping[str, Batch],
    replies: int,
    *,
    pictures: str,
    items: str,
    keys: str,
    sheets: Sequence[str],
) -> None:
    """Write all files; sheets in the order of the sets."""
    write_rows(pictures, picture_rows(stimuli), schemas.PICTURES)
    write_rows(items, item_rows(stimuli, batches, replies), schemas.ITEMS)
    write_rows(keys, key_rows(stimuli, batches), schemas.REPORT_ACTION_KEYS)
    for name, path in zip(stimuli.scenes, sheets, strict=True):
        write_bytes(path, sheet_png(stimuli, name))


def stimulus(name: str, scene: ActionScene) -> str:
    """A scene's name among all sets."""
    return f"{name}/{scene.name}"


def item_id(name: str, batch: str, slug: str, scene: ActionScene) -> str:
    """An item's id: set, batch, condition, scene."""
    return f"{EXPERIMENT}/{name}/{batch}/{slug}/{scene.name}"


def _asked(stimuli: Stimuli, batches: Mapping[str, Batch]):
    for batch, asked in batches.items():
        for name in asked.sets:
            for scene in stimuli.scenes[name]:
                for slug in asked.conditions:
                    yield name, scene, batch, slug


def _render(scene: Scene) -> Picture:
    rgb = picture(scene, *PICTURE_PX)
    return Picture(pixel_sha256(rgb), encode_png(rgb), rgb.shape[1], rgb.shape[0])


def _digits(scene: ActionScene, positions: Sequence[int]) -> list[int]:
    return [scene.digits[i] for i in positions]


def _key(scene: ActionScene) -> dict[str, object]:
    facts = scene.facts.blocks
    return {
        "labels": list(scene.digits),
        "sizes_m": [block.size_m for block in scene.scene.blocks],
        "hidden": scene.digits[scene.hidden],
        "visible": _digits(scene, scene.visible),
        "director_view": scene.digits[scene.director_view],
        "largest_digit": max(scene.digits),
        "hidden_has_largest_digit": scene.hidden_has_largest_digit,
        "smaller_visible_has_larger_digit": scene.smaller_visible_has_larger_digit,
        "misleading_size": scene.misleading_size,
        "tester_area_px": [fact.tester_px for fact in facts],
        "director_area_px": [fact.director_alone_px for fact in facts],
    }


def _caption(scene: ActionScene) -> str:
    digits = scene.digits
    flag = "  misleading" if scene.misleading_size else ""
    return f"{scene.name}  hidden {digits[scene.hidden]}, means {digits[scene.director_view]}{flag}"
