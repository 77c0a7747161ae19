from vlmtom.store import read_rows, schemas, write_rows
from vlmtom.triangles.cells import cells, check_complete

from _script import start_log

log = start_log(snakemake)
descriptions, verdicts = (
    [row for path in paths for row in read_rows(path, schema)]
    for paths, schema in (
        (snakemake.input.descriptions, schemas.DESCRIPTIONS),
        (snakemake.input.verdicts, schemas.VERDICTS),
    )
)
rows = cells(descriptions, verdicts, snakemake.params.judges, snakemake.params.overlays)
check_complete(rows, snakemake.params.allow_missing)
write_rows(snakemake.output.cells, rows, schemas.TRIANGLES_CELLS)
scored = sum(row["intent"] is not None for row in rows)
log.info("%d verdicts in %d cells, %d with a score", len(verdicts), len(rows), scored)
