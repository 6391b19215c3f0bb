// SPDX-License-Identifier: Apache-2.0
// What a program knows of the machine around its core, and words to and from the network.
#ifndef NOCCL_H
#define NOCCL_H

#include <stdint.h>

#include "noccl_ports.h"

// Two words, the lower half first.
static inline uint64_t noccl_load64(uint64_t port) { return *(volatile uint64_t *)port; }
static inline void noccl_store64(uint64_t port, uint64_t words) { *(volatile uint64_t *)port = words; }
// One word.
static inline uint32_t noccl_load(uint64_t port) { return *(volatile uint32_t *)port; }
static inline void noccl_store(uint64_t port, uint32_t word) { *(volatile uint32_t *)port = word; }

static inline uint64_t noccl_cycle(void) { return noccl_load64(NOCCL_PORT_CYCLE); }
static inline int noccl_rank(void) { return (int)noccl_load(NOCCL_PORT_RANK); }
static inline int noccl_ranks(void) { return (int)noccl_load(NOCCL_PORT_RANKS); }
static inline int noccl_column(void) { return (int)noccl_load(NOCCL_PORT_COLUMN); }
static inline int noccl_row(void) { return (int)noccl_load(NOCCL_PORT_ROW); }
static inline int noccl_columns(void) { return (int)noccl_load(NOCCL_PORT_COLUMNS); }
static inline int noccl_rows(void) { return (int)noccl_load(NOCCL_PORT_ROWS); }

#endif
