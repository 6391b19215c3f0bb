// SPDX-License-Identifier: Apache-2.0
// C functions over a mesh of Verilated tiles with network interfaces: those of noccl_endpoints_cosim.cpp.
//
// Tiles take what the caller drives when the clock rises, so a period of the clock is run when outputs are asked for: it ends the
// cycle before, and begins the one that the caller has driven. An assertion that breaks is told one cycle late.
// Caller: crates/noccl-cosim/src/endpoints/compare.rs.

#include "Vnoccl_ni_tile_cosim.h"

using Tile = Vnoccl_ni_tile_cosim;

#include "noccl_tiles.h"

namespace {

// A plane's Local ports: held up by the caller, and what enters and leaves. Bit t belongs to tile t.
struct Local {
  Plane& plane;
  uint64_t hold_in = 0, hold_out = 0, enter = 0, leave = 0;
  std::vector<uint32_t> flits;

  explicit Local(Plane& of) : plane(of), flits(of.tiles.size() * of.words) {}

  void drive(size_t tile, CData& in, CData& out) const {
    in = hold_in >> tile & 1;
    out = hold_out >> tile & 1;
  }

  void observe(size_t tile, bool enters, const uint32_t* flit, bool leaves) {
    const uint64_t bit = uint64_t{1} << tile;
    enter = enters ? enter | bit : enter & ~bit;
    leave = leaves ? leave | bit : leave & ~bit;
    if (enters) std::memcpy(&flits[tile * plane.words], flit, plane.words * sizeof(uint32_t));
  }
};

struct Mesh : Tiles {
  bool was_reset = false;
  static constexpr size_t kInBytes = sizeof(Tile::axi_i), kOutBytes = sizeof(Tile::axi_o);
  Local local[3] = {Local(wide), Local(req), Local(rsp)};
  std::vector<uint32_t> axi_in = std::vector<uint32_t>(tiles.size() * kInBytes / sizeof(uint32_t));
  std::vector<uint32_t> axi_out = std::vector<uint32_t>(tiles.size() * kOutBytes / sizeof(uint32_t));

  void settle(bool active) {
    for (size_t t = 0; t < tiles.size(); t++) {
      Tile& tile = *tiles[t];
      std::memcpy(&tile.axi_i[0], &axi_in[t * kInBytes / sizeof(uint32_t)], kInBytes);
      local[0].drive(t, tile.wide_hold_in_i, tile.wide_hold_out_i);
      local[1].drive(t, tile.req_hold_in_i, tile.req_hold_out_i);
      local[2].drive(t, tile.rsp_hold_in_i, tile.rsp_hold_out_i);
    }
    clock();
    // Ports have registers at their inputs, so the clock rises into the cycle that is driven. The hardware leaves reset after it has risen into the
    // first one: its counters begin there.
    reset(active || was_reset);
    was_reset = active;
    observe();
    for (size_t t = 0; t < tiles.size(); t++) {
      Tile& tile = *tiles[t];
      std::memcpy(&axi_out[t * kOutBytes / sizeof(uint32_t)], &tile.axi_o[0], kOutBytes);
      local[0].observe(t, tile.wide_enter_o, &tile.wide_enter_flit_o[0], tile.wide_leave_o);
      local[1].observe(t, tile.req_enter_o, &tile.req_enter_flit_o[0], tile.req_leave_o);
      local[2].observe(t, tile.rsp_enter_o, &tile.rsp_enter_flit_o[0], tile.rsp_leave_o);
    }
  }
};

Mesh& mesh_of(void* model) { return *static_cast<Mesh*>(static_cast<Tiles*>(model)); }

}  // namespace

extern "C" {

void* noccl_new() { return static_cast<Tiles*>(new Mesh); }

void noccl_delete(void* model) { delete &mesh_of(model); }

// The clock rises into the cycle that is driven; then outputs follow.
void noccl_settle(void* model, int is_reset) { mesh_of(model).settle(is_reset != 0); }

// See `noccl_settle`.
void noccl_tick(void*) {}

// Numbers of words, planes and signals: see noccl_endpoints_cosim.cpp.
uint32_t* noccl_words(void* model, int signal) {
  Mesh& mesh = mesh_of(model);
  if (signal == 0) return mesh.axi_in.data();
  if (signal == 1) return mesh.axi_out.data();
  Local& local = mesh.local[signal / 2 - 1];
  return signal % 2 == 0 ? local.flits.data() : local.plane.out.data();
}

// Words of the AXI inputs, of the AXI outputs: of all tiles.
int noccl_num_words(void* model, int signal) {
  Mesh& mesh = mesh_of(model);
  return static_cast<int>(signal == 0 ? mesh.axi_in.size() : mesh.axi_out.size());
}

uint64_t* noccl_tiles(void* model, int plane, int signal) {
  Local& local = mesh_of(model).local[plane];
  switch (signal) {
    case 0: return &local.hold_in;
    case 1: return &local.hold_out;
    case 2: return &local.enter;
    case 3: return &local.leave;
    case 4: return local.plane.crossing;
    default: return nullptr;
  }
}
}
