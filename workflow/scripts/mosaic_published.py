from vlmtom.publish.mosaic_published import mosaic_published_tex
from vlmtom.publish.mosaic_text import Study
from vlmtom.stats.exact import plain
from vlmtom.stats.game_published import compare
from vlmtom.stats.published import read_published
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, given, made = snakemake.params, snakemake.input, snakemake.output
ours = {
    "table3": read_rows(given.table3, schemas.MOSAIC_TABLE3),
    "table4": read_rows(given.table4, schemas.MOSAIC_TABLE4),
    "table5": read_rows(given.table5, schemas.MOSAIC_TABLE5),
    "signals": read_rows(given.signals, schemas.MOSAIC_SIGNALS),
}
rows = compare(read_published(params.published), ours, params.names)
write_bytes(made.tex, mosaic_published_tex(rows, Study(**params.study)).encode())
write_rows(made.parquet, plain(rows), schemas.MOSAIC_PUBLISHED)
write_csv(made.csv, plain(rows), schemas.MOSAIC_PUBLISHED.names)
log.info("%d printed values", len(rows))
