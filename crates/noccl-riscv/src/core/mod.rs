// SPDX-License-Identifier: Apache-2.0
//! One core: its state, and how whoever runs it talks to it.

use crate::error::RiscvError;
use crate::memory::Memory;
use crate::program::Program;
use crate::registers::Registers;
use crate::trap::Trap;
use serde::{Deserialize, Serialize};

pub use call::Call;
pub use saved::SavedCore;

mod arguments;
mod atomic;
mod call;
mod control;
mod execute;
mod integer;
mod saved;

/// A core: plain data, of which a checkpoint holds [`Core::saved`]. The program is not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// What the program sees.
    pub registers: Registers,
    /// Its memory.
    pub memory: Memory,
    /// Address of the next instruction.
    pub pc: u64,
    /// When the next instruction begins.
    pub cycle: u64,
    /// Instructions executed.
    pub retired_instructions: u64,
    /// Number of the core, `mhartid`.
    pub hart: u64,
    /// What the last load-reserved read, until a store-conditional.
    reservation: Option<u64>,
    /// A port access that has no response yet.
    pending: Option<Pending>,
}

/// A load or store in the window of ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Address of the instruction.
    pub pc: u64,
    /// Address of the port, a multiple of `bytes`.
    pub address: u64,
    /// 4 or 8: one word or two.
    pub bytes: u8,
    /// Load or store.
    pub kind: AccessKind,
    /// When it begins.
    pub cycle: u64,
    /// When the next instruction begins if there is nothing to wait for.
    pub ready_cycle: u64,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessKind {
    /// Wants a value.
    Load,
    /// Brings one. Of two words the lower half is the first.
    Store {
        /// The value; of 4 bytes, the upper half is zero.
        value: u64,
    },
}

/// Why a core does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stopped {
    /// It waits for [`Core::finish_load`] or [`Core::finish_store`].
    Port(Access),
    /// It waits for [`Core::finish_call`]; where nobody carries calls out, this is a trap ([`Call::refused`]).
    Call(Call),
    /// Its next instruction begins at the limit or later.
    CycleLimit,
    /// It cannot go on.
    Trap(Trap),
    /// The program asked to end (`ecall` with a7 = 93).
    Exit {
        /// Its a0.
        code: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Pending {
    access: Access,
    next_pc: u64,
    /// Where a load's value goes.
    target: Option<Target>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Target {
    register: u8,
    kind: TargetKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum TargetKind {
    Signed,
    Unsigned,
    Float,
}

impl Core {
    /// A core at the start of a program: its segments and arguments in memory, the stack pointer (x2) below the arguments, which are at
    /// the end of the memory, their number and the address of their list in a1 and a2, all other registers zero.
    ///
    /// # Errors
    /// The memory's size is not accepted, or segments and arguments do not fit into it.
    pub fn new(program: &Program, memory_bytes: u64, hart: u64) -> Result<Self, RiscvError> {
        let mut memory = Memory::new(memory_bytes)?;
        program.image().place(&mut memory)?;
        let mut registers = Registers::new();
        let arguments = arguments::place(program.image(), &mut memory)?;
        registers.x[2] = arguments.address;
        registers.x[11] = arguments.count;
        registers.x[12] = if arguments.count == 0 {
            0
        } else {
            arguments.address
        };
        Ok(Self {
            registers,
            memory,
            pc: program.image().entry,
            cycle: 0,
            retired_instructions: 0,
            hart,
            reservation: None,
            pending: None,
        })
    }

    /// Executes instructions that begin before `until_cycle`, up to the next port access or call.
    ///
    /// Nothing from outside can reach the core before that, so running ahead of everybody else is exact.
    pub fn run(&mut self, program: &Program, until_cycle: u64) -> Stopped {
        match self.pending {
            Some(pending) => Stopped::Port(pending.access),
            None => execute::run(self, program, until_cycle),
        }
    }

    /// The access that waits for a response.
    #[must_use]
    pub fn pending_access(&self) -> Option<Access> {
        self.pending.map(|pending| pending.access)
    }

    /// Responds to a load: the value, and when the next instruction begins (not before [`Access::ready_cycle`]).
    ///
    /// False, and nothing is done, if no load waits.
    pub fn finish_load(&mut self, value: u64, cycle: u64) -> bool {
        let Some((pending, target)) = self.pending.and_then(|p| Some((p, p.target?))) else {
            return false;
        };
        let is_word = pending.access.bytes == 4;
        let low = value as u32;
        match target.kind {
            TargetKind::Float if is_word => {
                let boxed = 0xffff_ffff_0000_0000 | u64::from(low);
                self.registers.write_float(target.register, boxed);
            }
            TargetKind::Float => self.registers.write_float(target.register, value),
            TargetKind::Signed if is_word => {
                let extended = i64::from(low.cast_signed()).cast_unsigned();
                self.registers.write(target.register, extended);
            }
            TargetKind::Unsigned if is_word => {
                self.registers.write(target.register, u64::from(low));
            }
            TargetKind::Signed | TargetKind::Unsigned => {
                self.registers.write(target.register, value);
            }
        }
        self.go_on(pending, cycle);
        true
    }

    /// Responds to a store: when the next instruction begins (not before [`Access::ready_cycle`]).
    ///
    /// False, and nothing is done, if no store waits.
    pub fn finish_store(&mut self, cycle: u64) -> bool {
        let Some(pending) = self.pending.filter(|pending| pending.target.is_none()) else {
            return false;
        };
        self.go_on(pending, cycle);
        true
    }

    fn go_on(&mut self, pending: Pending, cycle: u64) {
        self.pending = None;
        self.pc = pending.next_pc;
        self.cycle = cycle.max(pending.access.ready_cycle);
        self.retired_instructions += 1;
    }
}
