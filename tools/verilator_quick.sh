#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilator for libraries that run for seconds (NOCCL_VERILATOR names this script): the generated code is one file of C++,
# optimised little. Against -O0 the libraries of `make cosim-quick` take a tenth more processor time to build, and its tests
# 58 instead of 269 CPU s (29 November 2026).
#
# Several files are compiled at the same time, and those that did not change come from a compiler cache, but they share
# a precompiled header that costs ten seconds. The merge gate has an empty cache and keeps all cores busy.
set -eu
tools=("$(dirname "$0")"/../.venv-rtl/lib/python3*/site-packages/verilator/bin/verilator)
options=(--output-groups 1 -MAKEFLAGS VM_PARALLEL_BUILDS=0 -MAKEFLAGS OPT_FAST=-O1)
[ "$*" != --version ] || options=()
exec "${tools[0]}" "$@" "${options[@]}"
