#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Processor seconds of each compiler call, as lines `crate,kind,user,system` of the file $RUSTC_CPU:
#
#   RUSTC_WRAPPER=$PWD/tools/rustc_cpu.sh RUSTC_CPU=/tmp/rustc.csv make demo
set -u
crate=- kind=lib next=
for argument in "$@"; do
  case $next in
    --crate-name) crate=$argument ;;
    --crate-type) [ "$kind" = test ] || kind=$argument ;;
  esac
  next=$argument
  [ "$argument" != --test ] || kind=test
done
TIMEFORMAT="$crate,$kind,%U,%S"
{ time "$@" 2>&3; } 3>&2 2>>"${RUSTC_CPU:?names the file of the rows}"
