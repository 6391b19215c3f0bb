// SPDX-License-Identifier: Apache-2.0
//! The registers that a program sees.

use serde::{Deserialize, Serialize};

/// Integer and floating-point registers, and the floating-point control register.
///
/// Kept true: `x[0]` is zero between instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registers {
    /// Integer registers.
    pub x: [u64; 32],
    /// Floating-point registers; a single-precision value has all upper bits set.
    pub f: [u64; 32],
    /// Accrued exceptions in bits 0 to 4 (inexact, underflow, overflow, division by zero, invalid), rounding mode above.
    pub fcsr: u8,
}

impl Registers {
    /// All zero.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            x: [0; 32],
            f: [0; 32],
            fcsr: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn read(&self, register: u8) -> u64 {
        self.x[(register & 31) as usize]
    }

    #[inline(always)]
    pub(crate) fn write(&mut self, register: u8, value: u64) {
        self.x[(register & 31) as usize] = value;
        self.x[0] = 0;
    }

    #[inline(always)]
    pub(crate) fn read_float(&self, register: u8) -> u64 {
        self.f[(register & 31) as usize]
    }

    #[inline(always)]
    pub(crate) fn write_float(&mut self, register: u8, value: u64) {
        self.f[(register & 31) as usize] = value;
    }
}

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}
