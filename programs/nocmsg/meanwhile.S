# SPDX-License-Identifier: Apache-2.0
# nm_wait with its arguments in t0 to t2, which leaves all other registers of integers as they are but ra: writers and readers wait seldom,
# and save no registers for its sake. What it calls has no floating point.

  .text
  .globl nm_wait_meanwhile
nm_wait_meanwhile:
  addi sp, sp, -112
  sd ra, 0(sp)
  sd a0, 8(sp)
  sd a1, 16(sp)
  sd a2, 24(sp)
  sd a3, 32(sp)
  sd a4, 40(sp)
  sd a5, 48(sp)
  sd a6, 56(sp)
  sd a7, 64(sp)
  sd t3, 72(sp)
  sd t4, 80(sp)
  sd t5, 88(sp)
  sd t6, 96(sp)
  mv a0, t0
  mv a1, t1
  mv a2, t2
  call nm_wait
  ld ra, 0(sp)
  ld a0, 8(sp)
  ld a1, 16(sp)
  ld a2, 24(sp)
  ld a3, 32(sp)
  ld a4, 40(sp)
  ld a5, 48(sp)
  ld a6, 56(sp)
  ld a7, 64(sp)
  ld t3, 72(sp)
  ld t4, 80(sp)
  ld t5, 88(sp)
  ld t6, 96(sp)
  addi sp, sp, 112
  ret
