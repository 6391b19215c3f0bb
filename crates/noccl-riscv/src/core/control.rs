// SPDX-License-Identifier: Apache-2.0
//! Control registers: floating-point status, counters, the core's number.

use super::Core;
use crate::instruction::{ControlOperation, Instruction};

const FFLAGS: i32 = 0x001;
const FRM: i32 = 0x002;
const FCSR: i32 = 0x003;
const CYCLE: i32 = 0xc00;
const TIME: i32 = 0xc01;
const INSTRET: i32 = 0xc02;
const MHARTID: i32 = 0xf14;

/// Executes an access. None: no such register, or one that is read only.
pub(super) fn execute(
    core: &mut Core,
    instruction: &Instruction,
    operation: ControlOperation,
    cycle: u64,
    retired_instructions: u64,
) -> Option<()> {
    let number = instruction.immediate;
    let fcsr = u64::from(core.registers.fcsr);
    let old = match number {
        FFLAGS => fcsr & 0x1f,
        FRM => fcsr >> 5,
        FCSR => fcsr,
        CYCLE | TIME => cycle,
        INSTRET => retired_instructions,
        MHARTID => core.hart,
        _ => return None,
    };
    let register = core.registers.read(instruction.rs1);
    let constant = u64::from(instruction.rs1);
    // Setting or clearing nothing is a read.
    let reads_only = instruction.rs1 == 0;
    let new = match operation {
        ControlOperation::Write => Some(register),
        ControlOperation::WriteImmediate => Some(constant),
        ControlOperation::Set => (!reads_only).then_some(old | register),
        ControlOperation::Clear => (!reads_only).then_some(old & !register),
        ControlOperation::SetImmediate => (!reads_only).then_some(old | constant),
        ControlOperation::ClearImmediate => (!reads_only).then_some(old & !constant),
    };
    if let Some(new) = new {
        let fcsr = match number {
            FFLAGS => (fcsr & 0xe0) | (new & 0x1f),
            FRM => (fcsr & 0x1f) | (new & 7) << 5,
            FCSR => new & 0xff,
            _ => return None,
        };
        core.registers.fcsr = fcsr as u8;
    }
    core.registers.write(instruction.rd, old);
    Some(())
}
