from vlmtom.publish.figure2 import figure2
from vlmtom.publish.style import save_figure
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
table = read_rows(snakemake.input.table, schemas.TABLE2)
figure = figure2(table, snakemake.params.trials, snakemake.params.panel)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d testers", len(table))
