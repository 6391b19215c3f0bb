// SPDX-License-Identifier: Apache-2.0
// Assertions of Verilated hardware that break: kept for the caller. Every library includes it once.

#include <string>

#include "verilated.h"

namespace {

// The first broken assertion; the simulator's own reaction would end the process.
thread_local std::string broken;

}  // namespace

void vl_stop(const char* file, int line, const char* scope) VL_MT_UNSAFE {
  if (broken.empty()) broken = std::string(file) + ":" + std::to_string(line) + " " + scope;
}

void vl_finish(const char*, int, const char*) VL_MT_UNSAFE {}

void vl_fatal(const char* file, int line, const char* scope, const char* what) VL_MT_UNSAFE {
  if (broken.empty()) broken = std::string(file) + ":" + std::to_string(line) + " " + scope + " " + what;
}

extern "C" {

// The first broken assertion, or null. Asking forgets it.
const char* noccl_broken() {
  static thread_local std::string told;
  told.swap(broken);
  broken.clear();
  return told.empty() ? nullptr : told.c_str();
}
}
