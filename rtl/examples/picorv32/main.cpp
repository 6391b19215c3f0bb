// SPDX-License-Identifier: Apache-2.0
// Clock and reset of the chip; prints the cycles until every tile has a result, and the results.
#include <cstdio>
#include <cstdlib>

#include "Vpico_chip.h"
#include "verilated.h"

int main(int argc, char **argv) {
  constexpr int max_cycles = 100'000, num_tiles = sizeof(Vpico_chip::result_o) / 4;
  VerilatedContext context;
  context.commandArgs(argc, argv);
  Vpico_chip chip(&context);
  for (int cycle = 0; cycle < max_cycles; cycle++) {
    chip.rst_ni = cycle >= 5;
    for (int level : {0, 1}) {
      chip.clk_i = level;
      chip.eval();
      context.timeInc(1);
    }
    int num_done = 0;
    for (int tile = 0; tile < num_tiles; tile++) num_done += chip.result_o[tile] != 0;
    if (chip.rst_ni && num_done == num_tiles) {
      std::printf("%d cycles; results", cycle);
      for (int tile = 0; tile < num_tiles; tile++) std::printf(" %u", chip.result_o[tile]);
      std::printf("\n");
      chip.final();
      return EXIT_SUCCESS;
    }
  }
  std::printf("no result after %d cycles\n", max_cycles);
  return EXIT_FAILURE;
}
