from vlmtom.publish.judge_audits import judge_family_tex
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import plain
from vlmtom.stats.judge_audits import family_rows, unknown_families
from vlmtom.stats.profile_tables import averaged
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
params, made = snakemake.params, snakemake.output
source = Source(**params.source)
cells = read_rows(snakemake.input.cells, schemas.TRIANGLES_CELLS)
table = family_rows(cells, params.arms, params.families, source.overlay)
unknown = unknown_families(cells, params.families, source.overlay)
kinds = [row["kind"] for row in averaged(cells)]
write_bytes(made.tex, judge_family_tex(table, unknown, kinds, source).encode())
write_rows(made.parquet, plain(table), schemas.JUDGE_FAMILY)
write_csv(made.csv, plain(table), schemas.JUDGE_FAMILY.names)
log.info("%d arms, %d models of unknown family", len(params.arms), len(unknown))
