from vlmtom.publish.joint_cards import joint_cards_figure, joint_cards_tex, joint_page
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.stats.joint_cards import Effect, Game, joint_cards
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
source = Source(**params.source)
rows = joint_cards(
    [Game(**game) for game in params.games],
    Effect(**params.effect),
    read_rows(given.intervals, schemas.INTERVALS),
    read_rows(given.estimates, schemas.REPORT_ACTION_ESTIMATES),
    read_rows(given.signals, schemas.MOSAIC_SIGNALS),
)
write_bytes(made.tex, joint_cards_tex(rows, source).encode())
write_rows(made.parquet, rows, schemas.JOINT_CARDS)
write_csv(made.csv, rows, schemas.JOINT_CARDS.names)
save_figure(joint_cards_figure(rows, source), made.pdf, made.png)
write_bytes(made.page, joint_page(rows, source, params.links).encode())
log.info("%d numbers", len(rows))
