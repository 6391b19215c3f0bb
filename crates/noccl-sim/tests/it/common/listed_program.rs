// SPDX-License-Identifier: Apache-2.0
//! A program of a few instructions that does what a list of the rank says, operation by operation.
//!
//! Every value that a rank reads goes into a sum, with which it ends: whatever a run does otherwise, some rank ends otherwise.

use noccl_riscv::{Image, MEMORY_BASE, Port, Segment};

pub const MEMORY_BYTES: u64 = 1 << 18;
/// Lists begin here, one every so many bytes.
const LISTS: u64 = MEMORY_BASE + 0x1000;
const LIST_BYTES: u64 = 1 << LIST_SHIFT;
const LIST_SHIFT: u32 = 13;
const ENTRY_BYTES: u64 = 24;
/// Memory of the rank.
pub const DATA: u64 = MEMORY_BASE + 0x2_1000;

/// What a rank does.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    /// Stores 64 or 32 bits.
    Store64(u64, u64),
    Store32(u64, u64),
    /// Adds what it loads to the sum.
    Load64(u64),
    Load32(u64),
    /// Counts to a number that is not zero.
    Spin(u64),
    /// Load-reserved and store-conditional.
    Reserve(u64),
    Conditional(u64, u64),
    /// Sets bits of `fcsr` and adds what it was.
    Flags(u64),
    /// Prints the lowest byte of the sum.
    Print,
    /// Adds to a floating-point register, and adds its bits.
    AddFloat(f64),
    ReadFloat,
}

impl Operation {
    fn entry(self) -> [u64; 3] {
        match self {
            Self::Store64(address, value) => [1, address, value],
            Self::Store32(address, value) => [2, address, value],
            Self::Load64(address) => [3, address, 0],
            Self::Load32(address) => [4, address, 0],
            Self::Spin(count) => [5, 0, count],
            Self::Reserve(address) => [6, address, 0],
            Self::Conditional(address, value) => [7, address, value],
            Self::Flags(bits) => [8, 0, bits],
            Self::Print => [9, Port::Console.address(), 0],
            Self::AddFloat(value) => [10, 0, value.to_bits()],
            Self::ReadFloat => [11, 0, 0],
        }
    }
}

const fn i_type(opcode: u32, f3: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    (immediate & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

const fn r_type(opcode: u32, f3: u32, f7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

/// A store without an offset.
const fn store(f3: u32, rs2: u32, rs1: u32) -> u32 {
    r_type(0x23, f3, 0, 0, rs1, rs2)
}

const fn jump_back(bytes: u32) -> u32 {
    let to = bytes.wrapping_neg();
    (to >> 20 & 1) << 31
        | (to >> 1 & 0x3ff) << 21
        | (to >> 11 & 1) << 20
        | (to >> 12 & 0xff) << 12
        | 0x6f
}

fn code() -> Vec<u32> {
    let (t0, t1, s0, s1, a0, a1, a2) = (5, 6, 8, 9, 10, 11, 12);
    let mut words = vec![
        // csrr t0, mhartid; slli t0, t0, LIST_SHIFT; lui s0, LISTS; add s0, s0, t0
        i_type(0x73, 2, t0, 0, 0xf14),
        i_type(0x13, 1, t0, t0, LIST_SHIFT),
        LISTS as u32 | s0 << 7 | 0x37,
        r_type(0x33, 0, 0, s0, s0, t0),
    ];
    let again = 4 * words.len() as u32;
    words.extend([
        // ld t0, 0(s0); ld a0, 8(s0); ld a1, 16(s0); addi s0, s0, ENTRY_BYTES; slli t0, t0, 4
        i_type(0x03, 3, t0, s0, 0),
        i_type(0x03, 3, a0, s0, 8),
        i_type(0x03, 3, a1, s0, 16),
        i_type(0x13, 0, s0, s0, ENTRY_BYTES as u32),
        i_type(0x13, 1, t0, t0, 4),
        // auipc t1, 0; add t1, t1, t0; jr 12(t1): four words per operation
        t1 << 7 | 0x17,
        r_type(0x33, 0, 0, t1, t1, t0),
        i_type(0x67, 0, 0, t1, 12),
    ]);
    let sum = r_type(0x33, 0, 0, s1, s1, a2);
    // bnez a1, -4
    let until_zero = 0xfe05_9ee3;
    let operations: [&[u32]; 12] = [
        &[store(2, s1, a0)],
        &[store(3, a1, a0)],
        &[store(2, a1, a0)],
        &[i_type(0x03, 3, a2, a0, 0), sum],
        &[i_type(0x03, 6, a2, a0, 0), sum],
        &[i_type(0x13, 0, a1, a1, 0xfff), until_zero],
        &[r_type(0x2f, 3, 2 << 2, a2, a0, 0), sum],
        &[r_type(0x2f, 3, 3 << 2, a2, a0, a1), sum],
        &[i_type(0x73, 2, a2, a1, 3), sum],
        &[store(2, s1, a0)],
        // fmv.d.x fa0, a1; fadd.d fs0, fs0, fa0
        &[
            r_type(0x53, 0, 0x79, 10, a1, 0),
            r_type(0x53, 7, 1, 8, 8, 10),
        ],
        // fmv.x.d a2, fs0
        &[r_type(0x53, 0, 0x71, a2, 8, 0), sum],
    ];
    for operation in operations {
        let end = words.len() + 4;
        words.extend(operation);
        words.push(jump_back(4 * words.len() as u32 - again));
        words.resize(end, 0);
    }
    words
}

/// The program with a list per rank.
pub fn image(lists: &[Vec<Operation>]) -> Image {
    let mut memory = vec![0_u8; lists.len() * LIST_BYTES as usize];
    for (list, memory) in lists
        .iter()
        .zip(memory.chunks_exact_mut(LIST_BYTES as usize))
    {
        assert!((list.len() as u64 + 1) * ENTRY_BYTES <= LIST_BYTES);
        let end = [0, Port::End.address(), 0];
        let entries = list.iter().map(|operation| operation.entry());
        let words = entries.chain([end]).flatten();
        for (word, place) in words.zip(memory.chunks_exact_mut(8)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    let code: Vec<u8> = code().iter().flat_map(|word| word.to_le_bytes()).collect();
    let segment = |address, bytes: Vec<u8>, is_executable| Segment {
        address,
        memory_bytes: bytes.len() as u64,
        bytes,
        is_executable,
    };
    Image {
        entry: MEMORY_BASE,
        segments: vec![
            segment(MEMORY_BASE, code, true),
            segment(LISTS, memory, false),
        ],
        symbols: Vec::new(),
        arguments: Vec::new(),
        surroundings: noccl_riscv::Surroundings::default(),
    }
}
