# SPDX-License-Identifier: Apache-2.0
# nm_take_in for the queues in t0, which leaves all registers of integers as they are but ra: those who wait call it seldom, and keep
# nothing in memory for its sake. What it calls has no floating point.

  .text
  .globl nm_take_in_meanwhile
nm_take_in_meanwhile:
  addi sp, sp, -128
  sd ra, 0(sp)
  sd a0, 8(sp)
  sd a1, 16(sp)
  sd a2, 24(sp)
  sd a3, 32(sp)
  sd a4, 40(sp)
  sd a5, 48(sp)
  sd a6, 56(sp)
  sd a7, 64(sp)
  sd t1, 72(sp)
  sd t2, 80(sp)
  sd t3, 88(sp)
  sd t4, 96(sp)
  sd t5, 104(sp)
  sd t6, 112(sp)
  mv a0, t0
  call nm_take_in
  ld ra, 0(sp)
  ld a0, 8(sp)
  ld a1, 16(sp)
  ld a2, 24(sp)
  ld a3, 32(sp)
  ld a4, 40(sp)
  ld a5, 48(sp)
  ld a6, 56(sp)
  ld a7, 64(sp)
  ld t1, 72(sp)
  ld t2, 80(sp)
  ld t3, 88(sp)
  ld t4, 96(sp)
  ld t5, 104(sp)
  ld t6, 112(sp)
  addi sp, sp, 128
  ret
