from vlmtom.judging import blind_rows, blind_salt, instruments
from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
check_locks(snakemake.params.locks, instruments(exemplars=snakemake.params.exemplars))
replies = [row for path in snakemake.input.replies for row in read_rows(path, schemas.REPLIES)]
keys = read_rows(snakemake.input.key_file, schemas.TRIANGLES_KEYS)
rows = blind_rows(replies, keys, blind_salt(snakemake.params.seed), snakemake.wildcards.arm)
write_rows(snakemake.output.blind, rows, schemas.BLIND)
log.info("%s: %d descriptions to be judged", snakemake.wildcards.arm, len(rows))
