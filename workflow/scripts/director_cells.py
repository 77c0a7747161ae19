from vlmtom.director.cells import cells, check_complete
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
outcomes = [
    row for path in snakemake.input.outcomes for row in read_rows(path, schemas.DIRECTOR_OUTCOMES)
]
rows = cells(outcomes)
check_complete(rows, snakemake.params.allow_missing)
write_rows(snakemake.output.cells, rows, schemas.DIRECTOR_CELLS)
log.info("%d outcomes in %d cells", len(outcomes), len(rows))
