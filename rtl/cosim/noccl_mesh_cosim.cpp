// SPDX-License-Identifier: Apache-2.0
// C functions over the Verilated mesh.
// Caller: crates/noccl-cosim/src/lockstep/model.rs.

#include "Vnoccl_mesh_cosim.h"

using Top = Vnoccl_mesh_cosim;

#include "noccl_cosim.h"

namespace {

template <typename Array>
uint32_t* words(Array& flits) {
  return &flits[0][0];
}

}  // namespace

extern "C" {

// Signal of a plane (0 wide, 1 req, 2 rsp): 0 input flits, 1 output flits (32-bit words). Of the merge points (3): 0 returned
// credits, 1 those for their own NI.
uint32_t* noccl_flits(void* model, int plane, int signal) {
  auto& top = top_of(model);
  switch (plane * 2 + signal) {
    case 0: return words(top.wide_in_flit_i);
    case 1: return words(top.wide_out_flit_o);
    case 2: return words(top.req_in_flit_i);
    case 3: return words(top.req_out_flit_o);
    case 4: return words(top.rsp_in_flit_i);
    case 5: return words(top.rsp_out_flit_o);
    case 6: return words(top.credit_return_flit_o);
    case 7: return words(top.own_flit_o);
    default: return nullptr;
  }
}

// Signal of a plane: 0 valid of inputs, 1 ready of inputs, 2 ready of outputs, 3 crossings (five). Of the merge points (3):
// 0 returned credits, 1 those sent, 2 those for their own NI.
uint64_t* noccl_tiles(void* model, int plane, int signal) {
  auto& top = top_of(model);
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
    case 12: return &top.credit_return_valid_o;
    case 13: return &top.credit_return_ready_i;
    case 14: return &top.own_valid_o;
    default: return nullptr;
  }
}
}
