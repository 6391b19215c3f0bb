// SPDX-License-Identifier: Apache-2.0
//! The F and D extensions: IEEE 754-2008 arithmetic on register contents.
//!
//! Results and exception flags are exact in every rounding mode. Where the machine that simulates computes the same
//! (rounding to nearest even, results far from the ends of the range) its own arithmetic is used, for speed; all else
//! goes through software. Kept true: which of the two ran can be seen nowhere.

mod arithmetic;
mod format;
mod soft;

use crate::instruction::{FloatOperation, FloatQuery, Instruction};
use crate::registers::Registers;
use format::Format;
pub(crate) use format::{Double, Single};

const INEXACT: u8 = 1;
const UNDERFLOW: u8 = 2;
const OVERFLOW: u8 = 4;
const DIVIDE_BY_ZERO: u8 = 8;
const INVALID: u8 = 16;

/// Rounding modes, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    NearestEven,
    TowardZero,
    Down,
    Up,
    NearestAway,
}

impl Rounding {
    /// The mode of an instruction; mode 7 is the one in `fcsr`. None: there is no such mode.
    fn of(encoded: u8, fcsr: u8) -> Option<Self> {
        let number = if encoded == 7 { fcsr >> 5 } else { encoded };
        match number {
            0 => Some(Self::NearestEven),
            1 => Some(Self::TowardZero),
            2 => Some(Self::Down),
            3 => Some(Self::Up),
            4 => Some(Self::NearestAway),
            _ => None,
        }
    }
}

/// Executes an operation of format `F`; `O` is the other one. None: the rounding mode does not exist.
pub(crate) fn execute<F: Format, O: Format>(
    registers: &mut Registers,
    instruction: &Instruction,
    operation: FloatOperation,
) -> Option<()> {
    let fcsr = registers.fcsr;
    let mut flags = fcsr & 0x1f;
    let rounding = || Rounding::of(instruction.rounding, fcsr);
    let raw = registers.read_float(instruction.rs1);
    let a = F::unboxed(raw);
    let b = F::unboxed(registers.read_float(instruction.rs2));
    let c = || F::unboxed(registers.read_float(instruction.rs3));
    let negated = |bits: u64| bits ^ F::SIGN;
    let result = match operation {
        FloatOperation::Add => arithmetic::add::<F>(a, b, rounding()?, &mut flags),
        FloatOperation::Subtract => arithmetic::subtract::<F>(a, b, rounding()?, &mut flags),
        FloatOperation::Multiply => arithmetic::multiply::<F>(a, b, rounding()?, &mut flags),
        FloatOperation::Divide => arithmetic::divide::<F>(a, b, rounding()?, &mut flags),
        FloatOperation::SquareRoot => arithmetic::square_root::<F>(a, rounding()?, &mut flags),
        FloatOperation::FusedAdd => arithmetic::fused::<F>(a, b, c(), rounding()?, &mut flags),
        FloatOperation::FusedSubtract => {
            arithmetic::fused::<F>(a, b, negated(c()), rounding()?, &mut flags)
        }
        FloatOperation::FusedNegateSubtract => {
            arithmetic::fused::<F>(negated(a), b, c(), rounding()?, &mut flags)
        }
        FloatOperation::FusedNegateAdd => {
            arithmetic::fused::<F>(negated(a), b, negated(c()), rounding()?, &mut flags)
        }
        FloatOperation::CopySign => (a & !F::SIGN) | (b & F::SIGN),
        FloatOperation::CopySignNegated => (a & !F::SIGN) | (negated(b) & F::SIGN),
        FloatOperation::XorSign => a ^ (b & F::SIGN),
        FloatOperation::Minimum => format::minimum::<F>(a, b, &mut flags),
        FloatOperation::Maximum => format::maximum::<F>(a, b, &mut flags),
        FloatOperation::FromOther => {
            soft::between::<O, F>(O::unboxed(raw), rounding()?, &mut flags)
        }
        FloatOperation::FromInteger(kind) => {
            let value = soft::integer(kind, registers.read(instruction.rs1));
            soft::from_integer::<F>(value, rounding()?, &mut flags)
        }
        FloatOperation::Move => registers.read(instruction.rs1),
    };
    registers.write_float(instruction.rd, F::boxed(result));
    registers.fcsr |= flags;
    Some(())
}

/// Executes an operation whose result is an integer. None: the rounding mode does not exist.
pub(crate) fn query<F: Format>(
    registers: &mut Registers,
    instruction: &Instruction,
    query: FloatQuery,
) -> Option<()> {
    let mut flags = registers.fcsr & 0x1f;
    let raw = registers.read_float(instruction.rs1);
    let a = F::unboxed(raw);
    let b = F::unboxed(registers.read_float(instruction.rs2));
    let result = match query {
        FloatQuery::Equal => u64::from(format::equal::<F>(a, b, &mut flags)),
        FloatQuery::Less => u64::from(format::less::<F>(a, b, &mut flags)),
        FloatQuery::LessOrEqual => u64::from(format::less_or_equal::<F>(a, b, &mut flags)),
        FloatQuery::Classify => format::classify::<F>(a),
        FloatQuery::ToInteger(kind) => {
            let rounding = Rounding::of(instruction.rounding, registers.fcsr)?;
            soft::to_integer(kind, F::to_f64(a), rounding, &mut flags)
        }
        // Also of what is no boxed value.
        FloatQuery::Move => F::sign_extended(raw),
    };
    registers.write(instruction.rd, result);
    registers.fcsr |= flags;
    Some(())
}
