from itertools import chain

from vlmtom.publish.game_calls import game_replies
from vlmtom.publish.style import save_figure
from vlmtom.publish.timing import timing_figure, timing_rows, timing_tex
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
out, panel = snakemake.output, snakemake.params.panel
replies = (r for path in snakemake.input.replies for r in read_rows(path, schemas.REPLIES))
played = game_replies(snakemake.input.calls, snakemake.params.kinds)
rows = timing_rows(chain(replies, played))
write_bytes(out.tex, timing_tex(rows, panel).encode())
write_rows(out.parquet, rows, schemas.TIMING)
write_csv(out.csv, rows, schemas.TIMING.names)
save_figure(timing_figure(rows, panel), out.pdf, out.png)
log.info("%d testers, arms, windows and hours", len(rows))
