from vlmtom.judging import blind_salt, instruments
from vlmtom.judging.validation import exemplar_rows, read_exemplars
from vlmtom.store import schemas, write_rows
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
path = snakemake.input.exemplars
exemplars = read_exemplars(path)
check_locks(snakemake.params.locks, instruments(exemplars=path))
rows = exemplar_rows(exemplars, blind_salt(snakemake.params.seed))
write_rows(snakemake.output.blind, rows, schemas.BLIND)
log.info("%d exemplars", len(rows))
