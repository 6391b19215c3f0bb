// SPDX-License-Identifier: Apache-2.0
// A mesh of Verilated tiles: the models of all tiles, and the links between them, which are wires.
//
// A link's signals come from registers at both ends, so they are copied once per cycle, before the clock rises; the tiles may then
// be evaluated in any order.
// The including file calls the Verilated module `Tile` and gives it names and functions for the caller.

#include <cstdint>
#include <cstring>
#include <vector>

#include "noccl_placed_tiles.h"

namespace {

constexpr int kNumPorts = kLinks + 1;
constexpr int kLocal = 4;

// Signals of a tile's router on one plane; per port a bit or a flit, those of links first.
struct Ports {
  CData* in_valid;
  const CData* in_ready;
  uint32_t* in_flits;
  const CData* out_valid;
  CData* out_ready;
  const uint32_t* out_flits;
};

// A plane: the ports of all tiles, and what the caller sees of them. Bit t of a set belongs to tile t.
struct Plane {
  size_t words;
  std::vector<Ports> tiles;
  // Flits at all outputs.
  std::vector<uint32_t> out;
  // Per output N, E, S, W: tiles whose flit crosses the link; Local: tiles that are offered a flit.
  uint64_t crossing[kNumPorts] = {};

  explicit Plane(size_t flit_words) : words(flit_words) {}

  void add(const Ports& ports) {
    tiles.push_back(ports);
    out.resize(tiles.size() * kNumPorts * words);
  }

  uint32_t* out_flit(size_t tile, int port) { return &out[(tile * kNumPorts + port) * words]; }

  bool has_space(size_t tile, int port) const { return *tiles[tile].in_ready >> port & 1; }

  // After the clock has risen.
  void observe(const std::vector<std::vector<int>>& neighbours) {
    std::memset(crossing, 0, sizeof crossing);
    for (size_t t = 0; t < tiles.size(); t++) {
      for (unsigned valid = *tiles[t].out_valid; valid != 0; valid &= valid - 1) {
        const int port = __builtin_ctz(valid);
        std::memcpy(out_flit(t, port), tiles[t].out_flits + port * words, words * sizeof(uint32_t));
        const int next = port == kLocal ? -1 : neighbours[t][port];
        const bool crosses = port == kLocal || (next >= 0 && has_space(next, facing(port)));
        crossing[port] |= uint64_t{crosses} << t;
      }
    }
  }

  // Before the clock rises: inputs of links are the neighbours' outputs.
  void connect(const std::vector<std::vector<int>>& neighbours) {
    constexpr unsigned kLocalBit = 1U << kLocal;
    for (size_t t = 0; t < tiles.size(); t++) {
      unsigned valid = *tiles[t].in_valid & kLocalBit, ready = *tiles[t].out_ready & kLocalBit;
      for (int port = 0; port < kLocal; port++) {
        const int next = neighbours[t][port];
        if (next < 0) continue;
        ready |= unsigned{has_space(next, facing(port))} << port;
        if (*tiles[next].out_valid >> facing(port) & 1) {
          valid |= 1U << port;
          std::memcpy(tiles[t].in_flits + port * words, out_flit(next, facing(port)), words * sizeof(uint32_t));
        }
      }
      *tiles[t].in_valid = valid;
      *tiles[t].out_ready = ready;
    }
  }
};

// The mesh.
struct Tiles : PlacedTiles {
  Plane wide{sizeof(Tile::wide_in_flit_i[0]) / sizeof(uint32_t)};
  Plane req{sizeof(Tile::req_in_flit_i[0]) / sizeof(uint32_t)};
  Plane rsp{sizeof(Tile::rsp_in_flit_i[0]) / sizeof(uint32_t)};
  bool is_reset = false;

  Tiles() {
    for (auto& tile : tiles) join(*tile);
  }

  void join(Tile& t) {
    for (int edge = 0; edge < 2; edge++) {
      t.place_i = edge;
      t.eval();
    }
    wide.add({&t.wide_in_valid_i, &t.wide_in_ready_o, &t.wide_in_flit_i[0][0], &t.wide_out_valid_o, &t.wide_out_ready_i,
              &t.wide_out_flit_o[0][0]});
    req.add({&t.req_in_valid_i, &t.req_in_ready_o, &t.req_in_flit_i[0][0], &t.req_out_valid_o, &t.req_out_ready_i,
             &t.req_out_flit_o[0][0]});
    rsp.add({&t.rsp_in_valid_i, &t.rsp_in_ready_o, &t.rsp_in_flit_i[0][0], &t.rsp_out_valid_o, &t.rsp_out_ready_i,
             &t.rsp_out_flit_o[0][0]});
  }

  // A whole period of the clock, which rises once.
  void clock() {
    for (Plane* plane : {&wide, &req, &rsp}) plane->connect(neighbours);
    for (int level = 0; level < 2; level++) {
      for (auto& tile : tiles) {
        tile->clk_i = level;
        tile->eval();
      }
      passed();
    }
  }

  void reset(bool active) {
    if (active == is_reset) return;
    is_reset = active;
    for (auto& tile : tiles) {
      tile->rst_ni = !active;
      tile->eval();
    }
  }

  void observe() {
    for (Plane* plane : {&wide, &req, &rsp}) plane->observe(neighbours);
  }
};

}  // namespace
