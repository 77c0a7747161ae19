from itertools import chain
from pathlib import Path

from vlmtom.publish.costs import cost_rows, costs_tex
from vlmtom.publish.game_calls import game_replies
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
replies = (r for path in snakemake.input.replies for r in read_rows(path, schemas.REPLIES))
verdicts = (r for path in snakemake.input.verdicts for r in read_rows(path, schemas.VERDICTS))
several = (
    r
    for path in snakemake.input.several_verdicts
    for r in read_rows(path, schemas.verdicts_of(Path(path).stem))
)
codes = (
    (Path(path).stem, r)
    for path in snakemake.input.codes
    for r in read_rows(path, schemas.TRACE_CODES)
)
played = game_replies(snakemake.input.calls, snakemake.params.kinds)
rows = cost_rows(chain(replies, played), chain(verdicts, several), codes)
write_bytes(snakemake.output.tex, costs_tex(rows, snakemake.params.panel).encode())
write_rows(snakemake.output.parquet, rows, schemas.COSTS)
write_csv(snakemake.output.csv, rows, schemas.COSTS.names)
log.info("%d models and topics", len(rows))
