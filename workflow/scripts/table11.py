from vlmtom.publish.provenance import Source
from vlmtom.publish.table11 import table11_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.profile_tables import table11
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
source, trials = Source(**snakemake.params.source), snakemake.params.trials
cells = read_rows(snakemake.input.cells, schemas.TRIANGLES_CELLS)
table = table11(cells, list(trials), source.overlay)
write_bytes(snakemake.output.tex, table11_tex(table, cells, source, trials).encode())
write_rows(snakemake.output.parquet, plain(table), schemas.TABLE11)
write_csv(snakemake.output.csv, plain(table), schemas.TABLE11.names)
log.info("%d rows", len(table))
