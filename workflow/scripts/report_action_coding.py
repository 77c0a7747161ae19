from vlmtom.publish.action_traces import TraceSource, coding_tex
from vlmtom.report_action.traces import coding_table
from vlmtom.stats.exact import plain
from vlmtom.stats.profile_tables import averaged
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, made = snakemake.input, snakemake.output
source = TraceSource(**snakemake.params.source)
key = read_rows(given.key, schemas.TRACE_KEY)
codes = [row for path in given.codes for row in read_rows(path, schemas.TRACE_CODES)]
gate = read_rows(given.gate, schemas.REPORT_ACTION_CODER_GATE)
sheet = [row for path in given.places for row in read_rows(path, schemas.TRACE_SHEET)]
human = [row for path in given.human for row in read_rows(path, schemas.HUMAN_CODES)]
table = coding_table(key, codes, gate, source.coders, sheet, human)
kinds = [row["kind"] for row in averaged(key)]
write_bytes(made.tex, coding_tex(table, source, kinds).encode())
write_rows(made.parquet, plain(table), schemas.REPORT_ACTION_CODING)
write_csv(made.csv, plain(table), schemas.REPORT_ACTION_CODING.names)
log.info("%d comparisons", len(table))
