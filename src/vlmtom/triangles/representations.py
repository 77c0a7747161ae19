"""The same clips in other representations: a film, pictures one after the other, larger grids.

Source: cross-task paper, Appendix L.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from vlmtom.errors import BadData
from vlmtom.rendering.images import encode_png, pixel_sha256
from vlmtom.store import schemas, sha256_json, sha256_text, write_rows
from vlmtom.store.digests import sha256_bytes
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import FRAME_HEIGHT, FRAME_WIDTH, SyntheticClip
from vlmtom.triangles.film import encode
from vlmtom.triangles.layouts import REPRESENTATIONS, Representation
from vlmtom.triangles.listing import chosen_clips
from vlmtom.triangles.outside import OutsideClip, read_manifest
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import Script, scripts
from vlmtom.triangles.sheets import Clip, Fit, cell, laid_out
from vlmtom.triangles.stage import FPS

EXPERIMENT = "representations"


class ArmSettings(Protocol):
    """What the configuration says of a representation. trials: K."""

    @property
    def trials(self) -> int:
        """Trials of each item."""
        ...


@dataclass(frozen=True)
class Picture:
    """A picture as a PNG file; the pixels themselves are not held."""

    pixel_sha256: str
    png: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Shown:
    """A clip in every representation: pixel SHA-256 in order, or the film's file SHA-256."""

    script: Script
    source: str
    pictures: Mapping[str, Sequence[str]]
    film: str | None = None


@dataclass(frozen=True)
class Stimuli:
    """Clips in the order of the scripts or the manifest; pictures and films once, by SHA-256."""

    arms: Mapping[str, ArmSettings]
    fit: Fit
    clips: Sequence[Shown]
    pictures: Mapping[str, Picture]
    films: Mapping[str, bytes]


def every_prompt() -> dict[str, str]:
    """All texts by name, for the locks, the snapshots and an appendix."""
    return {f"{EXPERIMENT}/{name}": one.prompt for name, one in REPRESENTATIONS.items()}


def build(
    arms: Mapping[str, ArmSettings],
    fit: Fit = "pad",
    clips_folder: str | Path | None = None,
    clips: Sequence[str] | None = None,
    films: Mapping[str, str | Path] | None = None,
    encoded: bool = True,
) -> Stimuli:
    """Draw, or decode, the clips in every representation.

    clips: which; None for the first of each condition. films: their files, which are shown as they
    are; without them synthetic clips are encoded here, to the same bytes, or with encoded false
    left without a film, which no lock needs. Raises BadData for a clip that has too few frames, or
    whose film is no MP4; BadConfig for one that is not there.
    """
    pictures: dict[str, Picture] = {}
    held: dict[str, bytes] = {}
    shown = []
    for script, clip in _clips(clips_folder, clips):
        order = {}
        for name in arms:
            how = REPRESENTATIONS[name]
            made = [] if how.family == "video" else _pictures(name, how, clip, fit)
            pictures |= {picture.pixel_sha256: picture for picture in made}
            order[name] = tuple(picture.pixel_sha256 for picture in made)
        film = None
        given = (films or {}).get(script.clip)
        wanted = encoded or given is not None or isinstance(clip, OutsideClip)
        if wanted and any(REPRESENTATIONS[name].family == "video" for name in arms):
            content = _film(clip, given)
            film = sha256_bytes(content)
            held[film] = content
        shown.append(Shown(script, clip.source, order, film))
    return Stimuli(arms, fit, shown, pictures, held)


def stand_ins(
    arms: Mapping[str, ArmSettings],
    fit: Fit,
    clips_folder: str | None,
    clips: Sequence[str] | None,
) -> Stimuli:
    """As build, but that nothing is drawn: digests are made up, all else is as it will be.

    Frames of films from outside count as large as those of synthetic clips.
    """
    chosen = [script for script, _ in _scripts(clips_folder, clips)]
    pictures: dict[str, Picture] = {}
    shown = []
    for script in chosen:
        order = {}
        for name in arms:
            how = REPRESENTATIONS[name]
            names = [
                sha256_text(f"not rendered: {name} {script.clip} {place}")
                for place in range({"video": 0, "sequence": how.frames}.get(how.family, 1))
            ]
            size = _size(how)
            pictures |= {one: Picture(one, b"", *size) for one in names}
            order[name] = tuple(names)
        film = sha256_text(f"not rendered: film {script.clip}")
        shown.append(Shown(script, "", order, film))
    return Stimuli(arms, fit, shown, pictures, {})


def instruments(stimuli: Stimuli) -> dict[str, str]:
    """Everything of this experiment that is locked, by name: prompts, pixels, films from outside.

    A sequence is locked by the digest of its pictures' digests, in their order. The file of a
    synthetic clip is made from frames that are locked, by an encoder whose bytes may
    differ between builds; no decoded pixel does, because it is lossless.
    """
    locked = {f"{name} prompt": sha256_text(text) for name, text in every_prompt().items()}
    for shown in stimuli.clips:
        name = f"{shown.source} {shown.script.clip}"
        for arm in stimuli.arms:
            family = REPRESENTATIONS[arm].family
            how = f"{stimuli.fit} " if family == "grid_320x240" else ""
            pictures = list(shown.pictures[arm])
            if family == "sequence":
                locked[f"{EXPERIMENT}/{arm} {name} frames"] = sha256_json(pictures)
            elif family != "video":
                locked[f"{EXPERIMENT}/{arm} {how}{name} pixels"] = pictures[0]
            elif shown.source != SyntheticClip.source and shown.film is not None:
                locked[f"{EXPERIMENT}/{arm} {name} film"] = shown.film
    return locked


