from vlmtom.publish.report_action_tables import batches_tex
from vlmtom.publish.report_action_text import Study
from vlmtom.report_action.estimates import batch_rows
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
rates = read_rows(snakemake.input.rates, schemas.REPORT_ACTION_RATES)
table = batch_rows(rates, params.batches)
write_bytes(made.tex, batches_tex(table, Study(**params.study)).encode())
write_rows(made.parquet, plain(table), schemas.REPORT_ACTION_BATCHES)
write_csv(made.csv, plain(table), schemas.REPORT_ACTION_BATCHES.names)
log.info("%d rates of base prompts", len(table))
