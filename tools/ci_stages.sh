#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs make targets and prints how long each took.
#
# Each argument is a lane: stages that run one after the other, beside the other lanes, since many
# keep one core busy only. `stage:other` waits for a stage of another lane too. What a stage prints
# is shown when it ends, or when the gate is stopped.
#
# A stage that fails does not stop the later ones: one push shows all that is wrong. The exit code
# is that of the worst stage. A stage that takes 45 minutes is stopped, since what it printed would
# be lost with the gate's own limit.
set -u -o pipefail

# A clean clone is built once and thrown away: nothing to be incremental for, and test programs without
# symbols take a sixth of the disk (the tests of the workspace 0.4 instead of 2.4 GB).
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_STRIP=symbols

lanes=("$@")
names=() seconds=() verdicts=()
worst=0
# By the process of a stage that runs; and the stages that have ended.
declare -A stage_of lane_of start_of is_over
declare -A is_busy

outputs=$(mktemp -d)
stop() {
  for process in "${!stage_of[@]}"; do
    kill "$process"
    show "$process" stopped
  done
  rm -rf "$outputs"
}
trap stop EXIT
trap 'exit 143' INT TERM

# Prints what a stage has printed, after its name and how it stands.
show() {
  printf '\n==== %s: %s ====\n' "${stage_of[$1]}" "$2"
  cat "$outputs/${lane_of[$1]}"
}

# Starts the next stage of a lane unless it has to wait.
begin() {
  local lane=$1 stage rest
  read -r stage rest <<<"${lanes[$lane]}"
  local after=${stage#"${stage%%:*}"}
  after=${after#:}
  if [[ -n $stage && (-z $after || -n ${is_over[$after]:-}) ]]; then
    stage=${stage%%:*} lanes[$lane]=$rest
    printf '==== %s begins ====\n' "$stage"
    timeout 45m make --no-print-directory "$stage" >"$outputs/$lane" 2>&1 &
    stage_of[$!]=$stage lane_of[$!]=$lane start_of[$!]=$SECONDS is_busy[$lane]=1
  fi
}

while
  for lane in "${!lanes[@]}"; do [ -n "${is_busy[$lane]:-}" ] || begin "$lane"; done
  [ "${#stage_of[@]}" -gt 0 ]
do
  wait -n -p ended
  code=$?
  stage=${stage_of[$ended]}
  verdict=ok
  if [ "$code" -ne 0 ]; then verdict="failed ($code)" worst=1; fi
  show "$ended" "$verdict"
  names+=("$stage") seconds+=($((SECONDS - start_of[$ended]))) verdicts+=("$verdict") is_over[$stage]=1
  unset "is_busy[${lane_of[$ended]}]" "stage_of[$ended]"
done

printf '\n%-14s %8s  %s\n' stage seconds verdict
for i in "${!names[@]}"; do
  printf '%-14s %8d  %s\n' "${names[$i]}" "${seconds[$i]}" "${verdicts[$i]}"
done
for left in ${lanes[@]}; do
  printf '%-14s %8s  %s\n' "${left%%:*}" - "never ran" && worst=1
done
printf '%-14s %8d\n' total "$SECONDS"
printf '%-14s %8s  on this disk, %s free\n' size "$(du -sh . | cut -f1)" "$(df -h . | awk 'NR == 2 { print $4 }')"
exit "$worst"
