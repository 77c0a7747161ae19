from vlmtom.publish.mosaic_page import Beside, mosaic_page
from vlmtom.publish.mosaic_text import Study
from vlmtom.store import read_rows, schemas, write_bytes

from _script import start_log

log = start_log(snakemake)
given, params = snakemake.input, snakemake.params
signals = read_rows(given.signals, schemas.MOSAIC_SIGNALS)
outcomes = read_rows(given.table3, schemas.MOSAIC_TABLE3)
page = mosaic_page(signals, outcomes, Study(**params.study), Beside(**params.beside))
write_bytes(snakemake.output.page, page.encode())
log.info("%d pairs with a page", len(params.beside["pages"]))