def item_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """ITEMS: every clip in every representation. Turns hold neither its name nor its condition."""
    return [
        {
            "item_id": _item_id(arm, shown),
            "experiment": EXPERIMENT,
            "arm": arm,
            "stimulus": shown.script.clip,
            "sub_prompt": None,
            "batch": EXPERIMENT,
            "trials": settings.trials,
            "reasoning": False,
            "turns": [
                {
                    "role": "user",
                    "text": REPRESENTATIONS[arm].prompt,
                    "pictures": list(shown.pictures[arm]),
                    "video": shown.film if REPRESENTATIONS[arm].family == "video" else None,
                }
            ],
        }
        for arm, settings in stimuli.arms.items()
        for shown in stimuli.clips
    ]


def key_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """TRIANGLES_KEYS: what each item shows, one row an item. No cell has a number to be told."""
    return [
        {
            "item_id": _item_id(arm, shown),
            "arm": arm,
            "stimulus": shown.script.clip,
            "condition": shown.script.condition,
            "script": shown.script.script,
            "stimulus_source": shown.source,
            "shown_order": None,
        }
        for arm in stimuli.arms
        for shown in stimuli.clips
    ]


def picture_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """PICTURES: each picture once, under a name that says nothing."""
    return [
        {
            "pixel_sha256": digest,
            "image": {"bytes": picture.png, "path": f"{digest[:16]}.png"},
            "file_sha256": sha256_bytes(picture.png),
            "width": picture.width,
            "height": picture.height,
        }
        for digest, picture in stimuli.pictures.items()
    ]


def film_rows(stimuli: Stimuli) -> list[dict[str, object]]:
    """FILMS: each film once, under a name that says nothing."""
    return [
        {"file_sha256": digest, "film": {"bytes": content, "path": f"{digest[:16]}.mp4"}}
        for digest, content in stimuli.films.items()
    ]


def write_representations(
    stimuli: Stimuli, *, pictures: str, films: str, items: str, keys: str
) -> None:
    """Write all files."""
    write_rows(pictures, picture_rows(stimuli), schemas.PICTURES)
    write_rows(films, film_rows(stimuli), schemas.FILMS)
    write_rows(items, item_rows(stimuli), schemas.ITEMS)
    write_rows(keys, key_rows(stimuli), schemas.TRIANGLES_KEYS)


def _scripts(
    folder: str | Path | None, clips: Sequence[str] | None
) -> Iterator[tuple[Script, object]]:
    """The chosen clips with their entries in the manifest, in its order; None for synthetic."""
    if folder is None:
        known = {name: (script, None) for name, script in scripts().items()}
    else:
        known = {entry.script.clip: (entry.script, entry) for entry in read_manifest(folder)}
    conditions = {name: script.condition for name, (script, _) in known.items()}
    for name in chosen_clips(conditions, clips):
        yield known[name]


def _clips(
    folder: str | Path | None, clips: Sequence[str] | None
) -> Iterator[tuple[Script, SyntheticClip | OutsideClip]]:
    """One clip at a time: the decoded frames of an outside film are not held together."""
    for script, entry in _scripts(folder, clips):
        if entry is None:
            yield script, SyntheticClip(shipped_tracks(script.clip))
        else:
            yield script, OutsideClip(entry)


def _pictures(name: str, how: Representation, clip: Clip, fit: Fit) -> list[Picture]:
    if clip.count < how.frames:
        raise BadData(
            f"the clip {clip.name!r} has {clip.count} frames; the representation {name} shows "
            f"{how.frames} different ones. Leave that representation out (`{name}: null`), or "
            "choose other clips."
        )
    indices = sample_indices(clip.count, how.frames)
    if isinstance(clip, OutsideClip):
        clip.keep(indices)
    frames = (clip.frame(index) for index in indices)
    if how.family == "sequence":
        with ThreadPoolExecutor(2) as pool:  # the encoder leaves Python free meanwhile
            return list(pool.map(_picture, frames))
    if how.family == "grid_320x240":
        frames = (cell(frame, fit) for frame in frames)
    return [_picture(laid_out(frames, how.rows, how.columns))]


def _picture(rgb: np.ndarray) -> Picture:
    return Picture(pixel_sha256(rgb), encode_png(rgb), rgb.shape[1], rgb.shape[0])


def _film(clip: SyntheticClip | OutsideClip, path: str | Path | None) -> bytes:
    """The film's bytes, untouched."""
    if path is None and isinstance(clip, SyntheticClip):
        frames = (clip.frame(index) for index in range(clip.count))
        return encode(frames, FRAME_WIDTH, FRAME_HEIGHT, FPS)
    content = Path(path or clip.file).read_bytes()
    if content[4:8] != b"ftyp":
        raise BadData(
            f"{path or clip.file}: not an MP4, so that it cannot be shown as it is. Convert it, or "
            "leave the film out (`native_video: null`, and another `reference`)."
        )
    return content


def _size(how: Representation) -> tuple[int, int]:
    if how.family == "grid_320x240":
        return 320 * how.columns, 240 * how.rows
    if how.family == "grid_native":
        return FRAME_WIDTH * how.columns, FRAME_HEIGHT * how.rows
    return FRAME_WIDTH, FRAME_HEIGHT


def _item_id(arm: str, shown: Shown) -> str:
    return f"{EXPERIMENT}/{arm}/{shown.script.clip}"
