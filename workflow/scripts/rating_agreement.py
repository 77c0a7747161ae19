from vlmtom.publish.provenance import Source
from vlmtom.publish.rating_agreement import rating_agreement_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.rating_agreement import rating_agreement_rows
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
key = read_rows(given.key, schemas.RATING_KEY)
ratings = read_rows(given.ratings, schemas.RATINGS)
verdicts = [row for path in given.verdicts for row in read_rows(path, schemas.VERDICTS)]
table = rating_agreement_rows(key, ratings, verdicts, params.judges, params.seed, source.overlay)
write_bytes(made.tex, rating_agreement_tex(table, key, source).encode())
write_rows(made.parquet, plain(table), schemas.RATING_AGREEMENT)
write_csv(made.csv, plain(table), schemas.RATING_AGREEMENT.names)
log.info("%d ratings, %d verdicts", len(ratings), len(verdicts))
