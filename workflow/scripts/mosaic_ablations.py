from vlmtom.publish.mosaic_details import ablations_tex
from vlmtom.publish.mosaic_text import Study
from vlmtom.stats.exact import plain
from vlmtom.stats.game import read_played
from vlmtom.stats.game_tables import ablations
from vlmtom.store import write_bytes, write_csv, write_rows
from vlmtom.store.schemas.mosaic_products import MOSAIC_ABLATIONS

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
table = ablations(read_played(snakemake.input.trials), params.reference, params.ablations)
write_bytes(made.tex, ablations_tex(table, Study(**params.study)).encode())
write_rows(made.parquet, plain(table), MOSAIC_ABLATIONS)
write_csv(made.csv, plain(table), MOSAIC_ABLATIONS.names)
log.info("%d rows", len(table))
