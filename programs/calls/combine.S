# SPDX-License-Identifier: Apache-2.0
# void mpi_combine(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site): the fold of types.c for MPI's first
# four operators, else mpi_combine_other. In assembler, so that a fold takes the cycles that it took when there was no other.
  .section .text.mpi_combine, "ax"
  .globl mpi_combine
  .type mpi_combine, @function
mpi_combine:
  li    t0, 3
  bltu  t0, a4, 1f
  # mpi_types[type].folds[op]; a type has 24 bytes, folds from byte 16 on.
  slli  t1, a3, 1
  add   t1, t1, a3
  lui   t2, %hi(mpi_types)
  slli  t1, t1, 3
  addi  t2, t2, %lo(mpi_types)
  add   t2, t2, t1
  ld    t2, 16(t2)
  slli  t1, a4, 3
  add   t1, t1, t2
  ld    t1, 0(t1)
  beqz  t1, 1f
  blez  a2, 2f
  jr    t1
2:
  ret
1:
  tail  mpi_combine_other
  .size mpi_combine, . - mpi_combine
