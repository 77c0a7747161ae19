from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.triangles.cells import profile_rows

from _script import start_log

log = start_log(snakemake)
cells = read_rows(snakemake.input.cells, schemas.TRIANGLES_CELLS)
rows = profile_rows(cells, snakemake.params.aggregation)
write_rows(snakemake.output.profiles, rows, schemas.PROFILES)
log.info("%d cells in %d profiles", len(cells), len(rows))
