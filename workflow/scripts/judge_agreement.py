from vlmtom.publish.judge_audits import judge_agreement_tex
from vlmtom.publish.provenance import Source
from vlmtom.stats.agreement import agreement_rows
from vlmtom.stats.exact import plain
from vlmtom.stats.profile_tables import averaged
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
descriptions, verdicts = (
    [row for path in paths for row in read_rows(path, schema)]
    for paths, schema in (
        (given.descriptions, schemas.DESCRIPTIONS),
        (given.verdicts, schemas.VERDICTS),
    )
)
table = agreement_rows(descriptions, verdicts, params.judges, params.arms, source.overlay)
kinds = [row["kind"] for row in averaged(descriptions)]
write_bytes(made.tex, judge_agreement_tex(table, kinds, source).encode())
write_rows(made.parquet, plain(table), schemas.JUDGE_AGREEMENT)
write_csv(made.csv, plain(table), schemas.JUDGE_AGREEMENT.names)
log.info("%d verdicts", len(verdicts))
