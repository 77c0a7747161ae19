from vlmtom.judging import blind_salt, descriptions
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
replies = [row for path in snakemake.input.replies for row in read_rows(path, schemas.REPLIES)]
keys = read_rows(snakemake.input.key_file, schemas.TRIANGLES_KEYS)
rows = descriptions(replies, keys, blind_salt(snakemake.params.seed))
write_rows(snakemake.output.descriptions, rows, schemas.DESCRIPTIONS)
log.info("%d replies, %d unparsed", len(rows), sum(row["parse"] == "unparsed" for row in rows))
