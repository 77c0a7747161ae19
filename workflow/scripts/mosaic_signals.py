from vlmtom.publish.mosaic_details import signals_tex
from vlmtom.publish.mosaic_text import Study
from vlmtom.stats.exact import plain
from vlmtom.stats.game import read_played
from vlmtom.stats.game_signals import signals
from vlmtom.store import write_bytes, write_csv, write_rows
from vlmtom.store.schemas.mosaic_products import MOSAIC_SIGNALS

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
table = signals(read_played(snakemake.input.trials), params.seed, params.resamples)
write_bytes(made.tex, signals_tex(table, Study(**params.study)).encode())
write_rows(made.parquet, plain(table), MOSAIC_SIGNALS)
write_csv(made.csv, plain(table), MOSAIC_SIGNALS.names)
log.info("%d numbers", len(table))
