from vlmtom.publish.report_action_tables import joint_rows, joint_tex
from vlmtom.publish.report_action_text import Study
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
made = snakemake.output
table = joint_rows(read_rows(snakemake.input.rates, schemas.REPORT_ACTION_RATES))
write_bytes(made.tex, joint_tex(table, Study(**snakemake.params.study)).encode())
write_rows(made.parquet, table, schemas.REPORT_ACTION_RATES)
write_csv(made.csv, table, schemas.REPORT_ACTION_RATES.names)
log.info("%d joint rates", len(table))
