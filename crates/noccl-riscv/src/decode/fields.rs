// SPDX-License-Identifier: Apache-2.0
//! Fields of a 32-bit instruction word, so that no other place shifts bits of encodings.

/// An instruction word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields(pub u32);

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
