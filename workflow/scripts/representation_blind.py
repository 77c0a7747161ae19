from vlmtom.judging import blind_salt, blind_together, instruments
from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
given = snakemake.params
check_locks(given.locks, instruments(exemplars=given.exemplars))
replies = [row for path in snakemake.input.replies for row in read_rows(path, schemas.REPLIES)]
keys = read_rows(snakemake.input.key_file, schemas.TRIANGLES_KEYS)
rows = blind_together(replies, keys, blind_salt(given.seed), given.topic)
write_rows(snakemake.output.blind, rows, schemas.BLIND)
log.info("%d descriptions to be judged", len(rows))
