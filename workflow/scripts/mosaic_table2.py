from vlmtom.publish.mosaic_tables import table2_tex
from vlmtom.publish.mosaic_text import Study
from vlmtom.stats.exact import plain
from vlmtom.stats.game import read_played
from vlmtom.stats.game_tables import table2
from vlmtom.store import write_bytes, write_csv, write_rows
from vlmtom.store.schemas.mosaic_products import MOSAIC_TABLE2

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
found = read_played(snakemake.input.trials)
table = table2(found)
tex = table2_tex(table, Study(**params.study), [cell.kind for cell in found.cells])
write_bytes(made.tex, tex.encode())
write_rows(made.parquet, plain(table), MOSAIC_TABLE2)
write_csv(made.csv, plain(table), MOSAIC_TABLE2.names)
log.info("%d rows", len(table))
