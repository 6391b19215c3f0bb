// SPDX-License-Identifier: Apache-2.0
// C functions over the translated mesh. The caller writes inputs and reads outputs in place, through the
// pointers that `noccl_signal` gives; `noccl_settle` and `noccl_tick` are the halves of a clock cycle.
// Caller: crates/noccl-rtl/src/lockstep/model.rs.

#include <cstdint>
#include <string>

#include "Vnoccl_mesh_cosim.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace {

// The first broken assertion; the simulator's own reaction would end the process.
thread_local std::string broken;

template <typename Array>
uint32_t* words(Array& flits) {
  return &flits[0][0];
}

struct Model {
  VerilatedContext context;
  Vnoccl_mesh_cosim top{&context};
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

}  // namespace

void vl_stop(const char* file, int line, const char* scope) VL_MT_UNSAFE {
  if (broken.empty()) broken = std::string(file) + ":" + std::to_string(line) + " " + scope;
}

void vl_finish(const char*, int, const char*) VL_MT_UNSAFE {}

void vl_fatal(const char* file, int line, const char* scope, const char* what) VL_MT_UNSAFE {
  if (broken.empty()) broken = std::string(file) + ":" + std::to_string(line) + " " + scope + " " + what;
}

extern "C" {

void* noccl_new() { return new Model; }

void noccl_delete(void* model) { delete static_cast<Model*>(model); }

// The clock is low: outputs follow registers and inputs.
void noccl_settle(void* model, int is_reset) {
  auto& top = static_cast<Model*>(model)->top;
  top.rst_ni = !is_reset;
  top.clk_i = 0;
  static_cast<Model*>(model)->eval();
}

// The clock rises: registers take their next values.
void noccl_tick(void* model) {
  static_cast<Model*>(model)->top.clk_i = 1;
  static_cast<Model*>(model)->eval();
}

// Writes waves to a file from now on; false if the library was made without them.
int noccl_waves(void* model, const char* path) {
#if VM_TRACE_FST
  auto* mesh = static_cast<Model*>(model);
  mesh->top.trace(&mesh->waves, 99);
  mesh->waves.open(path);
  return mesh->waves.isOpen();
#else
  (void)model;
  (void)path;
  return 0;
#endif
}

// The first broken assertion, or null. Asking forgets it.
const char* noccl_broken() {
  static thread_local std::string told;
  told.swap(broken);
  broken.clear();
  return told.empty() ? nullptr : told.c_str();
}

// Signal of a plane (0 wide, 1 req, 2 rsp): 0 input flits, 1 output flits (32-bit words). Of the merge points (3): 0 owed
// credits, 1 those for their own NI.
uint32_t* noccl_flits(void* model, int plane, int signal) {
  auto& top = static_cast<Model*>(model)->top;
  switch (plane * 2 + signal) {
    case 0: return words(top.wide_in_flit_i);
    case 1: return words(top.wide_out_flit_o);
    case 2: return words(top.req_in_flit_i);
    case 3: return words(top.req_out_flit_o);
    case 4: return words(top.rsp_in_flit_i);
    case 5: return words(top.rsp_out_flit_o);
    case 6: return words(top.owed_flit_o);
    case 7: return words(top.own_flit_o);
    default: return nullptr;
  }
}

// Signal of a plane: 0 valid of inputs, 1 ready of inputs, 2 ready of outputs, 3 crossings (five). Of the merge points (3):
// 0 owed credits, 1 those sent, 2 those for their own NI.
uint64_t* noccl_tiles(void* model, int plane, int signal) {
  auto& top = static_cast<Model*>(model)->top;
  switch (plane * 4 + signal) {
    case 0: return &top.wide_in_valid_i;
    case 1: return &top.wide_in_ready_o;
    case 2: return &top.wide_out_ready_i;
    case 3: return &top.wide_crossing_o[0];
    case 4: return &top.req_in_valid_i;
    case 5: return &top.req_in_ready_o;
    case 6: return &top.req_out_ready_i;
    case 7: return &top.req_crossing_o[0];
    case 8: return &top.rsp_in_valid_i;
    case 9: return &top.rsp_in_ready_o;
    case 10: return &top.rsp_out_ready_i;
    case 11: return &top.rsp_crossing_o[0];
    case 12: return &top.owed_valid_o;
    case 13: return &top.owed_ready_i;
    case 14: return &top.own_valid_o;
    default: return nullptr;
  }
}
}
