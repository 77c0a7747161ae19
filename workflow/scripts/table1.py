from vlmtom.publish.table1 import read_benchmarks, table1_tex
from vlmtom.store import schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
table = read_benchmarks(snakemake.input.benchmarks)
write_bytes(snakemake.output.tex, table1_tex(table).encode())
write_rows(snakemake.output.parquet, table, schemas.BENCHMARKS)
write_csv(snakemake.output.csv, table, schemas.BENCHMARKS.names)
log.info("%d benchmarks", len(table))
