from vlmtom.publish.figure_arms import figure_arms
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
figure = figure_arms(
    profiles := read_rows(snakemake.input.profiles, schemas.PROFILES),
    read_rows(snakemake.input.ranks, schemas.TABLE11),
    load_references(snakemake.input.references),
    Source(**snakemake.params.source),
    snakemake.params.trials,
    snakemake.params.testers,
)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d profiles", len(profiles))
