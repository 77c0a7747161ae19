from vlmtom.report_action.stimuli import build_stimuli, instruments, write_stimuli
from vlmtom.settings import ActionBatch
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
given, out = snakemake.params, snakemake.output
batches = {name: ActionBatch(**batch) for name, batch in given.batches.items()}
stimuli = build_stimuli(given.sets, given.seed)
check_locks(given.locks, instruments(stimuli, given.seed))
write_stimuli(
    *(stimuli, batches, given.replies),
    pictures=out.pictures,
    items=out.item_file,
    keys=out.key_file,
    sheets=out.sheets,
)
log.info("%d scenes", sum(map(len, stimuli.scenes.values())))
