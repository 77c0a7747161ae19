from vlmtom.publish.figure4 import figure4
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
figure = figure4(
    table := read_rows(snakemake.input.table, schemas.TABLE8),
    load_references(snakemake.input.references),
    Source(**snakemake.params.source),
    snakemake.params.testers,
    snakemake.params.director_trials,
)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d rows", len(table))
