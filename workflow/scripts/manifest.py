from pathlib import Path

from vlmtom.store import schemas, write_rows
from vlmtom.store.manifest import manifest_rows

from _script import start_log

log = start_log(snakemake)
results = Path(snakemake.output.manifest).parent
rows = manifest_rows(results, snakemake.input)
write_rows(snakemake.output.manifest, rows, schemas.MANIFEST)
log.info("%d files", len(rows))
