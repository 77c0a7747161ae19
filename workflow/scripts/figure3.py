from vlmtom.publish.figure3 import figure3
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
figure = figure3(
    table := read_rows(snakemake.input.table, schemas.TABLE7),
    load_references(snakemake.input.references),
    Source(**snakemake.params.source),
    snakemake.params.testers,
)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d rows", len(table))
