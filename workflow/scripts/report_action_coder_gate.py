from vlmtom.judging import blind_salt
from vlmtom.publish.action_traces import TraceSource, coder_gate_tex
from vlmtom.report_action.traces import gate_rows, read_tests
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
codes = [row for path in given.codes for row in read_rows(path, schemas.TRACE_CODES)]
source = TraceSource(**params.source)
table = gate_rows(codes, read_tests(given.tests), blind_salt(params.seed), source.coders)
write_bytes(made.tex, coder_gate_tex(table, source).encode())
write_rows(made.parquet, plain(table), schemas.REPORT_ACTION_CODER_GATE)
write_csv(made.csv, plain(table), schemas.REPORT_ACTION_CODER_GATE.names)
log.info("%d of %d tests passed", sum(row["verdict"] == "PASS" for row in table), len(table))
