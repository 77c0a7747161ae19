from vlmtom.director.controls import arm_counts, contrasts
from vlmtom.publish.director_arms import contrasts_tex, director_arms_tex
from vlmtom.publish.director_text import Design
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
design = Design(snakemake.params.panel, snakemake.params.trials)
cells = read_rows(snakemake.input.cells, schemas.DIRECTOR_CELLS)
table = arm_counts(cells, list(design.trials))
write_bytes(snakemake.output.tex, director_arms_tex(table, design).encode())
write_rows(snakemake.output.parquet, table, schemas.ARM_COUNTS)
write_csv(snakemake.output.csv, table, schemas.ARM_COUNTS.names)
compared = contrasts(cells, list(design.trials))
write_bytes(snakemake.output.contrasts_tex, contrasts_tex(compared, design).encode())
write_rows(snakemake.output.contrasts_parquet, compared, schemas.DIRECTOR_CONTRASTS)
write_csv(snakemake.output.contrasts_csv, compared, schemas.DIRECTOR_CONTRASTS.names)
log.info("%d rows, %d contrasts", len(table), len(compared))
