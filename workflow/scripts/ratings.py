from pathlib import Path

from vlmtom.rating.returned import read_ratings
from vlmtom.store import read_rows, schemas, write_rows

from _script import start_log

log = start_log(snakemake)
key = read_rows(snakemake.input.key, schemas.RATING_KEY)
files = {path: Path(path).read_bytes() for path in snakemake.input.returned}
rows = read_ratings(files, key)
write_rows(snakemake.output.ratings, rows, schemas.RATINGS)
log.info("%d raters, %d ratings", len(files), len(rows))
