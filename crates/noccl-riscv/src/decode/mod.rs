// SPDX-License-Identifier: Apache-2.0
//! From bits to records.
//!
//! Code is decoded once, at every halfword where an instruction may begin, so executing it needs no bits of encodings.
//! What is no instruction of RV64IMAFDC becomes [`Operation::Illegal`], which traps only where it is executed. Source:
//! The RISC-V Instruction Set Manual, volume I, unprivileged architecture, version 20191213.

use crate::cost::CostTable;
use crate::instruction::{AtomicOperation, ControlOperation, Instruction, Operation, Width};

mod compressed;
mod float;
mod integer;

/// What a decoder says of a word: the operation, its cost and its immediate.
type Decoded = Option<(Operation, u16, i32)>;

/// Decodes whatever begins at the start of `code`.
pub(crate) fn decode(code: &[u8], costs: &CostTable) -> Instruction {
    let half = |at: usize| Some(u16::from_le_bytes([*code.get(at)?, *code.get(at + 1)?]));
    let Some(low) = half(0) else {
        return without_operands(Operation::NoCode, 0, 2);
    };
    if low & 3 != 3 {
        return match compressed::expand(low) {
            Some(word) => decode_word(word, 2, costs),
            None => without_operands(Operation::Illegal, u32::from(low), 2),
        };
    }
    match half(2) {
        Some(high) => decode_word(u32::from(low) | u32::from(high) << 16, 4, costs),
        None => without_operands(Operation::NoCode, 0, 2),
    }
}

fn without_operands(operation: Operation, word: u32, length_bytes: u8) -> Instruction {
    Instruction {
        operation,
        rd: 0,
        rs1: 0,
        rs2: 0,
        rs3: 0,
        rounding: 0,
        length_bytes,
        cost_cycles: 0,
        immediate: word.cast_signed(),
    }
}

fn decode_word(word: u32, length_bytes: u8, costs: &CostTable) -> Instruction {
    let fields = Fields(word);
    let Some((operation, cost_cycles, immediate)) = decode_fields(fields, costs) else {
        return without_operands(Operation::Illegal, word, length_bytes);
    };
    Instruction {
        operation,
        rd: fields.rd(),
        rs1: fields.rs1(),
        rs2: fields.rs2(),
        rs3: fields.rs3(),
        rounding: fields.funct3(),
        length_bytes,
        cost_cycles,
        immediate,
    }
}

fn decode_fields(fields: Fields, costs: &CostTable) -> Decoded {
    match fields.opcode() {
        0x03 => integer::load(fields, costs),
        0x07 => float::load(fields, costs),
        0x0f => (fields.funct3() <= 1).then_some((Operation::Fence, costs.integer_cycles, 0)),
        0x13 => integer::immediate(fields, costs),
        0x17 => Some((Operation::PcRelative, costs.integer_cycles, fields.upper())),
        0x1b => integer::immediate_word(fields, costs),
        0x23 => integer::store(fields, costs),
        0x27 => float::store(fields, costs),
        0x2f => atomic(fields, costs),
        0x33 => integer::register(fields, costs),
        0x37 => Some((Operation::Constant, costs.integer_cycles, fields.upper())),
        0x3b => integer::register_word(fields, costs),
        0x43 | 0x47 | 0x4b | 0x4f => float::fused(fields, costs),
        0x53 => float::arithmetic(fields, costs),
        0x63 => integer::branch(fields, costs),
        0x67 => (fields.funct3() == 0).then_some((
            Operation::JumpRegister,
            costs.jump_cycles,
            fields.immediate(),
        )),
        0x6f => Some((Operation::Jump, costs.jump_cycles, fields.jump_offset())),
        0x73 => system(fields, costs),
        _ => None,
    }
}

fn atomic(fields: Fields, costs: &CostTable) -> Decoded {
    let width = match fields.funct3() {
        2 => Width::Word,
        3 => Width::Double,
        _ => return None,
    };
    let operation = match fields.funct7() >> 2 {
        0x00 => AtomicOperation::Add,
        0x01 => AtomicOperation::Swap,
        0x02 if fields.rs2() == 0 => AtomicOperation::LoadReserved,
        0x03 => AtomicOperation::StoreConditional,
        0x04 => AtomicOperation::Xor,
        0x08 => AtomicOperation::Or,
        0x0c => AtomicOperation::And,
        0x10 => AtomicOperation::Min,
        0x14 => AtomicOperation::Max,
        0x18 => AtomicOperation::MinUnsigned,
        0x1c => AtomicOperation::MaxUnsigned,
        _ => return None,
    };
    let cycles = costs.atomic_cycles;
    Some((Operation::Atomic(operation, width), cycles, 0))
}

fn system(fields: Fields, costs: &CostTable) -> Decoded {
    let operation = match fields.funct3() {
        0 => match fields.0 {
            0x0000_0073 => Operation::EnvironmentCall,
            0x0010_0073 => Operation::Breakpoint,
            _ => return None,
        },
        1 => Operation::Control(ControlOperation::Write),
        2 => Operation::Control(ControlOperation::Set),
        3 => Operation::Control(ControlOperation::Clear),
        5 => Operation::Control(ControlOperation::WriteImmediate),
        6 => Operation::Control(ControlOperation::SetImmediate),
        7 => Operation::Control(ControlOperation::ClearImmediate),
        _ => return None,
    };
    Some((operation, costs.integer_cycles, fields.immediate() & 0xfff))
}

// Fields of a 32-bit instruction word, so that no other place shifts bits of encodings.

/// An instruction word.
#[derive(Debug, Clone, Copy)]
struct Fields(pub u32);

impl Fields {
    const fn bits(self, low: u32, count: u32) -> u8 {
        ((self.0 >> low) & ((1 << count) - 1)) as u8
    }

    pub const fn opcode(self) -> u8 {
        self.bits(0, 7)
    }

    pub const fn rd(self) -> u8 {
        self.bits(7, 5)
    }

    pub const fn funct3(self) -> u8 {
        self.bits(12, 3)
    }

    pub const fn rs1(self) -> u8 {
        self.bits(15, 5)
    }

    pub const fn rs2(self) -> u8 {
        self.bits(20, 5)
    }

    pub const fn rs3(self) -> u8 {
        self.bits(27, 5)
    }

    pub const fn funct7(self) -> u8 {
        self.bits(25, 7)
    }

    /// Format of a floating-point operation: 0 single, 1 double.
    pub const fn format(self) -> u8 {
        self.bits(25, 2)
    }

    /// The 12 bits of loads and immediate operations, sign extended.
    pub const fn immediate(self) -> i32 {
        self.0.cast_signed() >> 20
    }

    /// Shift distance of six bits.
    pub const fn shift(self) -> i32 {
        self.bits(20, 6) as i32
    }

    pub const fn store_offset(self) -> i32 {
        (self.0.cast_signed() >> 25) << 5 | self.bits(7, 5) as i32
    }

    pub const fn branch_offset(self) -> i32 {
        (self.0.cast_signed() >> 31) << 12
            | (self.bits(7, 1) as i32) << 11
            | (self.bits(25, 6) as i32) << 5
            | (self.bits(8, 4) as i32) << 1
    }

    pub const fn jump_offset(self) -> i32 {
        (self.0.cast_signed() >> 31) << 20
            | (self.bits(12, 8) as i32) << 12
            | (self.bits(20, 1) as i32) << 11
            | (((self.0 >> 21) & 0x3ff) as i32) << 1
    }

    /// The upper 20 bits, in place.
    pub const fn upper(self) -> i32 {
        (self.0 & 0xffff_f000).cast_signed()
    }
}
