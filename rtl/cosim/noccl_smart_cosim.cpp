// SPDX-License-Identifier: Apache-2.0
// C functions over a mesh of Verilated tiles of routers with bypass.
//
// Paths, and what routers tell each other of them, cross all tiles of a line within a cycle. So tiles are evaluated until the wires between them
// stand still: those again whose inputs have changed. Wires of a cycle along a line depend on
// routers before them, or on those behind them, alone, so this ends.
// Caller: crates/noccl-cosim/src/messages.

#include "Vnoccl_smart_cosim.h"

#include <cstring>
#include <vector>

using Tile = Vnoccl_smart_cosim;

#include "noccl_placed_tiles.h"

namespace {

constexpr int kClasses = 3;
constexpr int kFlitWords = sizeof(Tile::out_flit_o) / sizeof(uint32_t);

struct Mesh : PlacedTiles {
  // Tiles whose inputs have changed, and those that have been put in the list.
  std::vector<int> changed;
  std::vector<bool> is_changed;
  // What the caller drives and sees: sets of tiles, and flits.
  uint64_t in_valid[kClasses] = {}, in_ready[kClasses] = {}, out_ready = 0, out_valid = 0, crossing[kLinks] = {};
  std::vector<uint32_t> in_flits[kClasses], out_flits, crossing_flits[kLinks];

  Mesh() {
    const size_t all = tiles.size();
    is_changed.resize(all);
    for (auto& flits : in_flits) flits.resize(all * kFlitWords);
    out_flits.resize(all * kFlitWords);
    for (auto& flits : crossing_flits) flits.resize(all);
  }

  void change(int tile) {
    if (!is_changed[tile]) changed.push_back(tile);
    is_changed[tile] = true;
  }

  template <typename Wire>
  static bool copy(Wire& to, const Wire& from) {
    if (std::memcmp(&to, &from, sizeof(Wire)) == 0) return false;
    to = from;
    return true;
  }

  // A tile's neighbours see what it shows.
  void show(int tile) {
    Tile& from = *tiles[tile];
    for (int out = 0; out < kLinks; out++) {
      const int next = neighbours[tile][out], in = facing(out);
      if (next < 0) continue;
      Tile& to = *tiles[next];
      bool has_changed = copy(to.requests_i[in], from.requests_o[out]);
      has_changed |= copy(to.crossing_i[in], from.crossing_o[out]);
      has_changed |= copy(to.data_i[in], from.data_o[out]);
      has_changed |= copy(to.beyond_i[in], from.beyond_o[out]);
      has_changed |= copy(to.open_i[in], from.open_o[out]);
      if (has_changed) change(next);
    }
  }

  void settle(bool active) {
    for (size_t t = 0; t < tiles.size(); t++) {
      Tile& tile = *tiles[t];
      tile.rst_ni = !active;
      tile.clk_i = 0;
      tile.in_valid_i = 0;
      for (int kind = 0; kind < kClasses; kind++) {
        tile.in_valid_i |= (in_valid[kind] >> t & 1) << kind;
        std::memcpy(&tile.in_flit_i[kind], &in_flits[kind][t * kFlitWords], kFlitWords * sizeof(uint32_t));
      }
      tile.out_ready_i = out_ready >> t & 1;
      change(t);
    }
    while (!changed.empty()) {
      std::vector<int> now;
      now.swap(changed);
      for (int tile : now) {
        is_changed[tile] = false;
        tiles[tile]->eval();
      }
      for (int tile : now) show(tile);
    }
    passed();
    observe();
  }

  void observe() {
    std::memset(in_ready, 0, sizeof in_ready);
    std::memset(crossing, 0, sizeof crossing);
    out_valid = 0;
    for (size_t t = 0; t < tiles.size(); t++) {
      Tile& tile = *tiles[t];
      for (int kind = 0; kind < kClasses; kind++) in_ready[kind] |= uint64_t{tile.in_ready_o >> kind & 1} << t;
      out_valid |= uint64_t{tile.out_valid_o} << t;
      std::memcpy(&out_flits[t * kFlitWords], &tile.out_flit_o, kFlitWords * sizeof(uint32_t));
      for (int out = 0; out < kLinks; out++) {
        crossing[out] |= uint64_t{tile.seen_o[out] >> 31} << t;
        crossing_flits[out][t] = tile.seen_o[out] & 0xffffff;
      }
    }
  }

  void tick() {
    for (auto& tile : tiles) {
      tile->clk_i = 1;
      tile->eval();
    }
    for (size_t t = 0; t < tiles.size(); t++) show(t);
    passed();
  }
};

Mesh& mesh_of(void* model) { return *static_cast<Mesh*>(model); }

}  // namespace

extern "C" {

void* noccl_new() { return new Mesh; }

void noccl_delete(void* model) { delete &mesh_of(model); }

// Outputs follow registers and inputs.
void noccl_settle(void* model, int is_reset) { mesh_of(model).settle(is_reset != 0); }

// The clock rises: registers take their next values.
void noccl_tick(void* model) { mesh_of(model).tick(); }

// Words of flits: 0 to 2 those offered, by message class; 3 those that tiles get; 4 to 7 those on the links behind N, E, S, W.
uint32_t* noccl_smart_flits(void* model, int signal) {
  Mesh& mesh = mesh_of(model);
  if (signal < 3) return mesh.in_flits[signal].data();
  return signal == 3 ? mesh.out_flits.data() : mesh.crossing_flits[signal - 4].data();
}

// Sets of tiles: 0 to 2 those that are offered a flit, by message class; 3 to 5 those whose flit is taken; 6 those that take flits;
// 7 those that get one; 8 to 11 those with a flit on the link behind N, E, S, W.
uint64_t* noccl_smart_tiles(void* model, int signal) {
  Mesh& mesh = mesh_of(model);
  if (signal < 3) return &mesh.in_valid[signal];
  if (signal < 6) return &mesh.in_ready[signal - 3];
  if (signal == 6) return &mesh.out_ready;
  return signal == 7 ? &mesh.out_valid : &mesh.crossing[signal - 8];
}
}
