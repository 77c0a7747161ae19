from pathlib import Path

from vlmtom.publish.report_files import Files, report_pages
from vlmtom.store import write_bytes

from _script import start_log

log = start_log(snakemake)
given, out = snakemake.input, snakemake.output
files = Files(
    replies=given.replies,
    outcomes=given.outcomes,
    verdicts=given.verdicts,
    items=given.item_files,
    pictures=given.pictures,
    keys=given.key_files,
    tables=given.tables,
    figures=given.figures,
)
testers = snakemake.params.testers
params = snakemake.params
pages = report_pages(files, params.panel, testers, params.experiments, params.pages, params.sheets)
for name, text in pages:
    write_bytes(Path(out.index).parent / name, text.encode())
log.info("%d testers", len(testers))
