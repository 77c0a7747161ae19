from vlmtom.publish.length import length_tex
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import plain
from vlmtom.stats.length import length
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, made = snakemake.input, snakemake.output
source = Source(**snakemake.params.source)
descriptions, verdicts = (
    [row for path in paths for row in read_rows(path, schema)]
    for paths, schema in (
        (given.descriptions, schemas.DESCRIPTIONS),
        (given.verdicts, schemas.VERDICTS),
    )
)
table = length(descriptions, verdicts, source.reading)
write_bytes(made.tex, length_tex(table, source).encode())
write_rows(made.parquet, plain(table), schemas.LENGTH)
write_csv(made.csv, plain(table), schemas.LENGTH.names)
log.info("%d descriptions", sum(row["kind"] != "panel" and row["n_descriptions"] for row in table))
