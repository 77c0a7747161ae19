from vlmtom.report_action.measures import cells, check_complete
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
given, params = snakemake.input, snakemake.params
outcomes = (
    row for path in given.outcomes for row in read_rows(path, schemas.REPORT_ACTION_OUTCOMES)
)
keys = read_rows(given.key_file, schemas.REPORT_ACTION_KEYS)
rows = cells(outcomes, keys, params.asked, params.replies)
check_complete(rows, params.allow_missing)
write_rows(snakemake.output.cells, rows, schemas.REPORT_ACTION_CELLS)
log.info("%d replies counted in %d cells", sum(row["n_answered"] for row in rows), len(rows))
