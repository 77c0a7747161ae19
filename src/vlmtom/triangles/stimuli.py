"""The animated triangles as files: sheets, items without answers, keys, frames, films, locks."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from vlmtom.rendering.images import contact_sheet, decode_image, encode_png, pixel_sha256
from vlmtom.store import schemas, sha256_json, sha256_text, write_bytes, write_rows
from vlmtom.store.digests import sha256_bytes
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import FRAME_HEIGHT, FRAME_WIDTH, SyntheticClip
from vlmtom.triangles.film import encode
from vlmtom.triangles.gates import GATES
from vlmtom.triangles.kinematics import kinematics
from vlmtom.triangles.outside import OutsideClip, read_manifest
from vlmtom.triangles.prompts import PROMPTS, every_prompt
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import Script, scripts
from vlmtom.triangles.sheets import ARMS, DRAWN_ARMS, Clip, Fit
from vlmtom.triangles.stage import FPS, Tracks

BATCH = "triangles"


class ArmSettings(Protocol):
    """What the configuration says of an arm. trials: K."""

    @property
    def trials(self) -> int:
        """Trials of each item."""
        ...


@dataclass(frozen=True)
class Picture:
    """A picture as a PNG file; the pixels themselves are not held. order: as in View."""

    pixel_sha256: str
    png: bytes
    width: int
    height: int
    order: tuple[int, ...] | None


@dataclass(frozen=True)
class Shown:
    """A clip with its pictures by arm. tracks: of a synthetic clip; file: of one from outside."""

    script: Script
    source: str
    pictures: Mapping[str, Picture]
    frames: Sequence[Mapping[str, object]]  # FRAMES
    tracks: Tracks | None
    file: Path | None


@dataclass(frozen=True)
class Stimuli:
    """Clips in the order of their scripts, or of the manifest."""

    arms: Mapping[str, ArmSettings]
    fit: Fit
    clips: Sequence[Shown]
    seed: int


def build_stimuli(
    arms: Mapping[str, ArmSettings],
    seed: int,
    fit: Fit = "pad",
    clips_folder: str | Path | None = None,
) -> Stimuli:
    """Draw, or decode, every clip and make the picture of every arm.

    seed: for arms that draw; the shipped clips are the committed tracks, whatever the seed.
    clips_folder: a folder of films with a manifest; None for the synthetic clips.
    Raises BadData for files that cannot be used.
    """
    shown = [_shown(script, clip, arms, seed, fit) for script, clip in _clips(clips_folder)]
    return Stimuli(arms, fit, shown, seed)


def instruments(stimuli: Stimuli) -> dict[str, str]:
    """Everything of this experiment that is locked, by name: prompts, scripts, gates, pixels."""
    locked = {f"{name} prompt": sha256_text(text) for name, text in every_prompt().items()}
    locked["triangles/clips thresholds"] = sha256_json(asdict(GATES))
    for shown in stimuli.clips:
        name = f"{shown.source} {shown.script.clip}"
        told = [shown.script.clip, shown.script.condition, shown.script.script]
        locked[f"triangles/script {name}"] = sha256_json(told)
        for arm, picture in shown.pictures.items():
            how = f"{stimuli.fit} seed {stimuli.seed}" if arm in DRAWN_ARMS else stimuli.fit
            locked[f"triangles/{arm} {how} {name} pixels"] = picture.pixel_sha256
    return locked


def item_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """ITEMS: every clip in every arm. Turns hold neither the clip's name nor its condition."""
    return [
        {
            "item_id": _item_id(arm, shown),
            "experiment": "triangles",
            "arm": arm,
            "stimulus": shown.script.clip,
            "sub_prompt": None,
            "batch": BATCH,
            "trials": settings.trials,
            "reasoning": False,
            "turns": [
                {
                    "role": "user",
                    "text": PROMPTS[arm],
                    "pictures": [shown.pictures[arm].pixel_sha256],
                    "video": None,
                }
            ],
        }
        for arm, settings in stimuli.arms.items()
        for shown in stimuli.clips
    ]


def key_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """TRIANGLES_KEYS: what each item shows, one row an item."""
    return [
        {
            "item_id": _item_id(arm, shown),
            "arm": arm,
            "stimulus": shown.script.clip,
            "condition": shown.script.condition,
            "script": shown.script.script,
            "stimulus_source": shown.source,
            "shown_order": shown.pictures[arm].order,
        }
        for arm in stimuli.arms
        for shown in stimuli.clips
    ]


