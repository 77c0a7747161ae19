from pathlib import Path

from vlmtom.commands.release import release
from vlmtom.commands.verifying import verify
from vlmtom.commands.verifying_game import game_problems
from vlmtom.instruments import instruments
from vlmtom.settings import Settings, load_registry

from _script import start_log

log = start_log(snakemake)
settings = Settings.model_validate_json(snakemake.params.settings)
files = release(
    settings,
    load_registry(settings),
    Path(snakemake.output.release),
    lambda: [
        *verify(settings.results, settings.locks, instruments(settings)),
        *game_problems(settings),
    ],
)
log.info("%d files", files)
