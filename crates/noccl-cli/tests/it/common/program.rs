// SPDX-License-Identifier: Apache-2.0
//! A program file without a compiler.

/// Address of the first instruction, where the memory of a core begins.
const ENTRY: u64 = 0x1000_0000;

const fn i_type(opcode: u32, f3: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    (immediate & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

const fn store(f3: u32, rs2: u32, rs1: u32, offset: u32) -> u32 {
    (offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (offset & 31) << 7 | 0x23
}

const fn r_type(f3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33
}

/// Every rank sends itself so many packets, prints a byte of their sum, and ends; of `count`, bit 11 has to be zero.
pub fn packets_to_itself(count: u32) -> Vec<u8> {
    let (sp, t0, t1, t2, s1, a0) = (2, 5, 6, 7, 9, 10);
    elf(&[
        // lui t0, ports; ld a0, COLUMN; ld t1, ROW; slli t1, t1, 8; or t1, t1, a0
        0x0f00_0000 | t0 << 7 | 0x37,
        i_type(0x03, 3, a0, t0, 8 * 13),
        i_type(0x03, 3, t1, t0, 8 * 14),
        i_type(0x13, 1, t1, t1, 8),
        r_type(6, t1, t1, a0),
        // li t2, count
        (count & 0xffff_f000) | t2 << 7 | 0x37,
        i_type(0x13, 0, t2, t2, count & 0x7ff),
        // sw t1, SEND; lw a0, RECEIVE_OTHER; sd s1, -8(sp); add s1, s1, a0; addi s1, s1, 1
        store(2, t1, t0, 0),
        i_type(0x03, 2, a0, t0, 8 * 5),
        store(3, s1, sp, 0xff8),
        r_type(0, s1, s1, a0),
        i_type(0x13, 0, s1, s1, 1),
        // addi t2, t2, -1; bnez t2, -24
        i_type(0x13, 0, t2, t2, 0xfff),
        0xfe00_14e3 | t2 << 15,
        // sw s1, CONSOLE; sw zero, END
        store(2, s1, t0, 8 * 17),
        store(2, 0, t0, 8 * 18),
    ])
}

/// An ELF file with one segment of code.
fn elf(words: &[u32]) -> Vec<u8> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (length, offset) = (code.len() as u64, 64 + 56);
    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1];
    file.resize(16, 0);
    // An executable for RISC-V.
    file.extend([2_u16, 243].map(u16::to_le_bytes).concat());
    file.extend(1_u32.to_le_bytes());
    file.extend([ENTRY, 64, 0].map(u64::to_le_bytes).concat());
    file.extend(0_u32.to_le_bytes());
    file.extend([64_u16, 56, 1, 0, 0, 0].map(u16::to_le_bytes).concat());
    // A segment to load, read and executed.
    file.extend([1_u32, 5].map(u32::to_le_bytes).concat());
    let segment = [offset, ENTRY, ENTRY, length, length, 1];
    file.extend(segment.map(u64::to_le_bytes).concat());
    file.extend(code);
    file
}
