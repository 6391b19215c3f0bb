#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilator for libraries that run for seconds (NOCCL_VERILATOR names this script): the generated code is one file of C++ and
# is not optimised, which takes half the processor time to build.
#
# Several files are compiled at the same time, and those that did not change come from a compiler cache, but they share
# a precompiled header that costs ten seconds. The merge gate has an empty cache and keeps all cores busy.
set -eu
tools=("$(dirname "$0")"/../.venv-rtl/lib/python3*/site-packages/verilator/bin/verilator)
options=(--output-groups 1 -MAKEFLAGS VM_PARALLEL_BUILDS=0 -MAKEFLAGS OPT_FAST=-O0)
[ "$*" != --version ] || options=()
exec "${tools[0]}" "$@" "${options[@]}"
