"""What an experiment shows: as it was rendered, as it would be, or by size alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlmtom.commands.places import Places
from vlmtom.settings import REPORT_ACTION, REPRESENTATIONS, Settings
from vlmtom.store.digests import sha256_text
from vlmtom.store.files import read_rows, read_table
from vlmtom.store.schemas import (
    DIRECTOR_KEYS,
    FILMS,
    ITEMS,
    PICTURES,
    REPORT_ACTION_KEYS,
    TRIANGLES_KEYS,
)

SCENE_PX = (1024, 768)
SHEET_PX = (1280, 960)
GAME_PX = (720, 480)  # what an agent of the treasure game sees
KEYS = {
    "director": DIRECTOR_KEYS,
    "triangles": TRIANGLES_KEYS,
    REPRESENTATIONS: TRIANGLES_KEYS,
    REPORT_ACTION: REPORT_ACTION_KEYS,
}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """The items of an experiment, and the sizes of their pictures in pixels.

    stand_in: the pictures are not rendered; their digests are made up, all else is as it will be.
    """

    items: Sequence[Row]
    sizes: Mapping[str, tuple[int, int]]
    stand_in: bool = False

    @property
    def reasoning_arms(self) -> frozenset[str]:
        """Arms in which the tester may reason before it answers."""
        return frozenset(str(item["arm"]) for item in self.items if item["reasoning"])


@dataclass(frozen=True)
class Instrument:
    """Items with their keys and pictures (rows of PICTURES), ready to be asked and scored.

    films: rows of FILMS, where items show some.
    """

    items: Sequence[Row]
    keys: Sequence[Row]
    pictures: Sequence[Row]
    films: Sequence[Row] = ()


def shown(settings: Settings, experiment: str, exact: bool) -> Shown:
    """What an experiment shows under a configuration.

    From the rendered files if they are of this configuration's arms, stimuli and trials. Else
    with exact by rendering in memory (seconds), which request digests need; without it by
    stand-ins. Raises BadData for a file that cannot be read, or films that cannot be used.
    """
    items = rendered_items(settings, experiment)
    if items is not None:
        return Shown(items, _sizes(_pictures(settings, experiment)))
    if exact:
        made = built(settings, experiment)
        sizes = {row["pixel_sha256"]: (row["width"], row["height"]) for row in made.pictures}
        return Shown(made.items, sizes)
    return _stand_ins(settings, experiment)


def rendered_items(settings: Settings, experiment: str) -> list[Row] | None:
    """The items as they were rendered; None before, or if the configuration asks for others."""
    path = Places(Path(settings.results)).items(experiment)
    if not path.exists():
        return None
    items = read_rows(path, ITEMS)
    # Of representations a configuration chooses the clips; of the others there are all.
    if experiment == REPORT_ACTION:
        asked = settings.report_action
        drawn = {
            (batch, slug, scene_set): (asked.sets[scene_set], {asked.replies})
            for batch, of_batch in asked.batches.items()
            for slug in of_batch.conditions
            for scene_set in of_batch.sets
        }
        return items if _action_design(items) == drawn else None
    design = _design(items, named=experiment == REPRESENTATIONS)
    return items if design == _configured(settings, experiment) else None


def instrument(settings: Settings, experiment: str, stimuli: int) -> Instrument:
    """Rendered files if all are there, else rendered in memory; then not all scenes are drawn.

    stimuli: how many of an arm are needed; of the Director Task these are the first.
    """
    items = rendered_items(settings, experiment)
    pictures = _pictures(settings, experiment)
    keys = Path(settings.results) / "keys" / f"{experiment}.parquet"
    films = pictures.with_name("films.parquet")
    needed = [pictures, keys, *([films] if experiment == REPRESENTATIONS else [])]
    if items is None or not all(path.exists() for path in needed):
        return built(settings, experiment, stimuli)
    return Instrument(
        items,
        read_rows(keys, KEYS[experiment]),
        read_rows(pictures, PICTURES),
        read_rows(films, FILMS) if experiment == REPRESENTATIONS else (),
    )


def built(settings: Settings, experiment: str, scenes: int | None = None) -> Instrument:
    """Rendered in memory. scenes: no more than these of each Director arm, from its first."""
    if experiment == "director":
        from vlmtom.director import stimuli as director

        arms = {
            name: arm.model_copy(update={"scenes": min(arm.scenes, scenes or arm.scenes)})
            for name, arm in settings.director.arms.items()
        }
        made = director.build_stimuli(arms, settings.seed)
        return Instrument(
            director.item_rows(made), director.key_rows(made), director.picture_rows(made)
        )
    if experiment == REPORT_ACTION:
        from vlmtom.report_action import stimuli as action

        asked = settings.report_action
        sets = {name: min(count, scenes or count) for name, count in asked.sets.items()}
        shown = action.build_stimuli(sets, settings.seed)
        return Instrument(
            action.item_rows(shown, asked.batches, asked.replies),
            action.key_rows(shown, asked.batches),
            action.picture_rows(shown),
        )
    configured = _triangles(settings)
    if experiment == REPRESENTATIONS:
        from vlmtom.triangles import representations

        study = _study(settings)
        other = representations.build(study.arms, configured.fit, configured.clips, study.clips)
        return Instrument(
            representations.item_rows(other),
            representations.key_rows(other),
            representations.picture_rows(other),
            representations.film_rows(other),
        )
    from vlmtom.triangles import stimuli as triangles

    clips = triangles.build_stimuli(
        configured.arms, settings.seed, configured.fit, configured.clips
    )
    return Instrument(
        triangles.item_rows(clips), triangles.key_rows(clips), triangles.picture_rows(clips)
    )


def _stand_ins(settings: Settings, experiment: str) -> Shown:
    """Items that differ from the rendered ones in their pictures' digests alone."""
    if experiment == "director":
        from vlmtom.director import stimuli as director
        from vlmtom.director.scenes import scenes

        arms = settings.director.arms
        laid_out = {arm: scenes(arm, arms[arm].scenes, settings.seed) for arm in arms}
        pictures = {
            arm: {
                scene.name: director.Picture(_name(arm, scene.name), b"", *SCENE_PX)
                for scene in of_arm
            }
            for arm, of_arm in laid_out.items()
        }
        items = director.item_rows(director.Stimuli(arms, laid_out, pictures))
        return Shown(items, _all_sized(items, SCENE_PX), stand_in=True)
    if experiment == REPORT_ACTION:
        from vlmtom.report_action import stimuli as action

        asked = settings.report_action
        stand_ins = action.stand_ins(asked.sets, settings.seed)
        items = action.item_rows(stand_ins, asked.batches, asked.replies)
        return Shown(items, _all_sized(items, action.PICTURE_PX), stand_in=True)
    configured = _triangles(settings)
    if experiment == REPRESENTATIONS:
        from vlmtom.triangles import representations

        study = _study(settings)
        other = representations.stand_ins(study.arms, configured.fit, configured.clips, study.clips)
        sizes = {name: (one.width, one.height) for name, one in other.pictures.items()}
        return Shown(representations.item_rows(other), sizes, stand_in=True)
    from vlmtom.triangles import stimuli as triangles

    clips = [
        triangles.Shown(
            script,
            source="",
            pictures={
                arm: triangles.Picture(_name(arm, script.clip), b"", *SHEET_PX, order=None)
                for arm in configured.arms
            },
            frames=(),
            tracks=None,
            file=None,
        )
        for script in _scripts(configured.clips)
    ]
    stimuli = triangles.Stimuli(configured.arms, configured.fit, clips, settings.seed)
    items = triangles.item_rows(stimuli)
    return Shown(items, _all_sized(items, SHEET_PX), stand_in=True)


