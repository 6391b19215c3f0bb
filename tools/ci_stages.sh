#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs make targets and prints how long each took, and the processor time of all its processes.
#
# Each argument is a lane: stages that run one after the other, beside the other lanes, since many
# keep one core busy only. `stage:other` waits for a stage of another lane too. What a stage prints
# is shown when it ends, or when the gate is stopped.
#
# A stage that fails does not stop the later ones: one push shows all that is wrong. The exit code
# is that of the worst stage. What still runs after 85 minutes is stopped, since what it printed would
# be lost with the gate's own limit, 90.
set -u -o pipefail

readonly LIMIT=5100
# Processor seconds of each stage when it was last stored: a stage that grew since fails. Empty: not compared.
readonly STORED=${STAGE_TIMES:-}
# A stage that runs this script itself compares nothing.
unset STAGE_TIMES
readonly TOOLS=$(dirname "$(readlink -f "$0")")
lanes=("$@")
names=() seconds=() work=() verdicts=()
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

# Runs a stage of a lane, and writes down its processor time. Lanes share the cores, so that the time that a stage
# takes tells little of what it costs.
run() {
  timeout $((LIMIT - SECONDS))s make --no-print-directory "$1" >"$outputs/$2" 2>&1 &
  trap "kill $!" TERM
  wait "$!"
  local code=$?
  # Its second line is that of the processes that were waited for. In a pipeline it would tell of another shell.
  times >"$outputs/$2.times"
  return "$code"
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
    run "$stage" "$lane" &
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
  work+=("$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$outputs/${lane_of[$ended]}.times")")
  unset "is_busy[${lane_of[$ended]}]" "stage_of[$ended]"
done

printf '\n%-14s %8s %10s  %s\n' stage seconds processor verdict
for i in "${!names[@]}"; do
  printf '%-14s %8d %10s  %s\n' "${names[$i]}" "${seconds[$i]}" "${work[$i]}" "${verdicts[$i]}"
done
for left in ${lanes[@]}; do
  printf '%-14s %8s %10s  %s\n' "${left%%:*}" - - "never ran" && worst=1
done
total=0
for i in "${!names[@]}"; do total=$((total + work[i])); done
printf '%-14s %8d %10d\n' total "$SECONDS" "$total"
printf '%-14s %8s  on this disk, %s free\n' size "$(du -sh . | cut -f1)" "$(df -h . | awk 'NR == 2 { print $4 }')"
if [ -n "$STORED" ]; then
  rows() { for i in "${!names[@]}"; do printf '%s %s\n' "${names[$i]}" "${work[$i]}"; done; }
  rows >out/stage_times.txt
  if [ -f "$STORED" ]; then
    printf '\nstages that take more processor seconds than %s allows:\n' "$STORED"
    if rows | python3 "$TOOLS/stage_budget.py" "$STORED"; then echo none; else worst=1; fi
  else
    printf '\nprocessor seconds are not compared: no %s; store it with make stage-times\n' "$STORED"
  fi
fi
exit "$worst"
