// SPDX-License-Identifier: Apache-2.0
// What Verilator is told besides for meshes of tiles: the code of one tile is short, so more care costs little time.
-MAKEFLAGS OPT_FAST=-O2
// But for values that are computed on several paths: looking for them in functions of ten thousand lines takes minutes, not seconds.
-CFLAGS "-fno-tree-pre -fno-code-hoisting"
