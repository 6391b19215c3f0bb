// SPDX-License-Identifier: Apache-2.0
//! Floating-point instructions: F and D.
//!
//! Rounding modes 5 and 6 do not exist; a word that names one is illegal. Mode 7 is the one in `fcsr`, looked at when
//! the instruction is executed.

use super::{Decoded, Fields};
use crate::cost::CostTable;
use crate::instruction::{FloatOperation as Float, FloatQuery, IntegerType, Operation};

pub(super) fn load(fields: Fields, costs: &CostTable) -> Decoded {
    let operation = match fields.funct3() {
        2 => Operation::LoadFloatWord,
        3 => Operation::LoadFloatDouble,
        _ => return None,
    };
    Some((operation, costs.load_cycles, fields.immediate()))
}

pub(super) fn store(fields: Fields, costs: &CostTable) -> Decoded {
    let operation = match fields.funct3() {
        2 => Operation::StoreFloatWord,
        3 => Operation::StoreFloatDouble,
        _ => return None,
    };
    Some((operation, costs.store_cycles, fields.store_offset()))
}

pub(super) fn fused(fields: Fields, costs: &CostTable) -> Decoded {
    let float = match fields.opcode() {
        0x43 => Float::FusedAdd,
        0x47 => Float::FusedSubtract,
        0x4b => Float::FusedNegateSubtract,
        0x4f => Float::FusedNegateAdd,
        _ => return None,
    };
    has_rounding(fields)?;
    Some((in_format(fields, float)?, costs.float_fused_cycles, 0))
}

pub(super) fn arithmetic(fields: Fields, costs: &CostTable) -> Decoded {
    let is_double = match fields.format() {
        0 => false,
        1 => true,
        _ => return None,
    };
    if let Some((query, cycles)) = query(fields, costs) {
        let operation = if is_double {
            Operation::DoubleQuery(query)
        } else {
            Operation::SingleQuery(query)
        };
        return Some((operation, cycles, 0));
    }
    let (float, cycles) = computed(fields, costs).or_else(|| moved(fields, costs))?;
    Some((in_format(fields, float)?, cycles, 0))
}

fn in_format(fields: Fields, float: Float) -> Option<Operation> {
    match fields.format() {
        0 => Some(Operation::Single(float)),
        1 => Some(Operation::Double(float)),
        _ => None,
    }
}

fn has_rounding(fields: Fields) -> Option<()> {
    (!matches!(fields.funct3(), 5 | 6)).then_some(())
}

/// Operations that round.
fn computed(fields: Fields, costs: &CostTable) -> Option<(Float, u16)> {
    has_rounding(fields)?;
    Some(match fields.funct7() >> 2 {
        0x00 => (Float::Add, costs.float_add_cycles),
        0x01 => (Float::Subtract, costs.float_add_cycles),
        0x02 => (Float::Multiply, costs.float_multiply_cycles),
        0x03 => (Float::Divide, costs.float_divide_cycles),
        0x0b if fields.rs2() == 0 => (Float::SquareRoot, costs.float_sqrt_cycles),
        // Between the formats: rs2 names the one that is read, which must be the other one.
        0x08 if fields.rs2() == fields.format() ^ 1 => {
            (Float::FromOther, costs.float_convert_cycles)
        }
        0x1a => (
            Float::FromInteger(integer_type(fields)?),
            costs.float_convert_cycles,
        ),
        _ => return None,
    })
}

/// Operations that do not round; their function stands where others have the rounding mode.
fn moved(fields: Fields, costs: &CostTable) -> Option<(Float, u16)> {
    let float = match (fields.funct7() >> 2, fields.funct3()) {
        (0x04, 0) => Float::CopySign,
        (0x04, 1) => Float::CopySignNegated,
        (0x04, 2) => Float::XorSign,
        (0x05, 0) => return Some((Float::Minimum, costs.float_compare_cycles)),
        (0x05, 1) => return Some((Float::Maximum, costs.float_compare_cycles)),
        (0x1e, 0) if fields.rs2() == 0 => Float::Move,
        _ => return None,
    };
    Some((float, costs.float_move_cycles))
}

fn query(fields: Fields, costs: &CostTable) -> Option<(FloatQuery, u16)> {
    let query = match (fields.funct7() >> 2, fields.funct3()) {
        (0x14, 0) => FloatQuery::LessOrEqual,
        (0x14, 1) => FloatQuery::Less,
        (0x14, 2) => FloatQuery::Equal,
        (0x1c, 1) if fields.rs2() == 0 => FloatQuery::Classify,
        (0x1c, 0) if fields.rs2() == 0 => return Some((FloatQuery::Move, costs.float_move_cycles)),
        (0x18, _) => {
            has_rounding(fields)?;
            let query = FloatQuery::ToInteger(integer_type(fields)?);
            return Some((query, costs.float_convert_cycles));
        }
        _ => return None,
    };
    Some((query, costs.float_compare_cycles))
}

fn integer_type(fields: Fields) -> Option<IntegerType> {
    match fields.rs2() {
        0 => Some(IntegerType::Word),
        1 => Some(IntegerType::WordUnsigned),
        2 => Some(IntegerType::Long),
        3 => Some(IntegerType::LongUnsigned),
        _ => None,
    }
}
