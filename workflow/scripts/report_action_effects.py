from vlmtom.publish.report_action_effects import report_action_effects
from vlmtom.publish.report_action_text import Study
from vlmtom.publish.style import save_figure
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
params = snakemake.params
table = read_rows(snakemake.input.estimates, schemas.REPORT_ACTION_ESTIMATES)
figure = report_action_effects(table, Study(**params.study), params.testers)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d differences drawn", sum(row["primary"] for row in table))
