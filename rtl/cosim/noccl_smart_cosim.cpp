// SPDX-License-Identifier: Apache-2.0
// C functions over a Verilated mesh of routers with bypass.
// Caller: crates/noccl-cosim/src/messages.

#include "Vnoccl_smart_cosim.h"

using Top = Vnoccl_smart_cosim;

#include "noccl_cosim.h"

namespace {

template <typename Array>
uint32_t* words(Array& flits) {
  return &flits[0][0];
}

}  // namespace

extern "C" {

// Words of flits: 0 to 2 those offered, by message class; 3 those that tiles get; 4 to 7 those on the links behind N, E, S, W.
uint32_t* noccl_smart_flits(void* model, int signal) {
  auto& top = top_of(model);
  const size_t tiles = sizeof(top.crossing_flit_o) / sizeof(top.crossing_flit_o[0]) / 4;
  if (signal < 3) return words(top.in_flit_i) + signal * tiles * (sizeof(top.in_flit_i[0]) / sizeof(uint32_t));
  if (signal == 3) return words(top.out_flit_o);
  return &top.crossing_flit_o[0] + (signal - 4) * tiles;
}

// Sets of tiles: 0 to 2 those that are offered a flit, by message class; 3 to 5 those whose flit is taken; 6 those that take flits;
// 7 those that get one; 8 to 11 those with a flit on the link behind N, E, S, W.
uint64_t* noccl_smart_tiles(void* model, int signal) {
  auto& top = top_of(model);
  if (signal < 3) return &top.in_valid_i[signal];
  if (signal < 6) return &top.in_ready_o[signal - 3];
  if (signal == 6) return &top.out_ready_i;
  if (signal == 7) return &top.out_valid_o;
  return &top.crossing_o[signal - 8];
}
}
