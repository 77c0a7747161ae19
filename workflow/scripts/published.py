from pathlib import Path

from vlmtom.publish.provenance import Source
from vlmtom.publish.published import published_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.published import READ, compare, read_published
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
ours = {
    name: read_rows(path, READ[name])
    for path in snakemake.input.tables
    for name in [Path(path).stem]
}
rows = compare(read_published(params.published), ours)
kinds = [str(row["kind"]) for row in ours["table2"]]
tex = published_tex(rows, Source(**params.source), params.director_trials, kinds)
write_bytes(made.tex, tex.encode())
write_rows(made.parquet, plain(rows), schemas.PUBLISHED)
write_csv(made.csv, plain(rows), schemas.PUBLISHED.names)
log.info("%d printed values", len(rows))
