// SPDX-License-Identifier: Apache-2.0
// What the fast generators of transactions have in common: how they choose, and how they end a run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

[[noreturn]] inline void fail(const std::string& what) {
  std::printf("deviation: %s\n", what.c_str());
  std::exit(1);
}

struct Random {
  std::mt19937_64 engine;
  uint64_t below(uint64_t limit) { return engine() % limit; }
  bool chance(int percent) { return below(100) < static_cast<uint64_t>(percent); }
};
