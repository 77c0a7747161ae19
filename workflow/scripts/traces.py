from vlmtom.judging import blind_salt
from vlmtom.report_action.traces import blind_traces, instruments, trace_key
from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
check_locks(params.locks, instruments())
replies = [row for path in given.replies for row in read_rows(path, schemas.REPLIES)]
outcomes = [
    row for path in given.outcomes for row in read_rows(path, schemas.REPORT_ACTION_OUTCOMES)
]
key = trace_key(
    outcomes,
    replies,
    blind_salt(params.seed),
    params.recoded,
    params.conditions,
    params.batches,
)
blind = blind_traces(key, replies)
write_rows(made.key, key, schemas.TRACE_KEY)
write_rows(made.blind, blind, schemas.BLIND_TRACES)
log.info("%d replies, %d traces in two versions each", len(key), len(blind) // 2)
