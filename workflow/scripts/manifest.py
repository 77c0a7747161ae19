from _script import start_log

from vlmtom.store import schemas, write_rows
from vlmtom.store.manifest import manifest_rows

log = start_log(snakemake)
rows = manifest_rows(snakemake.params.results, snakemake.input)
write_rows(snakemake.output.manifest, rows, schemas.MANIFEST)
log.info("%d files", len(rows))
