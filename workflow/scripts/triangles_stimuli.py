from vlmtom.settings import TrianglesArm
from vlmtom.store.locks import check_locks
from vlmtom.triangles.stimuli import build_stimuli, instruments, write_stimuli

from _script import start_log

log = start_log(snakemake)
given, out = snakemake.params, snakemake.output
arms = {name: TrianglesArm(**arm) for name, arm in given.arms.items()}
stimuli = build_stimuli(arms, given.seed, given.fit, given.clips_folder)
check_locks(given.locks, instruments(stimuli))
write_stimuli(
    stimuli,
    pictures=out.pictures,
    items=out.item_file,
    keys=out.key_file,
    frames=out.frames,
    kinematics=out.kinematics,
    clips=out.clips,
    sheets=out.sheets,
)
log.info("%d clips in %d arms", len(stimuli.clips), len(arms))
