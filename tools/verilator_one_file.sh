#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilator that leaves all of a library's generated code in one C++ file (NOCCL_VERILATOR names this script).
#
# Several files are compiled beside each other, and those that did not change come from a compiler cache, but they share
# a precompiled header that costs ten seconds. Where all cores are busy and the cache is empty, one file takes two thirds
# of the processor time.
set -eu
tools=("$(dirname "$0")"/../.venv-rtl/lib/python3*/site-packages/verilator/bin/verilator)
one_file=(--output-groups 1 -MAKEFLAGS VM_PARALLEL_BUILDS=0)
[ "$*" != --version ] || one_file=()
exec "${tools[0]}" "$@" "${one_file[@]}"
