from vlmtom.publish.mosaic_heatmaps import mosaic_figure6
from vlmtom.publish.mosaic_text import Study
from vlmtom.publish.style import save_figure
from vlmtom.store import read_rows
from vlmtom.store.schemas.mosaic_products import MOSAIC_SIGNALS

from _script import start_log

log = start_log(snakemake)
table = read_rows(snakemake.input.table, MOSAIC_SIGNALS)
figure = mosaic_figure6(table, Study(**snakemake.params.study))
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d numbers", len(table))
