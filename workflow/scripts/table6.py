from vlmtom.publish.provenance import Source
from vlmtom.publish.table6 import table6_tex
from vlmtom.stats.arm_tables import compared, table6, table6_variants
from vlmtom.stats.exact import plain
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
source, trials = Source(**snakemake.params.source), snakemake.params.trials
references = load_references(snakemake.input.references)
cells = read_rows(snakemake.input.cells, schemas.TRIANGLES_CELLS)
found = compared(cells, table6_variants(trials, source.overlay))
table = table6(found, references, trials, source.aggregation)
write_bytes(snakemake.output.tex, table6_tex(table, found, source).encode())
write_rows(snakemake.output.parquet, plain(table), schemas.TABLE6)
write_csv(snakemake.output.csv, plain(table), schemas.TABLE6.names)
log.info("%d rows, %d testers", len(table), len(found.testers))
