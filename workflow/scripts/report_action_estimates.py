from vlmtom.publish.report_action_tables import estimates_tex
from vlmtom.publish.report_action_text import Study
from vlmtom.report_action.estimates import Comparison, estimates
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
study = Study(**params.study)
table = estimates(
    read_rows(given.cells, schemas.REPORT_ACTION_CELLS),
    read_rows(given.rates, schemas.REPORT_ACTION_RATES),
    {name: Comparison(**of) for name, of in params.comparisons.items()},
    study.margin_points / 100,
)
write_bytes(made.tex, estimates_tex(table, study).encode())
write_rows(made.parquet, plain(table), schemas.REPORT_ACTION_ESTIMATES)
write_csv(made.csv, plain(table), schemas.REPORT_ACTION_ESTIMATES.names)
log.info("%d differences, %d primary", len(table), sum(row["primary"] for row in table))