def _scripts(folder: str | None) -> Sequence[Any]:
    if folder is None:
        from vlmtom.triangles.scripts import scripts

        return list(scripts().values())
    from vlmtom.triangles.outside import read_manifest

    return [entry.script for entry in read_manifest(folder)]


def _design(items: Sequence[Row], named: bool) -> dict[str, tuple[int | set[str], set[int]]]:
    """For each arm how many stimuli it shows (named: which), and its trials."""
    stimuli: dict[str, set[str]] = {}
    trials: dict[str, set[int]] = {}
    for item in items:
        stimuli.setdefault(str(item["arm"]), set()).add(str(item["stimulus"]))
        trials.setdefault(str(item["arm"]), set()).add(item["trials"])
    return {arm: (shown if named else len(shown), trials[arm]) for arm, shown in stimuli.items()}


def _action_design(items: Sequence[Row]) -> dict[tuple[str, str, str], tuple[int, set[int]]]:
    """Scenes and replies, by batch, condition and scene set."""
    scenes: dict[tuple[str, str, str], set[str]] = {}
    trials: dict[tuple[str, str, str], set[int]] = {}
    for item in items:
        key = item["batch"], item["arm"], item["stimulus"].partition("/")[0]
        scenes.setdefault(key, set()).add(item["stimulus"])
        trials.setdefault(key, set()).add(item["trials"])
    return {key: (len(of), trials[key]) for key, of in scenes.items()}


def _configured(settings: Settings, experiment: str) -> dict[str, tuple[int | set[str], set[int]]]:
    if experiment == "director":
        return {name: (arm.scenes, {arm.trials}) for name, arm in settings.director.arms.items()}
    from vlmtom.triangles.listing import chosen_clips, clip_conditions, clip_names

    if experiment == REPRESENTATIONS:
        conditions = clip_conditions(_triangles(settings).clips)
        chosen = set(chosen_clips(conditions, _study(settings).clips))
        return {name: (chosen, {arm.trials}) for name, arm in _study(settings).arms.items()}
    clips = len(clip_names(_triangles(settings).clips))
    return {name: (clips, {arm.trials}) for name, arm in _triangles(settings).arms.items()}


def _triangles(settings: Settings) -> Any:
    return settings.triangles


def _study(settings: Settings) -> Any:
    return settings.representations


def _pictures(settings: Settings, experiment: str) -> Path:
    return Places(Path(settings.results)).items(experiment).with_name("pictures.parquet")


def _sizes(path: Path) -> dict[str, tuple[int, int]]:
    if not path.exists():
        return {}
    rows = read_table(path, PICTURES, ["pixel_sha256", "width", "height"]).to_pylist()
    return {row["pixel_sha256"]: (row["width"], row["height"]) for row in rows}


def _all_sized(items: Sequence[Row], size: tuple[int, int]) -> dict[str, tuple[int, int]]:
    turns = (turn for item in items for turn in item["turns"])
    return {picture: size for turn in turns for picture in turn["pictures"]}


def _name(arm: str, stimulus: str) -> str:
    return sha256_text(f"not rendered: {arm} {stimulus}")
