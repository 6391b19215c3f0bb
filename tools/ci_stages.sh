#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs make targets one after the other and prints how long each took.
#
# A stage that fails does not stop the later ones: one push shows all that is wrong. The exit code
# is that of the worst stage.
set -u -o pipefail

# A clean clone is built once and thrown away: nothing to be incremental for, and test programs without
# symbols take a sixth of the disk (the tests of the workspace 0.4 instead of 2.4 GB).
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_STRIP=symbols

names=() seconds=() verdicts=()
worst=0
for stage in "$@"; do
  printf '\n==== %s ====\n' "$stage"
  start=$SECONDS
  make --no-print-directory "$stage"
  code=$?
  names+=("$stage")
  seconds+=($((SECONDS - start)))
  if [ "$code" -eq 0 ]; then verdicts+=(ok); else verdicts+=("failed ($code)") worst=1; fi
done

printf '\n%-14s %8s  %s\n' stage seconds verdict
for i in "${!names[@]}"; do
  printf '%-14s %8d  %s\n' "${names[$i]}" "${seconds[$i]}" "${verdicts[$i]}"
done
printf '%-14s %8d\n' total "$SECONDS"
printf '%-14s %8s  on this disk, %s free\n' size "$(du -sh . | cut -f1)" "$(df -h . | awk 'NR == 2 { print $4 }')"
exit "$worst"
