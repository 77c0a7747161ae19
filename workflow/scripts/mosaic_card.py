from vlmtom.publish.mosaic_card import mosaic_card
from vlmtom.publish.mosaic_text import Study
from vlmtom.publish.mosaic_trial import trial_of
from vlmtom.publish.style import save_figure
from vlmtom.store import read_rows, schemas

from _script import start_log

log = start_log(snakemake)
given = snakemake.input
shown = trial_of(
    read_rows(given.trials, schemas.MOSAIC_TRIALS),
    read_rows(given.steps, schemas.MOSAIC_STEPS),
    read_rows(given.utterances, schemas.MOSAIC_UTTERANCES),
    snakemake.params.trial,
)
notes = Study(**snakemake.params.study).notes([str(shown.trial["kind"])])
save_figure(mosaic_card(shown, notes), snakemake.output.pdf, snakemake.output.png)
log.info("%s, after round %d", shown.title, shown.telling_round)
