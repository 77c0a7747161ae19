from vlmtom.publish.provenance import Source
from vlmtom.publish.table8 import table8_tex
from vlmtom.stats.exact import plain
from vlmtom.stats.joint import joint_panel, table8, triangles_panel
from vlmtom.stats.references import load_references
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
references = load_references(given.references)
director = read_rows(given.director_cells, schemas.DIRECTOR_CELLS)
cells = read_rows(given.cells, schemas.TRIANGLES_CELLS)
table = table8(director, cells, references, source.reading, params.seed, params.resamples)
panel = joint_panel(table, params.seed, params.resamples)
tex = table8_tex(table, panel, references, source, params.director_trials)
panel = [*triangles_panel(cells, references, source.reading), *panel]
write_bytes(made.tex, tex.encode())
for rows, schema, name in ((table, schemas.TABLE8, ""), (panel, schemas.PANEL, "panel_")):
    write_rows(made[f"{name}parquet"], plain(rows), schema)
    write_csv(made[f"{name}csv"], plain(rows), schema.names)
log.info("%d testers, %d bootstrap resamples", len(table), params.resamples)
