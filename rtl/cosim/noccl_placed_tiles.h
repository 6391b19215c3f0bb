// SPDX-License-Identifier: Apache-2.0
// Tiles of a mesh, Verilated one by one: where they stand, their neighbours, their waves.
//
// Tile x * height + y stands at (x, y), as in `noccl_mesh`. The including file calls the Verilated module `Tile`; the models that
// it gives its caller begin with these.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "noccl_broken.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace {

constexpr int kLinks = 4;
constexpr int facing(int port) { return (port + 2) % kLinks; }

struct PlacedTiles {
  VerilatedContext context;
  std::vector<std::unique_ptr<Tile>> tiles;
  // Per tile: its neighbours N, E, S, W; -1 at the edge.
  std::vector<std::vector<int>> neighbours;
#if VM_TRACE_FST
  VerilatedFstC waves;
  ~PlacedTiles() { waves.close(); }
#endif

  PlacedTiles() {
#if VM_TRACE_FST
    context.traceEverOn(true);
#endif
    add(0, 0);
    const int width = tiles[0]->width_o, height = tiles[0]->height_o;
    for (int t = 1; t < width * height; t++) add(t / height, t % height);
    for (int t = 0; t < width * height; t++) {
      const int x = t / height, y = t % height;
      neighbours.push_back({y + 1 < height ? t + 1 : -1, x + 1 < width ? t + height : -1,
                            y > 0 ? t - 1 : -1, x > 0 ? t - height : -1});
    }
  }

  void add(int x, int y) {
    const std::string name = "tile_" + std::to_string(x) + "_" + std::to_string(y);
    tiles.push_back(std::make_unique<Tile>(&context, name.c_str()));
    tiles.back()->x_i = x;
    tiles.back()->y_i = y;
    tiles.back()->eval();
  }

  // Half a period is over.
  void passed() {
    context.timeInc(1);
#if VM_TRACE_FST
    if (waves.isOpen()) waves.dump(context.time());
#endif
  }
};

}  // namespace

extern "C" {

// Writes waves to a file from now on; false if the library was made without them.
int noccl_waves(void* model, const char* path) {
#if VM_TRACE_FST
  auto* mesh = static_cast<PlacedTiles*>(model);
  for (auto& tile : mesh->tiles) tile->trace(&mesh->waves, 99);
  mesh->waves.open(path);
  return mesh->waves.isOpen();
#else
  (void)model;
  (void)path;
  return 0;
#endif
}
}
