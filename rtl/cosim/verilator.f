// SPDX-License-Identifier: Apache-2.0
// What Verilator is told for every library in lock-step, of tests and of `noccl run --backend rtl` (-f).
// Warnings do not end a build here, `make lint-rtl` is where they count; parameters that break a rule of a module do.
-cc --exe --build
-Wno-fatal -Werror-USERERROR -O3 --no-timing
--x-assign fast --x-initial fast
// What nobody reads is not computed: lanes of arithmetic are idle most of the time.
+define+NOCCL_SKIP_IDLE
// A file per part of a module: what has not changed comes from a compiler cache.
--output-groups 0
-CFLAGS "-fPIC -DVL_USER_STOP -DVL_USER_FINISH -DVL_USER_FATAL -fno-gnu-unique"
-LDFLAGS "-shared -Wl,-Bsymbolic"
// What the package of the simulator forgot to tell g++; its Python.
-MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include -MAKEFLAGS CFG_CXXFLAGS_STD=-std=gnu++20 -MAKEFLAGS PYTHON3=python3
// Generated code for speed, its rarely executed part and the simulator's library for build time.
-MAKEFLAGS OPT_FAST=-O1 -MAKEFLAGS OPT_SLOW=-O0 -MAKEFLAGS OPT_GLOBAL=-O1
