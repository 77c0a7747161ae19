"""`vlmtom mosaic card`: any trial of a run as a card, and as a film."""

from pathlib import Path

from vlmtom.errors import BadData, FileExists
from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.publish.mosaic_card import mosaic_card
from vlmtom.publish.mosaic_film import film
from vlmtom.publish.mosaic_trial import ShownTrial, chosen, trial_of
from vlmtom.publish.style import save_figure
from vlmtom.store import read_rows, write_bytes
from vlmtom.store.schemas.mosaic import MOSAIC_STEPS, MOSAIC_TRIALS, MOSAIC_UTTERANCES


def card(
    results: Path, pair: str, condition: str, number: int | None, round_: int | None, out: Path
) -> list[Path]:
    """Write a trial's card as OUT.pdf and OUT.png and its film as OUT.mp4; returns these.

    results: of a run. pair: the name of its folder below mosaic/. number: of the trial; null: the
    first that ended as predicted. round_: whose views the card shows; null: the most telling.
    Raises BadData if there is no such trial, FileExists if a file is there.
    """
    shown = _trial(results, pair, condition, number)
    files = [out.with_name(f"{out.name}.{form}") for form in ("pdf", "png", "mp4")]
    for file in files:
        if file.exists():
            raise FileExists(f"{file} is there already; choose another --out.")
    figure = mosaic_card(shown, round_=round_)
    out.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, files[0], files[1])
    write_bytes(files[2], film(shown))
    return files


def _trial(results: Path, pair: str, condition: str, number: int | None) -> ShownTrial:
    if condition not in BY_SLUG:
        raise BadData(f"no condition {condition!r}; there are {', '.join(BY_SLUG)}.")
    folder = results / "mosaic" / pair
    if not folder.is_dir():
        there = sorted(path.name for path in (results / "mosaic").glob("*") if path.is_dir())
        known = ", ".join(there) or "none"
        raise BadData(f"{folder}: no such pair was played; there are {known}.")
    logs = {
        name: read_rows(folder / f"{condition}.{name}.parquet", schema)
        for name, schema in (
            ("trials", MOSAIC_TRIALS),
            ("steps", MOSAIC_STEPS),
            ("utterances", MOSAIC_UTTERANCES),
        )
    }
    number = chosen(logs["trials"]) if number is None else number
    return trial_of(logs["trials"], logs["steps"], logs["utterances"], number)
