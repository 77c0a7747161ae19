from vlmtom.publish.representation_page import Files, representation_page
from vlmtom.store import write_bytes

from _script import start_log

log = start_log(snakemake)
given, out = snakemake.input, snakemake.output
files = Files(
    replies=given.replies,
    outcomes=given.descriptions,
    verdicts=given.verdicts,
    items=given.item_file,
    pictures=given.pictures,
    keys=given.key_file,
)
page, style = representation_page(files, snakemake.params.testers)
write_bytes(out.page, page.encode())
write_bytes(out.pictures, style.encode())
log.info("%d testers", len(snakemake.params.testers))
