# SPDX-License-Identifier: Apache-2.0
# The first instructions of a program. The loader has filled the memory, also with zeros; sp is the end of what is free of it, a1 the
# number of arguments of main, a2 their list.
  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  mv    s0, a1
  mv    s1, a2
  mv    a0, sp
  call  __noccl_heap
  mv    a0, s0
  mv    a1, s1
  li    ra, 0
  li    s0, 0
  lui   tp, %hi(__thread_start)
  addi  tp, tp, %lo(__thread_start)
  # As many cycles as this took before main had arguments: published cycle counts of programs hold.
  nop
  nop
  call  __noccl_main
  # The end in place: NOCCL_PORT_END of noccl_ports.h, whose form the assembler does not read.
  sext.w a5, a0
  lui   a4, 0xf000
  sw    a5, 0x90(a4)
  ebreak
  .size _start, . - _start
