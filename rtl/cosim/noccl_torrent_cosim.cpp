// SPDX-License-Identifier: Apache-2.0
// C functions over the translated Torrent endpoints. The caller writes inputs and reads outputs in place, through the
// pointers that `noccl_drive` and `noccl_seen` give; `noccl_settle` and `noccl_tick` are the halves of a clock cycle.
// Caller: crates/noccl-rtl/src/lockstep/torrent.rs.

#include <cstdint>
#include <string>

#include "Vnoccl_torrent_cosim.h"
#include "verilated.h"

namespace {

// The first broken assertion; the simulator's own reaction would end the process.
thread_local std::string broken;

struct Model {
  VerilatedContext context;
  Vnoccl_torrent_cosim top{&context};
  void eval() {
    top.eval();
    context.timeInc(1);
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

// The first broken assertion, or null. Asking forgets it.
const char* noccl_broken() {
  static thread_local std::string told;
  told.swap(broken);
  broken.clear();
  return told.empty() ? nullptr : told.c_str();
}

uint64_t* noccl_drive(void* model) { return &static_cast<Model*>(model)->top.drive_i[0]; }

const uint64_t* noccl_seen(void* model) { return &static_cast<Model*>(model)->top.seen_o[0]; }
}
