from vlmtom.publish.provenance import Source
from vlmtom.publish.table9 import table9_tex
from vlmtom.stats.arm_tables import TABLE9_VARIANTS, compared, table9
from vlmtom.stats.exact import plain
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
source, trials = Source(**snakemake.params.source), snakemake.params.trials
references = load_references(snakemake.input.references)
cells = read_rows(snakemake.input.cells, schemas.TRIANGLES_CELLS)
found = compared(cells, TABLE9_VARIANTS)
table = table9(found, references, source.aggregation)
write_bytes(snakemake.output.tex, table9_tex(table, found, source, trials).encode())
write_rows(snakemake.output.parquet, plain(table), schemas.TABLE9)
write_csv(snakemake.output.csv, plain(table), schemas.TABLE9.names)
log.info("%d rows, %d testers", len(table), len(found.testers))
