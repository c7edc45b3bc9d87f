#!/bin/sh
# Slurm: a report beside the logs of every job that ends, however it ends.
# As TaskEpilog or Epilog in slurm.conf (CURVEDOC_RUNS then names the folder), or as the last line of a job script:
#   sh slurm-epilog.sh "$SLURM_SUBMIT_DIR/runs/$SLURM_JOB_ID"
# It always exits with 0: an epilog that fails drains its node.
runs="${1:-${CURVEDOC_RUNS:-${SLURM_JOB_WORK_DIR:-${SLURM_SUBMIT_DIR:-.}}}}"
[ -d "$runs" ] || exit 0
limit="timeout ${CURVEDOC_SECONDS:-300}"
command -v timeout >/dev/null 2>&1 || limit=""
$limit nice curvedoc analyze "$runs" --quiet --force --jobs 1 \
  --html "$runs/curvedoc-report.html" --markdown "$runs/curvedoc-report.md" \
  >"$runs/curvedoc-epilog.txt" 2>&1 ||
  echo "curvedoc ended with $? for job ${SLURM_JOB_ID:-unknown}; see $runs/curvedoc-epilog.txt" >&2
exit 0
