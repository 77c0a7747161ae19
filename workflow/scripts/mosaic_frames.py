from vlmtom.publish.mosaic_details import frames_tex
from vlmtom.publish.mosaic_text import Study
from vlmtom.stats.exact import plain
from vlmtom.stats.game import read_played
from vlmtom.stats.game_frames import frames
from vlmtom.store import read_rows, write_bytes, write_csv, write_rows
from vlmtom.store.schemas.mosaic import MOSAIC_STEPS
from vlmtom.store.schemas.mosaic_products import MOSAIC_FRAMES

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
steps = (row for path in snakemake.input.steps for row in read_rows(path, MOSAIC_STEPS))
table = frames(read_played(snakemake.input.trials), steps)
write_bytes(made.tex, frames_tex(table, Study(**params.study)).encode())
write_rows(made.parquet, plain(table), MOSAIC_FRAMES)
write_csv(made.csv, plain(table), MOSAIC_FRAMES.names)
log.info("%d rows", len(table))
