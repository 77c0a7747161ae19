from vlmtom.publish.mosaic_pair_page import pair_css, pair_page, pair_pictures, read_logs
from vlmtom.publish.mosaic_text import Study
from vlmtom.store import write_bytes

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
paths = zip(given.trials, given.steps, given.utterances, given.calls, strict=True)
logs = dict(zip(params.conditions, (read_logs(*own) for own in paths), strict=True))
pictures = pair_pictures(logs)
write_bytes(made.css, pair_css(pictures).encode())
write_bytes(made.page, pair_page(logs, Study(**params.study), pictures).encode())
log.info("%d pictures", len(pictures))
