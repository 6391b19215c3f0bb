// SPDX-License-Identifier: Apache-2.0
//! Small programs written as instruction words.

use noccl_riscv::{Core, CostTable, Image, MEMORY_BASE, Program, RiscvError, Segment};

pub const MEMORY_BYTES: u64 = 1 << 16;
/// Where the tests keep data.
pub const DATA: u64 = MEMORY_BASE + 0x8000;

/// Costs that tell all classes apart.
pub const COSTS: CostTable = CostTable {
    integer_cycles: 1,
    multiply_cycles: 3,
    divide_cycles: 31,
    load_cycles: 2,
    store_cycles: 5,
    branch_taken_cycles: 7,
    branch_not_taken_cycles: 4,
    jump_cycles: 6,
    atomic_cycles: 11,
    float_add_cycles: 13,
    float_multiply_cycles: 17,
    float_fused_cycles: 19,
    float_divide_cycles: 41,
    float_sqrt_cycles: 43,
    float_convert_cycles: 23,
    float_compare_cycles: 8,
    float_move_cycles: 9,
};

pub fn image(words: &[u32]) -> Image {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Image {
        entry: MEMORY_BASE,
        segments: vec![Segment {
            address: MEMORY_BASE,
            memory_bytes: bytes.len() as u64,
            bytes,
            is_executable: true,
        }],
        symbols: Vec::new(),
        arguments: Vec::new(),
        surroundings: noccl_riscv::Surroundings::default(),
    }
}

/// A program of these words and a core at its start.
pub fn machine(words: &[u32]) -> Result<(Program, Core), RiscvError> {
    let program = Program::new(image(words), &COSTS)?;
    let core = Core::new(&program, MEMORY_BYTES, 3)?;
    Ok((program, core))
}

pub const EBREAK: u32 = 0x0010_0073;
pub const ECALL: u32 = 0x0000_0073;

pub const fn i_type(opcode: u32, f3: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    immediate.cast_unsigned() << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

pub const fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i_type(0x13, 0, rd, rs1, immediate)
}

pub const fn lui(rd: u32, upper: u32) -> u32 {
    (upper & 0xffff_f000) | rd << 7 | 0x37
}

pub const fn load(f3: u32, rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, f3, rd, rs1, offset)
}

pub const fn store(f3: u32, rs2: u32, rs1: u32, offset: i32) -> u32 {
    let offset = offset.cast_unsigned() & 0xfff;
    (offset >> 5) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (offset & 31) << 7 | 0x23
}

pub const fn r_type(opcode: u32, f3: u32, f7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}
