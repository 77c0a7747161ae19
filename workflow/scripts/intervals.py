from vlmtom.publish.intervals import intervals_tex
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import plain
from vlmtom.stats.intervals import intervals
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
references = load_references(given.references)
director = read_rows(given.director_cells, schemas.DIRECTOR_CELLS)
cells = read_rows(given.cells, schemas.TRIANGLES_CELLS)
table = intervals(director, cells, references, source.reading, params.seed, params.resamples)
write_bytes(made.tex, intervals_tex(table, source, params.director_trials).encode())
write_rows(made.parquet, plain(table), schemas.INTERVALS)
write_csv(made.csv, plain(table), schemas.INTERVALS.names)
log.info("%d numbers, %d bootstrap resamples", len(table), params.resamples)
