from vlmtom.report_action.scoring import outcome_rows
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
replies = [row for path in snakemake.input.replies for row in read_rows(path, schemas.REPLIES)]
keys = read_rows(snakemake.input.key_file, schemas.REPORT_ACTION_KEYS)
rows = outcome_rows(replies, keys)
write_rows(snakemake.output.outcomes, rows, schemas.REPORT_ACTION_OUTCOMES)
log.info("%d outcomes, %d unparsed", len(rows), sum(row["parse"] == "unparsed" for row in rows))
