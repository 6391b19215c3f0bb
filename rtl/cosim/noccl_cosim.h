// SPDX-License-Identifier: Apache-2.0
// C functions that every Verilated library has: life of a model, the two halves of a clock cycle, broken assertions, waves.
// The caller writes inputs and reads outputs in place, through pointers that each library's own functions give.
// Include it once, after the declaration `using Top = V...;` of the Verilated module.

#include <cstdint>

#include "noccl_broken.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace {

struct Model {
  VerilatedContext context;
  Top top{&context};
#if VM_TRACE_FST
  VerilatedFstC waves;
  Model() { context.traceEverOn(true); }
  ~Model() { waves.close(); }
#endif
  // Half a cycle is over.
  void eval() {
    top.eval();
    context.timeInc(1);
#if VM_TRACE_FST
    if (waves.isOpen()) waves.dump(context.time());
#endif
  }
};

Top& top_of(void* model) { return static_cast<Model*>(model)->top; }

}  // namespace

extern "C" {

void* noccl_new() { return new Model; }

void noccl_delete(void* model) { delete static_cast<Model*>(model); }

// The clock is low: outputs follow registers and inputs.
void noccl_settle(void* model, int is_reset) {
  top_of(model).rst_ni = !is_reset;
  top_of(model).clk_i = 0;
  static_cast<Model*>(model)->eval();
}

// The clock rises: registers take their next values.
void noccl_tick(void* model) {
  top_of(model).clk_i = 1;
  static_cast<Model*>(model)->eval();
}

// Writes waves to a file from now on; false if the library was made without them.
int noccl_waves(void* model, const char* path) {
#if VM_TRACE_FST
  auto* traced = static_cast<Model*>(model);
  traced->top.trace(&traced->waves, 99);
  traced->waves.open(path);
  return traced->waves.isOpen();
#else
  (void)model;
  (void)path;
  return 0;
#endif
}
}
