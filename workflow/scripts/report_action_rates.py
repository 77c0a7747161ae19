from vlmtom.publish.report_action_tables import choices_tex, rates_tex
from vlmtom.publish.report_action_text import Study
from vlmtom.report_action.measures import choices, rates
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
study = Study(**params.study)
cells = read_rows(snakemake.input.cells, schemas.REPORT_ACTION_CELLS)
counts = choices(cells)
table = rates(cells, params.seed, params.resamples)
write_bytes(made.tex, rates_tex(table, counts, study).encode())
write_rows(made.parquet, plain(table), schemas.REPORT_ACTION_RATES)
write_csv(made.csv, plain(table), schemas.REPORT_ACTION_RATES.names)
write_bytes(made.choices_tex, choices_tex(counts, study).encode())
write_rows(made.choices_parquet, counts, schemas.REPORT_ACTION_CHOICES)
write_csv(made.choices_csv, counts, schemas.REPORT_ACTION_CHOICES.names)
log.info("%d rates, %d conditions", len(table), len(counts))
