from vlmtom.publish.mosaic_figure2 import mosaic_figure2
from vlmtom.publish.mosaic_text import Study
from vlmtom.publish.style import save_figure
from vlmtom.store import read_rows
from vlmtom.store.schemas.mosaic_products import MOSAIC_TABLE3

from _script import start_log

log = start_log(snakemake)
params = snakemake.params
table = read_rows(snakemake.input.table, MOSAIC_TABLE3)
figure = mosaic_figure2(table, Study(**params.study), params.families)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("%d outcomes", len(table))
