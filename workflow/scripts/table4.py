from vlmtom.director.controls import TABLE4_ARMS, arm_counts
from vlmtom.publish.director_text import Design
from vlmtom.publish.table4 import table4_tex
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
design = Design(snakemake.params.panel, snakemake.params.trials)
table = arm_counts(read_rows(snakemake.input.cells, schemas.DIRECTOR_CELLS), TABLE4_ARMS)
write_bytes(snakemake.output.tex, table4_tex(table, design).encode())
write_rows(snakemake.output.parquet, table, schemas.ARM_COUNTS)
write_csv(snakemake.output.csv, table, schemas.ARM_COUNTS.names)
log.info("%d rows", len(table))
