from vlmtom.director.cells import table2
from vlmtom.publish.table2 import table2_tex
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
table = table2(read_rows(snakemake.input.cells, schemas.DIRECTOR_CELLS))
tex = table2_tex(table, snakemake.params.trials, snakemake.params.panel)
write_bytes(snakemake.output.tex, tex.encode())
write_rows(snakemake.output.parquet, table, schemas.TABLE2)
write_csv(snakemake.output.csv, table, schemas.TABLE2.names)
log.info("%d testers", len(table))
