from vlmtom.publish.figure5 import figure5
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
figure = figure5(
    table := read_rows(snakemake.input.table, schemas.TABLE5),
    load_references(snakemake.input.references),
    Source(**snakemake.params.source),
    snakemake.params.testers,
)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d rows", len(table))
