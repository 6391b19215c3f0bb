// SPDX-License-Identifier: Apache-2.0
//! Compressed instructions: each stands for a 32-bit one.
//!
//! Expanding them to words keeps one decoder. Reserved encodings and those of other extensions expand to nothing.
//! Source: the manual, chapter 16, tables 16.5 to 16.7.

/// The 32-bit word that a compressed instruction stands for.
pub(super) fn expand(half: u16) -> Option<u32> {
    let half = u32::from(half);
    match (half & 3, half >> 13) {
        (0, function) => quadrant_0(half, function),
        (1, function) => quadrant_1(half, function),
        (2, function) => quadrant_2(half, function),
        _ => None,
    }
}

const LOAD: u32 = 0x03;
const LOAD_FLOAT: u32 = 0x07;
const IMMEDIATE: u32 = 0x13;
const IMMEDIATE_WORD: u32 = 0x1b;
const STORE: u32 = 0x23;
const STORE_FLOAT: u32 = 0x27;
const REGISTER: u32 = 0x33;
const REGISTER_WORD: u32 = 0x3b;
const STACK_POINTER: u32 = 2;

/// Bits `low..low + count` of `half`, shifted to `to`.
const fn field(half: u32, low: u32, count: u32, to: u32) -> u32 {
    ((half >> low) & ((1 << count) - 1)) << to
}

/// Sign extends from bit `bit`.
const fn extended(value: u32, bit: u32) -> u32 {
    (value << (31 - bit)).cast_signed().wrapping_shr(31 - bit) as u32
}

/// Register number of three bits: x8 to x15.
const fn small(half: u32, low: u32) -> u32 {
    8 + field(half, low, 3, 0)
}

const fn full(half: u32) -> u32 {
    field(half, 7, 5, 0)
}

