// SPDX-License-Identifier: Apache-2.0
// C functions over a mesh of Verilated tiles: those of noccl_mesh_cosim.cpp.
// Caller: crates/noccl-cosim/src/lockstep/model.rs.

#include "Vnoccl_tile_cosim.h"

using Tile = Vnoccl_tile_cosim;

#include "noccl_tiles.h"

namespace {

// The Local ports of a plane, as the caller drives and sees them.
struct Local {
  Plane& plane;
  std::vector<uint32_t> in;
  uint64_t in_valid = 0, in_ready = 0, out_ready = 0;

  explicit Local(Plane& of) : plane(of), in(of.tiles.size() * of.words) {}

  void drive() {
    for (size_t t = 0; t < plane.tiles.size(); t++) {
      const Ports& ports = plane.tiles[t];
      *ports.in_valid = (in_valid >> t & 1) << kLocal;
      *ports.out_ready = (out_ready >> t & 1) << kLocal;
      const size_t words = plane.words;
      if (in_valid >> t & 1) std::memcpy(ports.in_flits + kLocal * words, &in[t * words], words * sizeof(uint32_t));
    }
  }

  void observe() {
    in_ready = 0;
    for (size_t t = 0; t < plane.tiles.size(); t++) in_ready |= uint64_t{plane.has_space(t, kLocal)} << t;
  }
};

// Credits of the merge points: offered, and the flits.
struct Credits {
  uint64_t valid = 0;
  std::vector<uint32_t> flits;
};

struct Mesh : Tiles {
  Local local[3] = {Local(wide), Local(req), Local(rsp)};
  Credits returned, own;
  uint64_t credit_return_ready = 0;

  Mesh() {
    for (Credits* credits : {&returned, &own}) credits->flits.resize(tiles.size() * rsp.words);
  }

  void tick() {
    for (Local& plane : local) plane.drive();
    for (size_t t = 0; t < tiles.size(); t++) tiles[t]->credit_return_ready_i = credit_return_ready >> t & 1;
    clock();
  }

  void settle(bool active) {
    reset(active);
    observe();
    for (Local& plane : local) plane.observe();
    returned.valid = own.valid = 0;
    for (size_t t = 0; t < tiles.size(); t++) {
      if (tiles[t]->credit_return_valid_o) keep(returned, t, &tiles[t]->credit_return_flit_o[0]);
      if (tiles[t]->own_valid_o) keep(own, t, &tiles[t]->own_flit_o[0]);
    }
  }

  void keep(Credits& credits, size_t tile, const uint32_t* flit) {
    credits.valid |= uint64_t{1} << tile;
    std::memcpy(&credits.flits[tile * rsp.words], flit, rsp.words * sizeof(uint32_t));
  }
};

Mesh& mesh_of(void* model) { return *static_cast<Mesh*>(static_cast<Tiles*>(model)); }

}  // namespace

extern "C" {

void* noccl_new() { return static_cast<Tiles*>(new Mesh); }

void noccl_delete(void* model) { delete &mesh_of(model); }

// Outputs follow registers; none follows an input.
void noccl_settle(void* model, int is_reset) { mesh_of(model).settle(is_reset != 0); }

// The clock rises: registers take their next values.
void noccl_tick(void* model) { mesh_of(model).tick(); }

// Numbers of planes and signals: see noccl_mesh_cosim.cpp.
uint32_t* noccl_flits(void* model, int plane, int signal) {
  Mesh& mesh = mesh_of(model);
  if (plane == 3) return (signal == 0 ? mesh.returned : mesh.own).flits.data();
  return signal == 0 ? mesh.local[plane].in.data() : mesh.local[plane].plane.out.data();
}

uint64_t* noccl_tiles(void* model, int plane, int signal) {
  Mesh& mesh = mesh_of(model);
  if (plane == 3) return signal == 0 ? &mesh.returned.valid : signal == 1 ? &mesh.credit_return_ready : &mesh.own.valid;
  Local& local = mesh.local[plane];
  switch (signal) {
    case 0: return &local.in_valid;
    case 1: return &local.in_ready;
    case 2: return &local.out_ready;
    case 3: return local.plane.crossing;
    default: return nullptr;
  }
}
}
