from vlmtom.stats.representations import cells, check_complete
from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.triangles.layouts import FAMILIES

from _script import start_log

log = start_log(snakemake)
given, params = snakemake.input, snakemake.params
descriptions = [r for path in given.descriptions for r in read_rows(path, schemas.DESCRIPTIONS)]
verdicts = [r for path in given.verdicts for r in read_rows(path, schemas.REPRESENTATION_VERDICTS)]
rows = cells(descriptions, verdicts, params.judges, params.repetitions, FAMILIES)
check_complete(rows, params.allow_missing)
write_rows(snakemake.output.cells, rows, schemas.REPRESENTATION_CELLS)
log.info("%d cells", len(rows))
