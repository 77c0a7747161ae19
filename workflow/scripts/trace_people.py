from pathlib import Path

from vlmtom.report_action.traces import read_returned
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
given = snakemake.input
files = {path: Path(path).read_bytes() for path in given.returned}
places = read_rows(given.places, schemas.TRACE_SHEET)
rows = read_returned(files, Path(given.sheet).read_bytes(), [row["item_id"] for row in places])
write_rows(snakemake.output.human, rows, schemas.HUMAN_CODES)
log.info("%d people, %d codes", len(files), len(rows))
