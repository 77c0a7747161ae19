from vlmtom.publish.report_action_tables import scenes_tex
from vlmtom.publish.report_action_text import Study
from vlmtom.report_action.listing import scene_rows
from vlmtom.stats.published import read_published
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
made = snakemake.output
keys = read_rows(snakemake.input.key_file, schemas.REPORT_ACTION_KEYS)
table = scene_rows(keys, read_published()["reportaction_numbers"])
write_bytes(made.tex, scenes_tex(table, Study(**snakemake.params.study)).encode())
write_rows(made.parquet, table, schemas.REPORT_ACTION_SCENES)
write_csv(made.csv, table, schemas.REPORT_ACTION_SCENES.names)
log.info("%d counts", len(table))
