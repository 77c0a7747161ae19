from vlmtom.director.stimuli import build_stimuli, instruments, write_stimuli
from vlmtom.settings import DirectorArm
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
arms = {name: DirectorArm(**arm) for name, arm in snakemake.params.arms.items()}
stimuli = build_stimuli(arms, snakemake.params.seed)
check_locks(snakemake.params.locks, instruments(stimuli, snakemake.params.seed))
out = snakemake.output
write_stimuli(stimuli, out.pictures, out.item_file, out.key_file, out.sheets)
log.info("%d scenes in %d arms", sum(map(len, stimuli.scenes.values())), len(arms))
