// SPDX-License-Identifier: Apache-2.0
//! Load-reserved, store-conditional and atomic read-modify-write.
//!
//! On private memory they are a load and a store that nothing comes between. A reservation is an address; it ends with
//! the next store-conditional, whether that succeeds or not.

use super::Core;
use super::integer::extended;
use crate::instruction::{AtomicOperation, Instruction, Width};
use crate::program::Program;
use crate::trap::TrapCause;

/// Executes an operation.
///
/// # Errors
/// The address is no multiple of the width, outside the memory, or in code.
pub(super) fn execute(
    core: &mut Core,
    program: &Program,
    instruction: &Instruction,
    operation: AtomicOperation,
    width: Width,
) -> Result<(), TrapCause> {
    let address = core.registers.read(instruction.rs1);
    let operand = core.registers.read(instruction.rs2);
    let is_word = width == Width::Word;
    let bytes = if is_word { 4 } else { 8 };
    if !address.is_multiple_of(u64::from(bytes)) {
        return Err(TrapCause::Misaligned { address, bytes });
    }
    let old = load(core, address, is_word).ok_or(TrapCause::LoadOutside { address, bytes })?;
    let result = match operation {
        AtomicOperation::LoadReserved => {
            core.reservation = Some(address);
            core.registers.write(instruction.rd, old);
            return Ok(());
        }
        AtomicOperation::StoreConditional => {
            let is_reserved = core.reservation.take() == Some(address);
            let failed = u64::from(!is_reserved);
            if !is_reserved {
                core.registers.write(instruction.rd, failed);
                return Ok(());
            }
            operand
        }
        AtomicOperation::Swap
        | AtomicOperation::Add
        | AtomicOperation::Xor
        | AtomicOperation::And
        | AtomicOperation::Or
        | AtomicOperation::Min
        | AtomicOperation::Max
        | AtomicOperation::MinUnsigned
        | AtomicOperation::MaxUnsigned => {
            let operand = if is_word {
                extended(operand as u32)
            } else {
                operand
            };
            combined(operation, old, operand)
        }
    };
    if program.is_code(address) {
        return Err(TrapCause::StoreToCode { address, bytes });
    }
    let stored = if is_word {
        core.memory.store(address, (result as u32).to_le_bytes())
    } else {
        core.memory.store(address, result.to_le_bytes())
    };
    stored.ok_or(TrapCause::StoreOutside { address, bytes })?;
    let returned = if operation == AtomicOperation::StoreConditional {
        0
    } else {
        old
    };
    core.registers.write(instruction.rd, returned);
    Ok(())
}

fn load(core: &Core, address: u64, is_word: bool) -> Option<u64> {
    if is_word {
        let word = u32::from_le_bytes(core.memory.load(address)?);
        Some(extended(word))
    } else {
        Some(u64::from_le_bytes(core.memory.load(address)?))
    }
}

/// What is stored. Words are sign extended, which keeps their order, signed and unsigned.
fn combined(operation: AtomicOperation, old: u64, operand: u64) -> u64 {
    match operation {
        AtomicOperation::Add => old.wrapping_add(operand),
        AtomicOperation::Xor => old ^ operand,
        AtomicOperation::And => old & operand,
        AtomicOperation::Or => old | operand,
        AtomicOperation::Min => old.cast_signed().min(operand.cast_signed()).cast_unsigned(),
        AtomicOperation::Max => old.cast_signed().max(operand.cast_signed()).cast_unsigned(),
        AtomicOperation::MinUnsigned => old.min(operand),
        AtomicOperation::MaxUnsigned => old.max(operand),
        AtomicOperation::Swap
        | AtomicOperation::LoadReserved
        | AtomicOperation::StoreConditional => operand,
    }
}
