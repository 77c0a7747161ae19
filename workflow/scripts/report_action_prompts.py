from vlmtom.publish.report_action_prompts import prompts_tex
from vlmtom.report_action.estimates import Comparison
from vlmtom.report_action.listing import prompt_rows
from vlmtom.store import schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
comparisons = {name: Comparison(**of) for name, of in params.comparisons.items()}
table = prompt_rows(params.batches, comparisons)
write_bytes(made.tex, prompts_tex(table, params.panel).encode())
write_rows(made.parquet, table, schemas.REPORT_ACTION_PROMPTS)
# A list of batches has no place in a CSV field but as words.
shown = [{**row, "batches": "; ".join(row["batches"])} for row in table]
write_csv(made.csv, shown, schemas.REPORT_ACTION_PROMPTS.names)
log.info("%d turns of prompts", len(table))
