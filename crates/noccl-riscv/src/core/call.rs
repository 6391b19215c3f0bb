// SPDX-License-Identifier: Apache-2.0
//! Calls to the outside: `ecall`, carried out by whoever runs the core, who may read and write the core's memory for it.

use super::Core;
use crate::error::Outside;
use crate::instruction::Operation;
use crate::program::Program;
use crate::trap::{Trap, TrapCause};
use serde::{Deserialize, Serialize};

/// An `ecall` that is not the request to end. Registers and memory are as before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Address of the instruction.
    pub pc: u64,
    /// What is called: a7.
    pub number: u64,
    /// a0 to a6.
    pub arguments: [u64; 7],
    /// When it begins.
    pub cycle: u64,
}

impl Call {
    /// What it is where nobody carries calls out.
    #[must_use]
    pub const fn refused(&self) -> Trap {
        Trap {
            pc: self.pc,
            cause: TrapCause::UnknownCall {
                number: self.number,
            },
        }
    }
}

/// Length of `ecall`; it has no compressed form.
const CALL_BYTES: u64 = 4;

impl Core {
    /// Responds to a call: what a0 is, and when the next instruction begins (not before the call's own cost has passed).
    ///
    /// False, and nothing is done, if the core does not stand at one.
    pub fn finish_call(&mut self, program: &Program, value: u64, cycle: u64) -> bool {
        let found = program.instruction_at(self.pc);
        let Some(instruction) = found.filter(|found| found.operation == Operation::EnvironmentCall)
        else {
            return false;
        };
        self.registers.write(10, value);
        self.pc = self.pc.wrapping_add(CALL_BYTES);
        self.cycle = cycle.max(self.cycle + u64::from(instruction.cost_cycles));
        self.retired_instructions += 1;
        true
    }

    /// Bytes of the core's memory.
    ///
    /// # Errors
    /// [`Outside`] if not all of them are in memory.
    pub fn read(&self, address: u64, bytes: u64) -> Result<&[u8], Outside> {
        let found = self.memory.read(address, bytes);
        found.ok_or(Outside::Memory { address, bytes })
    }

    /// Places in the core's memory to write to.
    ///
    /// # Errors
    /// [`Outside`] if not all of them are in memory, or some are code, which cannot be written.
    pub fn write(
        &mut self,
        program: &Program,
        address: u64,
        bytes: u64,
    ) -> Result<&mut [u8], Outside> {
        let place = self.memory.write(address, bytes);
        let place = place.ok_or(Outside::Memory { address, bytes })?;
        if program.has_code_in(address, bytes) {
            return Err(Outside::Code { address, bytes });
        }
        Ok(place)
    }
}
