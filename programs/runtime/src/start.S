# SPDX-License-Identifier: Apache-2.0
# The first instructions of a program. The loader has filled the memory, also with zeros, and sp is its end.
  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  li    ra, 0
  li    s0, 0
  mv    a0, sp
  call  __noccl_start
  ebreak
  .size _start, . - _start
