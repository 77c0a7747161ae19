from vlmtom.director.scoring import outcomes
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
replies = [row for path in snakemake.input.replies for row in read_rows(path, schemas.REPLIES)]
rows = outcomes(replies, read_rows(snakemake.input.key_file, schemas.DIRECTOR_KEYS))
write_rows(snakemake.output.outcomes, rows, schemas.DIRECTOR_OUTCOMES)
log.info("%d outcomes, %d unparsed", len(rows), sum(row["parse"] == "unparsed" for row in rows))
