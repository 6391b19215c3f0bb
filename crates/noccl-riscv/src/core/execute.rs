// SPDX-License-Identifier: Apache-2.0
//! The loop that executes: look a record up, do what it says, add its cost.
//!
//! Nothing here allocates. Whatever is rare leaves the loop as a [`Halt`] and is judged behind it: ports, traps, stores
//! below the code.

use super::integer::extended;
use super::{
    Access, AccessKind, Call, Core, Pending, Stopped, Target, TargetKind, atomic, control, integer,
};
use crate::float::{self, Double, Single};
use crate::instruction::{Instruction, Operation};
use crate::port::{PORTS_BASE, PORTS_BYTES};
use crate::program::Program;
use crate::trap::{Trap, TrapCause};

/// Number of the request to end, as on Linux.
const EXIT: u64 = 93;

/// Why the loop ended.
enum Halt {
    CycleLimit,
    Call,
    Trap(TrapCause),
    Illegal,
    /// A load that is not in memory.
    Load {
        address: u64,
        bytes: u8,
        target: Target,
    },
    /// A store that is not in memory above the code.
    Store {
        address: u64,
        bytes: u8,
        value: u64,
    },
}

#[inline(always)]
fn signed(immediate: i32) -> u64 {
    i64::from(immediate).cast_unsigned()
}

/// See [`Core::run`].
pub(super) fn run(core: &mut Core, program: &Program, until_cycle: u64) -> Stopped {
    loop {
        let halt = execute(core, program, until_cycle);
        if let Some(stopped) = settle(core, program, &halt) {
            return stopped;
        }
    }
}

