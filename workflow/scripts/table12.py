from vlmtom.publish.table12 import Study, table12_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.representations import table12, usage
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, made = snakemake.input, snakemake.output
study = Study(**snakemake.params.study)
cells = read_rows(given.cells, schemas.REPRESENTATION_CELLS)
replies = (row for path in given.replies for row in read_rows(path, schemas.REPLIES))
table = table12(cells, usage(replies), study.reference, snakemake.params.families)
write_bytes(made.tex, table12_tex(table, study).encode())
write_rows(made.parquet, plain(table), schemas.TABLE12)
write_csv(made.csv, plain(table), schemas.TABLE12.names)
log.info("%d rows", len(table))
