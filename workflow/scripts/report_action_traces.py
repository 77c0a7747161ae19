from vlmtom.publish.action_traces import TraceSource, traces_tex
from vlmtom.publish.figure_traces import figure_traces
from vlmtom.publish.style import save_figure
from vlmtom.report_action.traces import trace_table
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, made = snakemake.input, snakemake.output
source = TraceSource(**snakemake.params.source)
key = read_rows(given.key, schemas.TRACE_KEY)
codes = [row for path in given.codes for row in read_rows(path, schemas.TRACE_CODES)]
gate = read_rows(given.gate, schemas.REPORT_ACTION_CODER_GATE)
table = trace_table(key, codes, gate, source.coders)
write_bytes(made.tex, traces_tex(table, source).encode())
write_rows(made.parquet, plain(table), schemas.REPORT_ACTION_TRACES)
write_csv(made.csv, plain(table), schemas.REPORT_ACTION_TRACES.names)
save_figure(figure_traces(table, source), made.pdf, made.png)
log.info("%d rows, %d codes", len(table), len(codes))