// One table of what instructions do.
fn execute(core: &mut Core, program: &Program, until_cycle: u64) -> Halt {
    let instructions = program.instructions();
    let code_base = program.code_base();
    let code_end = program.code_end();
    let taken_cycles = u64::from(program.costs().branch_taken_cycles);
    let (mut pc, mut cycle, mut retired) = (core.pc, core.cycle, core.retired_instructions);
    let halt = loop {
        if cycle >= until_cycle {
            break Halt::CycleLimit;
        }
        let Some(i) = instructions.get((pc.wrapping_sub(code_base) >> 1) as usize) else {
            break Halt::Trap(TrapCause::FetchOutside);
        };
        let mut next = pc.wrapping_add(u64::from(i.length_bytes));
        let mut cost = u64::from(i.cost_cycles);
        let a = core.registers.read(i.rs1);
        let b = core.registers.read(i.rs2);
        let immediate = signed(i.immediate);
        macro_rules! set {
            ($value:expr) => {
                core.registers.write(i.rd, $value)
            };
        }
        macro_rules! branch {
            ($condition:expr) => {
                if $condition {
                    next = pc.wrapping_add(immediate);
                    cost = taken_cycles;
                }
            };
        }
        macro_rules! load {
            ($integer:ty, $kind:expr, $write:ident, $value:expr) => {{
                let address = a.wrapping_add(immediate);
                match core.memory.load(address) {
                    Some(bytes) => {
                        let value: fn($integer) -> u64 = $value;
                        core.registers
                            .$write(i.rd, value(<$integer>::from_le_bytes(bytes)));
                    }
                    None => break outside_load(address, size_of::<$integer>() as u8, i.rd, $kind),
                }
            }};
        }
        macro_rules! store {
            ($integer:ty, $value:expr) => {{
                let address = a.wrapping_add(immediate);
                let value = $value as $integer;
                let stored = if address >= code_end {
                    core.memory.store(address, value.to_le_bytes())
                } else {
                    None
                };
                if stored.is_none() {
                    let bytes = size_of::<$integer>() as u8;
                    let value = u64::from(value);
                    break Halt::Store {
                        address,
                        bytes,
                        value,
                    };
                }
            }};
        }
        match i.operation {
            Operation::Constant => set!(immediate),
            Operation::PcRelative => set!(pc.wrapping_add(immediate)),
            Operation::Jump => {
                set!(next);
                next = pc.wrapping_add(immediate);
            }
            Operation::JumpRegister => {
                set!(next);
                next = a.wrapping_add(immediate) & !1;
            }
            Operation::BranchEqual => branch!(a == b),
            Operation::BranchNotEqual => branch!(a != b),
            Operation::BranchLess => branch!(a.cast_signed() < b.cast_signed()),
            Operation::BranchNotLess => branch!(a.cast_signed() >= b.cast_signed()),
            Operation::BranchBelow => branch!(a < b),
            Operation::BranchNotBelow => branch!(a >= b),
            Operation::LoadByte => {
                load!(i8, TargetKind::Signed, write, |v| i64::from(v)
                    .cast_unsigned());
            }
            Operation::LoadHalf => {
                load!(i16, TargetKind::Signed, write, |v| i64::from(v)
                    .cast_unsigned());
            }
            Operation::LoadWord => {
                load!(i32, TargetKind::Signed, write, |v| i64::from(v)
                    .cast_unsigned());
            }
            Operation::LoadDouble => load!(u64, TargetKind::Signed, write, |v| v),
            Operation::LoadByteUnsigned => load!(u8, TargetKind::Unsigned, write, u64::from),
            Operation::LoadHalfUnsigned => load!(u16, TargetKind::Unsigned, write, u64::from),
            Operation::LoadWordUnsigned => load!(u32, TargetKind::Unsigned, write, u64::from),
            Operation::StoreByte => store!(u8, b),
            Operation::StoreHalf => store!(u16, b),
            Operation::StoreWord => store!(u32, b),
            Operation::StoreDouble => store!(u64, b),
            Operation::AddImmediate => set!(a.wrapping_add(immediate)),
            Operation::AddWordImmediate => set!(extended(a.wrapping_add(immediate) as u32)),
            Operation::AndImmediate => set!(a & immediate),
            Operation::OrImmediate => set!(a | immediate),
            Operation::XorImmediate => set!(a ^ immediate),
            Operation::LessImmediate => {
                set!(u64::from(a.cast_signed() < immediate.cast_signed()));
            }
            Operation::BelowImmediate => set!(u64::from(a < immediate)),
            Operation::ShiftLeftImmediate => set!(a << (immediate & 63)),
            Operation::ShiftRightImmediate => set!(a >> (immediate & 63)),
            Operation::ShiftRightArithmeticImmediate => {
                set!((a.cast_signed() >> (immediate & 63)).cast_unsigned());
            }
            Operation::Add => set!(a.wrapping_add(b)),
            Operation::Subtract => set!(a.wrapping_sub(b)),
            Operation::And => set!(a & b),
            Operation::Or => set!(a | b),
            Operation::Xor => set!(a ^ b),
            Operation::Less => set!(u64::from(a.cast_signed() < b.cast_signed())),
            Operation::Below => set!(u64::from(a < b)),
            Operation::ShiftLeft => set!(a << (b & 63)),
            Operation::ShiftRight => set!(a >> (b & 63)),
            Operation::ShiftRightArithmetic => {
                set!((a.cast_signed() >> (b & 63)).cast_unsigned());
            }
            Operation::AddWord => set!(extended(a.wrapping_add(b) as u32)),
            Operation::SubtractWord => set!(extended(a.wrapping_sub(b) as u32)),
            Operation::Multiply => set!(a.wrapping_mul(b)),
            Operation::LoadFloatWord => {
                load!(
                    u32,
                    TargetKind::Float,
                    write_float,
                    |v| 0xffff_ffff_0000_0000 | u64::from(v)
                );
            }
            Operation::LoadFloatDouble => load!(u64, TargetKind::Float, write_float, |v| v),
            Operation::StoreFloatWord => store!(u32, core.registers.read_float(i.rs2)),
            Operation::StoreFloatDouble => store!(u64, core.registers.read_float(i.rs2)),
            Operation::Fence => {}
            Operation::Integer(rare) => set!(integer::compute(rare, a, b, i.immediate)),
            Operation::Atomic(operation, width) => {
                if let Err(cause) = atomic::execute(core, program, i, operation, width) {
                    break Halt::Trap(cause);
                }
            }
            Operation::Control(operation) => {
                if control::execute(core, i, operation, cycle, retired).is_none() {
                    break Halt::Illegal;
                }
            }
            Operation::Single(operation) => {
                let done = float::execute::<Single, Double>(&mut core.registers, i, operation);
                if done.is_none() {
                    break Halt::Illegal;
                }
            }
            Operation::Double(operation) => {
                let done = float::execute::<Double, Single>(&mut core.registers, i, operation);
                if done.is_none() {
                    break Halt::Illegal;
                }
            }
            Operation::SingleQuery(query) => {
                if float::query::<Single>(&mut core.registers, i, query).is_none() {
                    break Halt::Illegal;
                }
            }
            Operation::DoubleQuery(query) => {
                if float::query::<Double>(&mut core.registers, i, query).is_none() {
                    break Halt::Illegal;
                }
            }
            Operation::EnvironmentCall => break Halt::Call,
            Operation::Breakpoint => break Halt::Trap(TrapCause::Breakpoint),
            Operation::Illegal => break Halt::Illegal,
            Operation::NoCode => break Halt::Trap(TrapCause::FetchOutside),
        }
        pc = next;
        cycle += cost;
        retired += 1;
    };
    (core.pc, core.cycle, core.retired_instructions) = (pc, cycle, retired);
    halt
}

