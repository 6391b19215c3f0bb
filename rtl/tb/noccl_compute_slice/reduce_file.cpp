// SPDX-License-Identifier: Apache-2.0
// Combines the equal parts of its input in the Verilated slice: what the example `fold_file` of noccl-workload does in Rust.
//
// Usage: reduce_file ELEMENT OPERATOR OPERANDS LATENCY < operands > results. Codes as in noccl_flit_pkg. The network asks in every cycle and
// takes every result; a result that comes early, late or with another tag, and any refusal, ends the run with status 1.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Vnoccl_compute_slice_tb.h"
#include "verilated.h"

namespace {

struct Task {
  int element;
  int op;
  size_t operands;
  size_t latency;
};

int fail(const char* what, size_t at) {
  std::fprintf(stderr, "beat %zu: %s\n", at, what);
  return 1;
}

std::vector<uint8_t> input() {
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> chunk(1 << 20);
  while (size_t count = std::fread(chunk.data(), 1, chunk.size(), stdin)) {
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
  }
  return bytes;
}

int run(const Task& task) {
  VerilatedContext context;
  Vnoccl_compute_slice_tb top(&context);
  const size_t beat_bytes = sizeof(top.dca_a_i);
  const std::vector<uint8_t> operands = input();
  const size_t beats = operands.size() / task.operands / beat_bytes;
  std::vector<uint8_t> results(beats * beat_bytes);

  top.clk_i = 0;
  top.rst_ni = 0;
  top.eval();
  top.rst_ni = 1;
  top.dca_result_ready_i = 1;
  top.dca_operation_i = task.op << 4 | task.element;
  top.dca_has_third_i = task.operands == 3;
  size_t num_results = 0;
  for (size_t cycle = 0; num_results < beats; cycle++) {
    const bool asks = cycle < beats;
    top.dca_valid_i = asks;
    top.dca_tag_i = cycle & 0xffff;
    if (asks) {
      const uint8_t* first = operands.data() + cycle * beat_bytes;
      std::memcpy(&top.dca_a_i, first, beat_bytes);
      std::memcpy(&top.dca_b_i, first + results.size(), beat_bytes);
      if (task.operands == 3) std::memcpy(&top.dca_third_i, first + 2 * results.size(), beat_bytes);
    }
    top.eval();
    if (asks && !top.dca_ready_o) return fail("not accepted at once", cycle);
    if (top.dca_result_valid_o != (cycle >= task.latency)) return fail("wrong latency", num_results);
    if (top.dca_result_valid_o) {
      if (top.dca_result_tag_o != (num_results & 0xffff)) return fail("wrong tag", num_results);
      if (top.dca_refusal_o) return fail("refused", num_results);
      std::memcpy(results.data() + num_results * beat_bytes, &top.dca_result_o, beat_bytes);
      num_results++;
    }
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
  }
  top.final();
  return std::fwrite(results.data(), 1, results.size(), stdout) != results.size();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return fail("usage: reduce_file ELEMENT OPERATOR OPERANDS LATENCY < operands > results", 0);
  return run({std::atoi(arguments[1]), std::atoi(arguments[2]),
              static_cast<size_t>(std::atoi(arguments[3])), static_cast<size_t>(std::atoi(arguments[4]))});
}
