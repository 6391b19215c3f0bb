// SPDX-License-Identifier: Apache-2.0
//! What instructions cost.
//!
//! The table belongs to the machine that is modelled, so there is no default here: presets of the spec write it. An
//! instruction takes what its class says, whatever came before it; waiting for a port comes on top.

use serde::{Deserialize, Serialize};

/// Cycles per class of instruction, from its start to the start of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostTable {
    /// Integer arithmetic, logic, shifts, comparisons, constants, control registers and fences.
    pub integer_cycles: u16,
    /// Integer multiplication.
    pub multiply_cycles: u16,
    /// Integer division and remainder.
    pub divide_cycles: u16,
    /// A load from memory, integer or floating point; at a port, without the wait for data.
    pub load_cycles: u16,
    /// A store to memory; at a port, without the wait for space.
    pub store_cycles: u16,
    /// A conditional branch that goes elsewhere.
    pub branch_taken_cycles: u16,
    /// A conditional branch that falls through.
    pub branch_not_taken_cycles: u16,
    /// An unconditional jump, call or return.
    pub jump_cycles: u16,
    /// Load-reserved, store-conditional and atomic read-modify-write.
    pub atomic_cycles: u16,
    /// Floating-point addition and subtraction.
    pub float_add_cycles: u16,
    /// Floating-point multiplication.
    pub float_multiply_cycles: u16,
    /// Fused multiplication and addition.
    pub float_fused_cycles: u16,
    /// Floating-point division.
    pub float_divide_cycles: u16,
    /// Square root.
    pub float_sqrt_cycles: u16,
    /// Conversion between formats, and between floating point and integers.
    pub float_convert_cycles: u16,
    /// Comparison, minimum, maximum and classification.
    pub float_compare_cycles: u16,
    /// Moves between register files, and changes of sign.
    pub float_move_cycles: u16,
}

impl CostTable {
    /// Every class at the same cost: for tests and for counting instructions.
    #[must_use]
    pub const fn uniform(cycles: u16) -> Self {
        Self {
            integer_cycles: cycles,
            multiply_cycles: cycles,
            divide_cycles: cycles,
            load_cycles: cycles,
            store_cycles: cycles,
            branch_taken_cycles: cycles,
            branch_not_taken_cycles: cycles,
            jump_cycles: cycles,
            atomic_cycles: cycles,
            float_add_cycles: cycles,
            float_multiply_cycles: cycles,
            float_fused_cycles: cycles,
            float_divide_cycles: cycles,
            float_sqrt_cycles: cycles,
            float_convert_cycles: cycles,
            float_compare_cycles: cycles,
            float_move_cycles: cycles,
        }
    }
}