const fn i_type(opcode: u32, function: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    (immediate & 0xfff) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

const fn s_type(opcode: u32, function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    field(offset, 5, 7, 25)
        | rs2 << 20
        | rs1 << 15
        | function << 12
        | field(offset, 0, 5, 7)
        | opcode
}

const fn r_type(opcode: u32, function: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    (function >> 3) << 25 | rs2 << 20 | rs1 << 15 | (function & 7) << 12 | rd << 7 | opcode
}

const fn branch(function: u32, rs1: u32, offset: u32) -> u32 {
    field(offset, 12, 1, 31)
        | field(offset, 5, 6, 25)
        | rs1 << 15
        | function << 12
        | field(offset, 1, 4, 8)
        | field(offset, 11, 1, 7)
        | 0x63
}

const fn jump(offset: u32) -> u32 {
    field(offset, 20, 1, 31)
        | field(offset, 1, 10, 21)
        | field(offset, 11, 1, 20)
        | field(offset, 12, 8, 12)
        | 0x6f
}

fn quadrant_0(half: u32, function: u32) -> Option<u32> {
    let (rd, rs1) = (small(half, 2), small(half, 7));
    let word = field(half, 10, 3, 3) | field(half, 6, 1, 2) | field(half, 5, 1, 6);
    let double = field(half, 10, 3, 3) | field(half, 5, 2, 6);
    Some(match function {
        0 => {
            let immediate = field(half, 11, 2, 4)
                | field(half, 7, 4, 6)
                | field(half, 6, 1, 2)
                | field(half, 5, 1, 3);
            // All zero is defined to be illegal, and so is the rest without an immediate.
            if immediate == 0 {
                return None;
            }
            i_type(IMMEDIATE, 0, rd, STACK_POINTER, immediate)
        }
        1 => i_type(LOAD_FLOAT, 3, rd, rs1, double),
        2 => i_type(LOAD, 2, rd, rs1, word),
        3 => i_type(LOAD, 3, rd, rs1, double),
        5 => s_type(STORE_FLOAT, 3, rs1, rd, double),
        6 => s_type(STORE, 2, rs1, rd, word),
        7 => s_type(STORE, 3, rs1, rd, double),
        _ => return None,
    })
}

fn quadrant_1(half: u32, function: u32) -> Option<u32> {
    let rd = full(half);
    let immediate = extended(field(half, 12, 1, 5) | field(half, 2, 5, 0), 5);
    Some(match function {
        0 => i_type(IMMEDIATE, 0, rd, rd, immediate),
        1 if rd != 0 => i_type(IMMEDIATE_WORD, 0, rd, rd, immediate),
        2 => i_type(IMMEDIATE, 0, rd, 0, immediate),
        3 if immediate == 0 => return None,
        3 if rd == STACK_POINTER => {
            let offset = field(half, 12, 1, 9)
                | field(half, 6, 1, 4)
                | field(half, 5, 1, 6)
                | field(half, 3, 2, 7)
                | field(half, 2, 1, 5);
            i_type(IMMEDIATE, 0, rd, rd, extended(offset, 9))
        }
        3 => (immediate << 12) | rd << 7 | 0x37,
        4 => return arithmetic(half, immediate),
        5 => jump(jump_offset(half)),
        6 => branch(0, small(half, 7), branch_offset(half)),
        7 => branch(1, small(half, 7), branch_offset(half)),
        _ => return None,
    })
}

const fn jump_offset(half: u32) -> u32 {
    let offset = field(half, 12, 1, 11)
        | field(half, 11, 1, 4)
        | field(half, 9, 2, 8)
        | field(half, 8, 1, 10)
        | field(half, 7, 1, 6)
        | field(half, 6, 1, 7)
        | field(half, 3, 3, 1)
        | field(half, 2, 1, 5);
    extended(offset, 11)
}

const fn branch_offset(half: u32) -> u32 {
    let offset = field(half, 12, 1, 8)
        | field(half, 10, 2, 3)
        | field(half, 5, 2, 6)
        | field(half, 3, 2, 1)
        | field(half, 2, 1, 5);
    extended(offset, 8)
}

fn arithmetic(half: u32, immediate: u32) -> Option<u32> {
    let (rd, rs2) = (small(half, 7), small(half, 2));
    let shift = immediate & 0x3f;
    Some(match field(half, 10, 2, 0) {
        0 => i_type(IMMEDIATE, 5, rd, rd, shift),
        1 => i_type(IMMEDIATE, 5, rd, rd, shift | 0x400),
        2 => i_type(IMMEDIATE, 7, rd, rd, immediate),
        // Function of seven bits before that of three: 0x100 is subtraction.
        _ => match (field(half, 12, 1, 0), field(half, 5, 2, 0)) {
            (0, 0) => r_type(REGISTER, 0x100, rd, rd, rs2),
            (0, 1) => r_type(REGISTER, 4, rd, rd, rs2),
            (0, 2) => r_type(REGISTER, 6, rd, rd, rs2),
            (0, 3) => r_type(REGISTER, 7, rd, rd, rs2),
            (1, 0) => r_type(REGISTER_WORD, 0x100, rd, rd, rs2),
            (1, 1) => r_type(REGISTER_WORD, 0, rd, rd, rs2),
            _ => return None,
        },
    })
}

fn quadrant_2(half: u32, function: u32) -> Option<u32> {
    let (rd, rs2) = (full(half), field(half, 2, 5, 0));
    let load_word = field(half, 12, 1, 5) | field(half, 4, 3, 2) | field(half, 2, 2, 6);
    let load_double = field(half, 12, 1, 5) | field(half, 5, 2, 3) | field(half, 2, 3, 6);
    let store_word = field(half, 9, 4, 2) | field(half, 7, 2, 6);
    let store_double = field(half, 10, 3, 3) | field(half, 7, 3, 6);
    Some(match function {
        0 => i_type(IMMEDIATE, 1, rd, rd, field(half, 12, 1, 5) | rs2),
        1 => i_type(LOAD_FLOAT, 3, rd, STACK_POINTER, load_double),
        2 if rd != 0 => i_type(LOAD, 2, rd, STACK_POINTER, load_word),
        3 if rd != 0 => i_type(LOAD, 3, rd, STACK_POINTER, load_double),
        4 => return move_or_jump(field(half, 12, 1, 0), rd, rs2),
        5 => s_type(STORE_FLOAT, 3, STACK_POINTER, rs2, store_double),
        6 => s_type(STORE, 2, STACK_POINTER, rs2, store_word),
        7 => s_type(STORE, 3, STACK_POINTER, rs2, store_double),
        _ => return None,
    })
}

fn move_or_jump(bit: u32, rd: u32, rs2: u32) -> Option<u32> {
    const JUMP_REGISTER: u32 = 0x67;
    const BREAKPOINT: u32 = 0x0010_0073;
    Some(match (bit, rd, rs2) {
        (0, 0, 0) => return None,
        (0, _, 0) => i_type(JUMP_REGISTER, 0, 0, rd, 0),
        (0, _, _) => r_type(REGISTER, 0, rd, 0, rs2),
        (_, 0, 0) => BREAKPOINT,
        (_, _, 0) => i_type(JUMP_REGISTER, 0, 1, rd, 0),
        (_, _, _) => r_type(REGISTER, 0, rd, rd, rs2),
    })
}
