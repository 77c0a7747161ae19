#!/usr/bin/env bash
# success, failed or running, for the number of a Slurm job; accounts need not be kept.
trap '' INT # Ctrl-C reaches this too, and a job without a state would not be cancelled
job=$1
state=$(squeue --noheader --format=%T --jobs="$job" 2>/dev/null | head -n 1)
if [ -z "$state" ]; then # no longer in the queue: the controller remembers it a while
    state=$(scontrol --oneliner show job "$job" 2>/dev/null | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p')
fi
if [ -z "$state" ]; then # accounts remember longer, where they are kept
    state=$(sacct --noheader --parsable2 --allocations --format=State --jobs="$job" 2>/dev/null | head -n 1)
fi
if [ -z "$state" ] && ! scontrol ping >/dev/null 2>&1; then
    state=PENDING # nobody can be asked now; ask again
fi
case "$state" in
COMPLETED*) echo success ;;
PENDING* | CONFIGURING* | RUNNING* | COMPLETING* | SUSPENDED* | REQUEUED* | RESIZING* | STAGE_OUT*) echo running ;;
*) echo failed ;;
esac
