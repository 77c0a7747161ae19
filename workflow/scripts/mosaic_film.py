from vlmtom.publish.mosaic_film import film
from vlmtom.publish.mosaic_text import Study
from vlmtom.publish.mosaic_trial import trial_of
from vlmtom.store import read_rows, schemas, write_bytes

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
content = film(shown, notes)
write_bytes(snakemake.output.mp4, content)
log.info("%s, %d bytes", shown.title, len(content))
