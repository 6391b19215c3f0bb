// SPDX-License-Identifier: Apache-2.0
//! Integer instructions: RV64I without system instructions, and M.

use super::{Decoded, Fields};
use crate::cost::CostTable;
use crate::instruction::{IntegerOperation as Rare, Operation};

pub(super) fn load(fields: Fields, costs: &CostTable) -> Decoded {
    let operation = match fields.funct3() {
        0 => Operation::LoadByte,
        1 => Operation::LoadHalf,
        2 => Operation::LoadWord,
        3 => Operation::LoadDouble,
        4 => Operation::LoadByteUnsigned,
        5 => Operation::LoadHalfUnsigned,
        6 => Operation::LoadWordUnsigned,
        _ => return None,
    };
    Some((operation, costs.load_cycles, fields.immediate()))
}

pub(super) fn store(fields: Fields, costs: &CostTable) -> Decoded {
    let operation = match fields.funct3() {
        0 => Operation::StoreByte,
        1 => Operation::StoreHalf,
        2 => Operation::StoreWord,
        3 => Operation::StoreDouble,
        _ => return None,
    };
    Some((operation, costs.store_cycles, fields.store_offset()))
}

pub(super) fn branch(fields: Fields, costs: &CostTable) -> Decoded {
    let operation = match fields.funct3() {
        0 => Operation::BranchEqual,
        1 => Operation::BranchNotEqual,
        4 => Operation::BranchLess,
        5 => Operation::BranchNotLess,
        6 => Operation::BranchBelow,
        7 => Operation::BranchNotBelow,
        _ => return None,
    };
    Some((
        operation,
        costs.branch_not_taken_cycles,
        fields.branch_offset(),
    ))
}

pub(super) fn immediate(fields: Fields, costs: &CostTable) -> Decoded {
    let value = fields.immediate();
    let shift = fields.shift();
    // Bits 26 to 31 say which shift; bit 25 belongs to the distance.
    let (operation, immediate) = match (fields.funct3(), fields.funct7() >> 1) {
        (0, _) => (Operation::AddImmediate, value),
        (2, _) => (Operation::LessImmediate, value),
        (3, _) => (Operation::BelowImmediate, value),
        (4, _) => (Operation::XorImmediate, value),
        (6, _) => (Operation::OrImmediate, value),
        (7, _) => (Operation::AndImmediate, value),
        (1, 0x00) => (Operation::ShiftLeftImmediate, shift),
        (5, 0x00) => (Operation::ShiftRightImmediate, shift),
        (5, 0x10) => (Operation::ShiftRightArithmeticImmediate, shift),
        _ => return None,
    };
    Some((operation, costs.integer_cycles, immediate))
}

pub(super) fn immediate_word(fields: Fields, costs: &CostTable) -> Decoded {
    let shift = i32::from(fields.rs2());
    let (operation, immediate) = match (fields.funct3(), fields.funct7()) {
        (0, _) => (Operation::AddWordImmediate, fields.immediate()),
        (1, 0x00) => (Operation::Integer(Rare::ShiftLeftWordImmediate), shift),
        (5, 0x00) => (Operation::Integer(Rare::ShiftRightWordImmediate), shift),
        (5, 0x20) => (
            Operation::Integer(Rare::ShiftRightArithmeticWordImmediate),
            shift,
        ),
        _ => return None,
    };
    Some((operation, costs.integer_cycles, immediate))
}

pub(super) fn register(fields: Fields, costs: &CostTable) -> Decoded {
    let integer = costs.integer_cycles;
    let (operation, cycles) = match (fields.funct7(), fields.funct3()) {
        (0x00, 0) => (Operation::Add, integer),
        (0x00, 1) => (Operation::ShiftLeft, integer),
        (0x00, 2) => (Operation::Less, integer),
        (0x00, 3) => (Operation::Below, integer),
        (0x00, 4) => (Operation::Xor, integer),
        (0x00, 5) => (Operation::ShiftRight, integer),
        (0x00, 6) => (Operation::Or, integer),
        (0x00, 7) => (Operation::And, integer),
        (0x20, 0) => (Operation::Subtract, integer),
        (0x20, 5) => (Operation::ShiftRightArithmetic, integer),
        (0x01, 0) => (Operation::Multiply, costs.multiply_cycles),
        (0x01, function) => {
            let operation = multiply_or_divide(function)?;
            (Operation::Integer(operation), long_cycles(function, costs))
        }
        _ => return None,
    };
    Some((operation, cycles, 0))
}

fn multiply_or_divide(function: u8) -> Option<Rare> {
    Some(match function {
        1 => Rare::MultiplyHigh,
        2 => Rare::MultiplyHighSignedUnsigned,
        3 => Rare::MultiplyHighUnsigned,
        4 => Rare::Divide,
        5 => Rare::DivideUnsigned,
        6 => Rare::Remainder,
        7 => Rare::RemainderUnsigned,
        _ => return None,
    })
}

/// Of the eight functions of M, the upper four divide.
fn long_cycles(function: u8, costs: &CostTable) -> u16 {
    if function >= 4 {
        costs.divide_cycles
    } else {
        costs.multiply_cycles
    }
}

pub(super) fn register_word(fields: Fields, costs: &CostTable) -> Decoded {
    let integer = costs.integer_cycles;
    let (operation, cycles) = match (fields.funct7(), fields.funct3()) {
        (0x00, 0) => (Operation::AddWord, integer),
        (0x20, 0) => (Operation::SubtractWord, integer),
        (0x00, 1) => (Operation::Integer(Rare::ShiftLeftWord), integer),
        (0x00, 5) => (Operation::Integer(Rare::ShiftRightWord), integer),
        (0x20, 5) => (Operation::Integer(Rare::ShiftRightArithmeticWord), integer),
        (0x01, function) => {
            let operation = match function {
                0 => Rare::MultiplyWord,
                4 => Rare::DivideWord,
                5 => Rare::DivideWordUnsigned,
                6 => Rare::RemainderWord,
                7 => Rare::RemainderWordUnsigned,
                _ => return None,
            };
            (Operation::Integer(operation), long_cycles(function, costs))
        }
        _ => return None,
    };
    Some((operation, cycles, 0))
}
