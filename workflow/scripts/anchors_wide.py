from vlmtom.publish.anchors_wide import anchors_wide_tex
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import plain
from vlmtom.stats.joint import anchors_wide
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
references = load_references(given.references)
director = read_rows(given.director_cells, schemas.DIRECTOR_CELLS)
cells = read_rows(given.cells, schemas.TRIANGLES_CELLS)
table = anchors_wide(director, cells, references, source.reading, params.seed, params.resamples)
tex = anchors_wide_tex(table, references, source, params.director_trials)
write_bytes(made.tex, tex.encode())
write_rows(made.parquet, plain(table), schemas.ANCHORS_WIDE)
write_csv(made.csv, plain(table), schemas.ANCHORS_WIDE.names)
log.info("%d testers, %d bootstrap resamples", len(table), params.resamples)
