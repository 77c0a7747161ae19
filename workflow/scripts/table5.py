from vlmtom.publish.provenance import Source
from vlmtom.publish.table5 import table5_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.profile_tables import table5
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
source = Source(**snakemake.params.source)
references = load_references(snakemake.input.references)
cells = read_rows(snakemake.input.cells, schemas.TRIANGLES_CELLS)
table = table5(cells, references, source.reading)
write_bytes(snakemake.output.tex, table5_tex(table, references, source).encode())
write_rows(snakemake.output.parquet, plain(table), schemas.TABLE5)
write_csv(snakemake.output.csv, plain(table), schemas.TABLE5.names)
log.info("%d rows", len(table))
