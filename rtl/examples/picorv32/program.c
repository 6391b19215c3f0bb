// SPDX-License-Identifier: Apache-2.0
// Every tile writes a number into tile 0's memory; after a barrier tile 0 adds them and sends the sum to all by one multicast.
#include <stdint.h>

#define REGISTER(n) (*(volatile uint32_t *)(0x10000000u + 4 * (n)))
// What a store into the network is: AWUSER's mask, and its opcode and tag. A store waits for its response.
#define MASK REGISTER(0)
#define KIND REGISTER(1)
#define TILE REGISTER(2)
// A write ends the program: 1 is success.
#define RESULT REGISTER(3)

enum { UNICAST = 0, MULTICAST = 1, JOIN = 2 };

#define NUM_TILES 4u
#ifndef TILE_BYTES
#define TILE_BYTES 0x40000u
#endif
#define ALL_TILES (TILE_BYTES * (NUM_TILES - 1))
// In every tile: numbers of all, the sum, the word that a barrier writes at its root.
#define NUMBERS 0x8000u
#define SUM 0x8100u
#define BARRIER 0x8108u

static volatile uint32_t *at(uint32_t tile, uint32_t offset) {
  return (volatile uint32_t *)(0x20000000u + tile * TILE_BYTES + offset);
}

// Nobody goes on before all are here; barriers that may be open at a time differ in their tag.
static void barrier(uint32_t tag) {
#ifndef WITHOUT_BARRIERS
  MASK = ALL_TILES;
  KIND = JOIN | tag << 8;
  *at(0, BARRIER) = 1;
  MASK = 0;
  KIND = UNICAST;
#else
  (void)tag;
#endif
}

static void multicast(uint32_t offset, uint32_t value) {
  MASK = ALL_TILES;
  KIND = MULTICAST;
  *at(0, offset) = value;
  MASK = 0;
  KIND = UNICAST;
}

__attribute__((section(".text.first"))) void _start(void) {
  uint32_t tile = TILE;
  // Later tiles write later.
  for (uint32_t wait = 0; wait < tile << 6; wait++) __asm__ volatile("nop");
  *at(0, NUMBERS + 8 * tile) = 1000 + tile;
  barrier(1);
  if (tile == 0) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < NUM_TILES; i++) sum += *(volatile uint32_t *)(NUMBERS + 8 * i);
    multicast(SUM, sum);
  }
  barrier(2);
  // The local copy, and that of the next tile, read through the network.
  uint32_t local = *(volatile uint32_t *)SUM, next = *at((tile + 1) % NUM_TILES, SUM);
  RESULT = local == 4006 && next == 4006 ? 1 : 2;
  for (;;) {}
}
