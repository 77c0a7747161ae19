from vlmtom.store import schemas, write_csv

from _script import start_log

log = start_log(snakemake)
rows = schemas.codebook_rows()
write_csv(snakemake.output.codebook, rows, list(rows[0]))
log.info("%d columns of %d tables", len(rows), len(schemas.SCHEMAS))
