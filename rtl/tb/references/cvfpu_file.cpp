// SPDX-License-Identifier: Apache-2.0
// Sends pairs of operands through cvfpu.
//
// Usage: cvfpu_file FORMAT BYTES < operands > results. Formats as cvfpu counts them; BYTES of an element. The input is all first operands and then
// all second ones, the output all sums, then all minima, then all maxima.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Vnoccl_cvfpu_tb.h"
#include "verilated.h"

int main(int count, char** arguments) {
  if (count != 3) return 1;
  const int format = std::atoi(arguments[1]);
  const size_t width = static_cast<size_t>(std::atoi(arguments[2]));
  std::vector<uint8_t> operands, chunk(1 << 20);
  while (size_t length = std::fread(chunk.data(), 1, chunk.size(), stdin)) {
    operands.insert(operands.end(), chunk.begin(), chunk.begin() + length);
  }
  const size_t half = operands.size() / 2;
  std::vector<uint8_t> results(3 * half);
  VerilatedContext context;
  Vnoccl_cvfpu_tb top(&context);
  top.format_i = format;
  top.clk_i = 0;
  top.eval();
  for (size_t at = 0; at < half; at += width) {
    top.a_i = top.b_i = 0;
    std::memcpy(&top.a_i, operands.data() + at, width);
    std::memcpy(&top.b_i, operands.data() + half + at, width);
    top.clk_i = 1 << format;
    top.eval();
    std::memcpy(results.data() + at, &top.sum_o, width);
    std::memcpy(results.data() + half + at, &top.min_o, width);
    std::memcpy(results.data() + 2 * half + at, &top.max_o, width);
    top.clk_i = 0;
    top.eval();
  }
  top.final();
  return std::fwrite(results.data(), 1, results.size(), stdout) != results.size();
}