def picture_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """PICTURES: each picture once, under a name that says nothing."""
    once = {
        picture.pixel_sha256: picture
        for shown in stimuli.clips
        for picture in shown.pictures.values()
    }
    return [
        {
            "pixel_sha256": digest,
            "image": {"bytes": picture.png, "path": f"{digest[:16]}.png"},
            "file_sha256": sha256_bytes(picture.png),
            "width": picture.width,
            "height": picture.height,
        }
        for digest, picture in once.items()
    ]


def frame_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """FRAMES: the sixteen sampled frames of each clip."""
    return [dict(row) for shown in stimuli.clips for row in shown.frames]


def kinematics_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """KINEMATICS: one row a synthetic clip; none for clips from outside."""
    return [
        {
            "clip": shown.script.clip,
            "condition": shown.script.condition,
            "enclosure": True,
            **asdict(kinematics(shown.tracks)),
        }
        for shown in stimuli.clips
        if shown.tracks is not None
    ]


def film(shown: Shown) -> bytes:
    """A clip as a file for people: drawn and encoded, or the user's own file as it is."""
    if shown.file is not None:
        return shown.file.read_bytes()
    clip = SyntheticClip(shown.tracks)
    frames = (clip.frame(index) for index in range(clip.count))
    return encode(frames, FRAME_WIDTH, FRAME_HEIGHT, FPS)


def sheet_png(stimuli: Stimuli, arm: str) -> bytes:
    """A contact sheet of an arm for people, with clip and condition over each picture."""
    images = [decode_image(shown.pictures[arm].png) for shown in stimuli.clips]
    captions = [f"{s.script.clip}  {s.script.condition}  ({s.source})" for s in stimuli.clips]
    return encode_png(contact_sheet(images, captions, columns=3, cell_width=640))


def write_stimuli(
    stimuli: Stimuli,
    *,
    pictures: str,
    items: str,
    keys: str,
    frames: str,
    kinematics: str,
    clips: Sequence[str],
    sheets: Sequence[str],
) -> None:
    """Write all files: films in the order of the clips, sheets in the order of the arms."""
    write_rows(pictures, picture_rows(stimuli), schemas.PICTURES)
    write_rows(items, item_rows(stimuli), schemas.ITEMS)
    write_rows(keys, key_rows(stimuli), schemas.TRIANGLES_KEYS)
    write_rows(frames, frame_rows(stimuli), schemas.FRAMES)
    write_rows(kinematics, kinematics_rows(stimuli), schemas.KINEMATICS)
    with ThreadPoolExecutor(2) as pool:  # drawing and encoding wait for each other
        for path, content in zip(clips, pool.map(film, stimuli.clips), strict=True):
            write_bytes(path, content)
    for arm, path in zip(stimuli.arms, sheets, strict=True):
        write_bytes(path, sheet_png(stimuli, arm))


def _clips(folder: str | Path | None) -> Iterator[tuple[Script, Clip]]:
    """One clip at a time: the decoded frames of an outside film are not held together."""
    if folder is None:
        for script in scripts().values():
            yield script, SyntheticClip(shipped_tracks(script.clip))
    else:
        for entry in read_manifest(folder):
            yield entry.script, OutsideClip(entry)


def _shown(
    script: Script, clip: Clip, arms: Mapping[str, ArmSettings], seed: int, fit: Fit
) -> Shown:
    pictures = {}
    for arm in arms:
        view = ARMS[arm](clip, fit, seed)
        rgb = view.picture
        pictures[arm] = Picture(
            pixel_sha256(rgb), encode_png(rgb), rgb.shape[1], rgb.shape[0], view.order
        )
    tracks = clip.tracks if isinstance(clip, SyntheticClip) else None
    file = clip.file if isinstance(clip, OutsideClip) else None
    return Shown(script, clip.source, pictures, _frames(clip), tracks, file)


def _frames(clip: Clip) -> list[dict[str, object]]:
    return [
        {
            "clip": clip.name,
            "stimulus_source": clip.source,
            "frame": number,
            "index": index,
            "time_s": clip.time_s(index),
            "n_decoded": clip.count,
            "n_header": clip.n_header,
            "fps": clip.fps,
            "width": clip.size[0],
            "height": clip.size[1],
            "orientation_deg": clip.orientation_deg,
            "pixel_sha256": pixel_sha256(clip.frame(index)),
        }
        for number, index in enumerate(sample_indices(clip.count), 1)
    ]


def _item_id(arm: str, shown: Shown) -> str:
    return f"triangles/{arm}/{shown.script.clip}"
