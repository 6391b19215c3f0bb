// SPDX-License-Identifier: Apache-2.0
// C functions over the Verilated network interfaces and mesh.
// Caller: crates/noccl-cosim/src/endpoints/compare.rs.

#include "Vnoccl_endpoints_cosim.h"

using Top = Vnoccl_endpoints_cosim;

#include "noccl_cosim.h"

extern "C" {

// Words: 0 AXI inputs, 1 AXI outputs; then per plane (wide, req, rsp) flits at the Local inputs and at all outputs.
uint32_t* noccl_words(void* model, int signal) {
  auto& top = top_of(model);
  switch (signal) {
    case 0: return &top.axi_i[0];
    case 1: return &top.axi_o[0];
    case 2: return &top.wide_in_flit_o[0][0];
    case 3: return &top.wide_out_flit_o[0][0];
    case 4: return &top.req_in_flit_o[0][0];
    case 5: return &top.req_out_flit_o[0][0];
    case 6: return &top.rsp_in_flit_o[0][0];
    case 7: return &top.rsp_out_flit_o[0][0];
    default: return nullptr;
  }
}

// Words of the AXI inputs, of the AXI outputs: of all tiles.
int noccl_num_words(void*, int signal) {
  return static_cast<int>((signal == 0 ? sizeof(Top::axi_i) : sizeof(Top::axi_o)) / sizeof(uint32_t));
}

// Sets of tiles, per plane: 0 held at the Local input, 1 at the Local output, 2 flits enter, 3 leave, 4 cross (five sets).
uint64_t* noccl_tiles(void* model, int plane, int signal) {
  auto& top = top_of(model);
  switch (plane * 5 + signal) {
    case 0: return &top.wide_hold_in_i;
    case 1: return &top.wide_hold_out_i;
    case 2: return &top.wide_enter_o;
    case 3: return &top.wide_leave_o;
    case 4: return &top.wide_crossing_o[0];
    case 5: return &top.req_hold_in_i;
    case 6: return &top.req_hold_out_i;
    case 7: return &top.req_enter_o;
    case 8: return &top.req_leave_o;
    case 9: return &top.req_crossing_o[0];
    case 10: return &top.rsp_hold_in_i;
    case 11: return &top.rsp_hold_out_i;
    case 12: return &top.rsp_enter_o;
    case 13: return &top.rsp_leave_o;
    case 14: return &top.rsp_crossing_o[0];
    default: return nullptr;
  }
}
}
