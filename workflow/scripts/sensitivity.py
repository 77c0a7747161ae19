from vlmtom.publish.provenance import Source
from vlmtom.publish.sensitivity import sensitivity_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.references import load_references
from vlmtom.stats.sensitivity import sensitivity
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, made = snakemake.input, snakemake.output
source = Source(**snakemake.params.source)
references = load_references(given.references)
director = read_rows(given.director_cells, schemas.DIRECTOR_CELLS)
cells = read_rows(given.cells, schemas.TRIANGLES_CELLS)
table = sensitivity(director, cells, references, source.reading)
tex = sensitivity_tex(table, references, source, snakemake.params.kinds)
write_bytes(made.tex, tex.encode())
write_rows(made.parquet, plain(table), schemas.SENSITIVITY)
write_csv(made.csv, plain(table), schemas.SENSITIVITY.names)
log.info("%d readings", len(table))
