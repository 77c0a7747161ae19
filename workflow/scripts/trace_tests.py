from vlmtom.judging import blind_salt
from vlmtom.report_action.traces import blind_tests, instruments, read_tests
from vlmtom.store import schemas, write_rows
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
check_locks(snakemake.params.locks, instruments())
rows = blind_tests(read_tests(snakemake.input.tests), blind_salt(snakemake.params.seed))
write_rows(snakemake.output.blind, rows, schemas.BLIND_TRACES)
log.info("%d traces written to a known code, in two versions each", len(rows) // 2)
