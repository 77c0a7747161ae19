from vlmtom.publish.judge_audits import judge_left_out_tex
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import plain
from vlmtom.stats.judge_audits import left_out_rows
from vlmtom.stats.profile_tables import averaged
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
cells = read_rows(given.cells, schemas.TRIANGLES_CELLS)
table = left_out_rows(cells, params.judges, load_references(given.references), source.reading)
kinds = [row["kind"] for row in averaged(cells)]
write_bytes(made.tex, judge_left_out_tex(table, kinds, source).encode())
write_rows(made.parquet, plain(table), schemas.JUDGE_LEFT_OUT)
write_csv(made.csv, plain(table), schemas.JUDGE_LEFT_OUT.names)
log.info("%d judges left out in turn", len(params.judges))
