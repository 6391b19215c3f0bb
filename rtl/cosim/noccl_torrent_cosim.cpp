// SPDX-License-Identifier: Apache-2.0
// C functions over the Verilated Torrent endpoints.
// Caller: crates/noccl-cosim/src/lockstep/ports.rs.

#include "Vnoccl_torrent_cosim.h"

using Top = Vnoccl_torrent_cosim;

#include "noccl_cosim.h"

extern "C" {

uint64_t* noccl_drive(void* model) { return &top_of(model).drive_i[0]; }

const uint64_t* noccl_seen(void* model) { return &top_of(model).seen_o[0]; }
}
