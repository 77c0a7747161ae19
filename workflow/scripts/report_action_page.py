from pathlib import Path

from vlmtom.publish.report_action_page import Files, action_pages
from vlmtom.publish.report_action_text import Study
from vlmtom.store import write_bytes

from _script import start_log

log = start_log(snakemake)
given, params = snakemake.input, snakemake.params
testers = list(params.testers)
files = Files(
    items=given.item_file,
    keys=given.key_file,
    pictures=given.pictures,
    estimates=given.estimates,
    choices=given.choices,
    replies=dict(zip(testers, given.replies, strict=True)),
    outcomes=dict(zip(testers, given.outcomes, strict=True)),
)
out = {Path(path).name: path for path in snakemake.output}
for name, text in action_pages(files, Study(**params.study), params.asked, params.testers):
    write_bytes(out[name], text.encode())
log.info("%d files", len(out))
