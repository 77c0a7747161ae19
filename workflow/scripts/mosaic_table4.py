from vlmtom.publish.mosaic_tables import table4_tex
from vlmtom.publish.mosaic_text import Study
from vlmtom.stats.exact import plain
from vlmtom.stats.game import read_played
from vlmtom.stats.game_tables import table4
from vlmtom.store import write_bytes, write_csv, write_rows
from vlmtom.store.schemas.mosaic_products import MOSAIC_TABLE4

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
table = table4(read_played(snakemake.input.trials))
write_bytes(made.tex, table4_tex(table, Study(**params.study)).encode())
write_rows(made.parquet, plain(table), MOSAIC_TABLE4)
write_csv(made.csv, plain(table), MOSAIC_TABLE4.names)
log.info("%d rows", len(table))
