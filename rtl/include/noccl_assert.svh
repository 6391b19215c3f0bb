// SPDX-License-Identifier: Apache-2.0
// Assertion macros: the only place where simulation, formal proof and synthesis see different text.
//
// Active in every simulation and in formal proofs (`FORMAL`), nothing under `SYNTHESIS`, except that
// `NOCCL_ASSERT_INIT` refuses illegal parameters in every tool. Whether a value is known is asked where there are unknown
// ones: in the simulation of four states (`NOCCL_FOUR_STATE`). Clock and reset are those of the module
// around them: `clk_i`, `rst_ni`. Properties must hold for both tools: boolean expressions, `$past`,
// `$stable`; an implication is written `!a || b`, since `|->` and `##` are not read by the formal
// front end. The name says what broke.

`ifndef NOCCL_ASSERT_SVH
`define NOCCL_ASSERT_SVH

// A rule about parameters, checked while the design is elaborated.
`define NOCCL_ASSERT_INIT(Name, Rule) \
  if (!(Rule)) begin : gen_``Name \
    $error(`"Name: the parameters must meet Rule`"); \
  end

// Whether anybody reads a result. Hardware computes it always, which takes no gates. Simulators of whole meshes define
// `NOCCL_SKIP_IDLE` and skip what nobody reads, which is zero then.
`ifdef NOCCL_SKIP_IDLE
`define NOCCL_IS_READ(Condition) (Condition)
`else
`define NOCCL_IS_READ(Condition) (1'b1 || (Condition))
`endif

`ifdef SYNTHESIS
`define NOCCL_ASSERT(Name, Property)
`define NOCCL_ASSUME(Name, Property)
`define NOCCL_ASSERT_KNOWN(Name, Signal)
`define NOCCL_COVER(Name, Property)
`elsif FORMAL
`define NOCCL_ASSERT(Name, Property) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni) (Property));
`define NOCCL_ASSUME(Name, Property) \
  Name : assume property (@(posedge clk_i) disable iff (!rst_ni) (Property));
`define NOCCL_ASSERT_KNOWN(Name, Signal)
`define NOCCL_COVER(Name, Property) \
  Name : cover property (@(posedge clk_i) disable iff (!rst_ni) (Property));
`elsif NOCCL_FOUR_STATE
// For a simulation of four states, whose simulator reads Verilog from a synthesis front end: what must be known is a
// net of its own there, and `rtl/tb/common/four_state.py` adds the check.
`define NOCCL_ASSERT(Name, Property)
`define NOCCL_ASSUME(Name, Property)
`define NOCCL_ASSERT_KNOWN(Name, Signal) \
  (* keep *) logic [$bits(Signal)-1:0] known_``Name; \
  assign known_``Name = Signal;
`define NOCCL_COVER(Name, Property)
`else
// In simulation inputs are random until the bench drives them, which is not before the end of time 0.
// A promise of this module.
`define NOCCL_ASSERT(Name, Property) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni || $time == 0) (Property)) \
    else $error(`"%m: promise broken: Name`");

// An obligation of the neighbour. Simulated like a promise; formal proofs assume it.
`define NOCCL_ASSUME(Name, Property) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni || $time == 0) (Property)) \
    else $error(`"%m: the neighbour broke: Name`");

// A control signal is never X outside reset.
`define NOCCL_ASSERT_KNOWN(Name, Signal) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni || $time == 0) (!$isunknown(Signal))) \
    else $error(`"%m: unknown value: Name`");

// A situation that tests must reach.
`define NOCCL_COVER(Name, Property) \
  Name : cover property (@(posedge clk_i) disable iff (!rst_ni || $time == 0) (Property));
`endif

`endif
