// SPDX-License-Identifier: Apache-2.0
// What all parts of the program share: numbers that every rank draws alike, bytes that depend on what they are for, faults.
#ifndef STRESS_DRAW_H
#define STRESS_DRAW_H

#include <stddef.h>
#include <stdint.h>

#define MOST_RANKS 64
// Longest message, and longest block of a collective.
#define MOST_BYTES 8192
#define MOST_BLOCK_BYTES 128

extern int rank, ranks, step;

// A number below `limit`: the same on every rank, if every rank draws as often.
uint64_t draw(uint64_t limit);
// 0, 1 to 8, and so on in octaves: short and long ones equally likely, below `most`.
size_t draw_bytes(size_t most);
// Lets a random time pass, another one on every rank, or none.
void delay(void);

// Byte `at` of what a rank gives to another one, or to all, under a number.
unsigned char byte_of(int from, int to, int number, size_t at);
void fill(void *data, size_t bytes, int from, int to, int number);
// Tells a fault if the bytes are others.
void compare(const void *data, size_t bytes, int from, int to, int number, const char *what);
void fault(const char *what, int other, long found, long expected);
// Around what nobody may leave before all have entered.
void enter(void);
void leave(void);

void messages_of_library(void);
void messages_of_mpi(void);
// Receives all that MPI messages of earlier steps have left.
void receive_late(void);
void ring(void);
void any_tag(void);
void collective_of_library(void);
void broadcasts(void);
void collective_of_mpi(void);

#endif
