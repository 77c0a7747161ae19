from vlmtom.publish.mosaic_details import untested_tex
from vlmtom.publish.mosaic_text import Study, kinds_of
from vlmtom.stats.game_tables import untested_rows
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, given, made = snakemake.params, snakemake.input, snakemake.output
outcomes = read_rows(given.table3, schemas.MOSAIC_TABLE3)
table = untested_rows(
    outcomes,
    read_rows(given.table4, schemas.MOSAIC_TABLE4),
    read_rows(given.table5, schemas.MOSAIC_TABLE5),
    read_rows(given.table6, schemas.MOSAIC_TABLE6),
)
write_bytes(made.tex, untested_tex(table, Study(**params.study), kinds_of(outcomes)).encode())
write_rows(made.parquet, table, schemas.MOSAIC_UNTESTED)
write_csv(made.csv, table, schemas.MOSAIC_UNTESTED.names)
log.info("%d rows", len(table))
