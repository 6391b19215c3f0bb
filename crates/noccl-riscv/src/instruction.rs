// SPDX-License-Identifier: Apache-2.0
//! A decoded instruction: what the core dispatches on.
//!
//! A record of 16 bytes per halfword of code, so that an address is looked up by a shift. It holds the cost too, since
//! the machine's table is known when the program is decoded.

/// An instruction, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub operation: Operation,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    /// Third operand of fused operations.
    pub rs3: u8,
    /// Rounding mode as encoded; 7 is the one in `fcsr`.
    pub rounding: u8,
    /// 2 or 4.
    pub length_bytes: u8,
    pub cost_cycles: u16,
    /// Immediate operand, offset, number of a control register, or the word of an illegal instruction.
    pub immediate: i32,
}

/// Width of data in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Word,
    Double,
}

/// What is done. Frequent operations have a variant of their own; others are grouped and dispatched on twice.
///
/// The layout is fixed so that the number of the variant is a byte of its own: the loop jumps by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Operation {
    /// Constant into a register: `lui`.
    Constant,
    /// Constant added to the program counter: `auipc`.
    PcRelative,
    Jump,
    JumpRegister,
    BranchEqual,
    BranchNotEqual,
    BranchLess,
    BranchNotLess,
    BranchBelow,
    BranchNotBelow,
    LoadByte,
    LoadHalf,
    LoadWord,
    LoadDouble,
    LoadByteUnsigned,
    LoadHalfUnsigned,
    LoadWordUnsigned,
    StoreByte,
    StoreHalf,
    StoreWord,
    StoreDouble,
    AddImmediate,
    AddWordImmediate,
    AndImmediate,
    OrImmediate,
    XorImmediate,
    LessImmediate,
    BelowImmediate,
    ShiftLeftImmediate,
    ShiftRightImmediate,
    ShiftRightArithmeticImmediate,
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Less,
    Below,
    ShiftLeft,
    ShiftRight,
    ShiftRightArithmetic,
    AddWord,
    SubtractWord,
    Multiply,
    LoadFloatWord,
    LoadFloatDouble,
    StoreFloatWord,
    StoreFloatDouble,
    /// Fences: with private memory nothing to do.
    Fence,
    /// Shifts of words and what takes longer: see [`IntegerOperation`].
    Integer(IntegerOperation),
    Atomic(AtomicOperation, Width),
    Control(ControlOperation),
    Single(FloatOperation),
    Double(FloatOperation),
    SingleQuery(FloatQuery),
    DoubleQuery(FloatQuery),
    EnvironmentCall,
    Breakpoint,
    Illegal,
    /// Between executable segments, and cut off by their end.
    NoCode,
}

/// Integer operations that are rare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntegerOperation {
    ShiftLeftWordImmediate,
    ShiftRightWordImmediate,
    ShiftRightArithmeticWordImmediate,
    ShiftLeftWord,
    ShiftRightWord,
    ShiftRightArithmeticWord,
    MultiplyWord,
    MultiplyHigh,
    MultiplyHighSignedUnsigned,
    MultiplyHighUnsigned,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
    DivideWord,
    DivideWordUnsigned,
    RemainderWord,
    RemainderWordUnsigned,
}

/// Operations of the A extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOperation {
    LoadReserved,
    StoreConditional,
    Swap,
    Add,
    Xor,
    And,
    Or,
    Min,
    Max,
    MinUnsigned,
    MaxUnsigned,
}

/// Accesses to control registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlOperation {
    Write,
    Set,
    Clear,
    WriteImmediate,
    SetImmediate,
    ClearImmediate,
}

/// Floating-point operations of one format whose result is of that format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    SquareRoot,
    /// rs1 × rs2 + rs3.
    FusedAdd,
    /// rs1 × rs2 − rs3.
    FusedSubtract,
    /// −(rs1 × rs2) + rs3.
    FusedNegateSubtract,
    /// −(rs1 × rs2) − rs3.
    FusedNegateAdd,
    CopySign,
    CopySignNegated,
    XorSign,
    Minimum,
    Maximum,
    /// From the other format.
    FromOther,
    FromInteger(IntegerType),
    /// The bits of an integer register.
    Move,
}

/// Floating-point operations of one format whose result is an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatQuery {
    Equal,
    Less,
    LessOrEqual,
    Classify,
    ToInteger(IntegerType),
    /// The bits, as they are.
    Move,
}

/// Integers that are converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntegerType {
    Word,
    WordUnsigned,
    Long,
    LongUnsigned,
}
