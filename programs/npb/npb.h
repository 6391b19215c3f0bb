// SPDX-License-Identifier: Apache-2.0
// What the NAS parallel benchmarks share: the class, random numbers, time, and what rank 0 prints.
//
// One source for simulated tiles (`noccl build`) and native MPI (`mpicc -ffp-contract=off ... -lm`). The kernels are written
// from the published definitions: NAS report RNR-94-007 and the NPB 3.3 problem sizes and reference values.
#ifndef NPB_H
#define NPB_H

#include <mpi.h>
#include <stdint.h>

// S, W, A; X: the sizes stand in further macros of the kernel, and nothing is known to compare with.
#ifndef NPB_CLASS
#define NPB_CLASS 'S'
#endif

// The unit of `npb_now`, as printed.
#ifdef __riscv
#include <noccl.h>
#define NPB_UNIT "cycles"
static inline uint64_t npb_now(void) { return noccl_cycle(); }
#else
#define NPB_UNIT "ns"
static inline uint64_t npb_now(void) { return (uint64_t)(MPI_Wtime() * 1e9); }
#endif

// Random numbers: state' = NPB_A state mod 2^46, and the number is state' / 2^46.
#define NPB_SEED 314159265u
#define NPB_A 1220703125u
#define NPB_MODULUS_MASK ((UINT64_C(1) << 46) - 1)

// A power of two divides 2^64, so products that wrap are exact in their lower 46 bits.
static inline uint64_t npb_multiply(uint64_t a, uint64_t b) { return a * b & NPB_MODULUS_MASK; }

// The next number, between 0 and 1, exact.
static inline double npb_random(uint64_t *state) {
  *state = npb_multiply(*state, NPB_A);
  return (double)(int64_t)*state * 0x1p-46;
}

// a^exponent mod 2^46.
uint64_t npb_power(uint64_t a, uint64_t exponent);
// The state after so many numbers, in as many steps as the count has bits.
uint64_t npb_jump(uint64_t state, uint64_t numbers);
void npb_randoms(uint64_t *state, double *values, long count);

extern int npb_rank, npb_ranks;

// MPI_Init, and the two numbers above.
void npb_init(void);
// For a number of ranks that the kernel cannot take: rank 0 prints what it needs, MPI ends; the exit code.
int npb_refuse(const char *kernel, const char *needs);
int npb_is_power_of_two(int number);
// `needs` of kernels that take every power of two.
#define NPB_POWER_OF_TWO "a power of two"

// Prints the first line.
void npb_begin(const char *kernel);
// Of all ranks: the longest time. Prints it. A Reduce of 8 bytes, as in NPB.
void npb_elapsed(uint64_t begin, uint64_t end);
// Prints a time that is known to be the longest.
void npb_elapsed_longest(double longest);
// The following are for all ranks to call; rank 0 prints and judges.
// The relative error is at most the tolerance.
void npb_quantity(const char *name, double computed, double reference, double tolerance);
// The numbers are equal.
void npb_count(const char *name, long computed, long reference);
// Of a class without a reference.
void npb_value(const char *name, double computed);
void npb_number(const char *name, long computed);
// Prints the verdict, ends MPI; the exit code: 1 on rank 0 if anything was wrong.
int npb_end(void);

#endif