#[cold]
fn outside_load(address: u64, bytes: u8, register: u8, kind: TargetKind) -> Halt {
    let target = Target { register, kind };
    Halt::Load {
        address,
        bytes,
        target,
    }
}

/// What a halt means. None: it was a store below the code, now done, and the loop goes on.
fn settle(core: &mut Core, program: &Program, halt: &Halt) -> Option<Stopped> {
    let pc = core.pc;
    let trap = |cause| Some(Stopped::Trap(Trap { pc, cause }));
    match *halt {
        Halt::CycleLimit => Some(Stopped::CycleLimit),
        Halt::Trap(cause) => trap(cause),
        Halt::Illegal => trap(TrapCause::IllegalInstruction {
            word: program.word_at(pc),
        }),
        Halt::Call => Some(called(core)),
        Halt::Load {
            address,
            bytes,
            target,
        } => match port_access(address, bytes) {
            Some(Ok(())) => pend(
                core,
                program,
                address,
                bytes,
                AccessKind::Load,
                Some(target),
            ),
            Some(Err(cause)) => trap(cause),
            None => trap(TrapCause::LoadOutside { address, bytes }),
        },
        Halt::Store {
            address,
            bytes,
            value,
        } => match port_access(address, bytes) {
            Some(Ok(())) => pend(
                core,
                program,
                address,
                bytes,
                AccessKind::Store { value },
                None,
            ),
            Some(Err(cause)) => trap(cause),
            None => match store_below(core, program, address, bytes, value) {
                Ok(()) => None,
                Err(cause) => trap(cause),
            },
        },
    }
}

/// The request to end, or a call of somebody outside.
fn called(core: &Core) -> Stopped {
    let x = &core.registers.x;
    if x[17] == EXIT {
        return Stopped::Exit { code: x[10] };
    }
    Stopped::Call(Call {
        pc: core.pc,
        number: x[17],
        arguments: [x[10], x[11], x[12], x[13], x[14], x[15], x[16]],
        cycle: core.cycle,
    })
}

/// Whether an access is one to a port, and if it is one that ports accept.
fn port_access(address: u64, bytes: u8) -> Option<Result<(), TrapCause>> {
    if !(PORTS_BASE..PORTS_BASE + PORTS_BYTES).contains(&address) {
        return None;
    }
    if bytes < 4 {
        return Some(Err(TrapCause::NarrowPortAccess { address, bytes }));
    }
    if !address.is_multiple_of(u64::from(bytes)) {
        return Some(Err(TrapCause::Misaligned { address, bytes }));
    }
    Some(Ok(()))
}

fn pend(
    core: &mut Core,
    program: &Program,
    address: u64,
    bytes: u8,
    kind: AccessKind,
    target: Option<Target>,
) -> Option<Stopped> {
    let instruction = program.instruction_at(core.pc)?;
    let access = Access {
        pc: core.pc,
        address,
        bytes,
        kind,
        cycle: core.cycle,
        ready_cycle: core.cycle + u64::from(instruction.cost_cycles),
    };
    core.pending = Some(Pending {
        access,
        next_pc: core.pc.wrapping_add(u64::from(instruction.length_bytes)),
        target,
    });
    Some(Stopped::Port(access))
}

/// A store to memory that lies before or between code.
fn store_below(
    core: &mut Core,
    program: &Program,
    address: u64,
    bytes: u8,
    value: u64,
) -> Result<(), TrapCause> {
    let last = address.saturating_add(u64::from(bytes) - 1);
    let place = core.memory.write(address, u64::from(bytes));
    let place = place.ok_or(TrapCause::StoreOutside { address, bytes })?;
    if program.is_code(address) || program.is_code(last) {
        return Err(TrapCause::StoreToCode { address, bytes });
    }
    for (byte, new) in place.iter_mut().zip(value.to_le_bytes()) {
        *byte = new;
    }
    let instruction = program.instruction_at(core.pc);
    let Some(Instruction {
        length_bytes,
        cost_cycles,
        ..
    }) = instruction
    else {
        return Err(TrapCause::FetchOutside);
    };
    core.pc = core.pc.wrapping_add(u64::from(*length_bytes));
    core.cycle += u64::from(*cost_cycles);
    core.retired_instructions += 1;
    Ok(())
}
