from pathlib import Path

from vlmtom.settings import RepresentationArm
from vlmtom.store.locks import check_locks
from vlmtom.triangles.representations import build, instruments, write_representations

from _script import start_log

log = start_log(snakemake)
given, out = snakemake.params, snakemake.output
arms = {name: RepresentationArm(**arm) for name, arm in given.arms.items()}
films = {Path(path).stem: path for path in snakemake.input.films}
stimuli = build(arms, given.fit, given.clips_folder, given.clips, films)
check_locks(given.locks, instruments(stimuli))
write_representations(
    stimuli, pictures=out.pictures, films=out.films, items=out.item_file, keys=out.key_file
)
log.info("%d clips, %d pictures", len(stimuli.clips), len(stimuli.pictures))
