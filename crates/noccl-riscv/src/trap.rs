// SPDX-License-Identifier: Apache-2.0
//! Why a core cannot go on.
//!
//! A trap is the end of a program, reported with the place; there are no handlers. Registers and memory are as before
//! the instruction.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An instruction that could not be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("at {pc:#x}: {cause}")]
pub struct Trap {
    /// Address of the instruction.
    pub pc: u64,
    /// What is wrong with it.
    pub cause: TrapCause,
}

/// What is wrong with an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum TrapCause {
    /// No instruction of RV64IMAFDC, a control register that is not there, or a rounding mode that does not exist.
    #[error("illegal instruction {word:#x}; accepted: RV64IMAFDC")]
    IllegalInstruction {
        /// The 16 or 32 bits.
        word: u32,
    },
    /// The program counter left the code.
    #[error("no code at this address; accepted: executable segments of the program")]
    FetchOutside,
    /// A load from neither memory nor ports.
    #[error("load of {bytes} bytes at {address:#x}; accepted: the core's memory and its ports")]
    LoadOutside {
        /// First byte.
        address: u64,
        /// Width.
        bytes: u8,
    },
    /// A store to neither memory nor ports.
    #[error("store of {bytes} bytes at {address:#x}; accepted: the core's memory and its ports")]
    StoreOutside {
        /// First byte.
        address: u64,
        /// Width.
        bytes: u8,
    },
    /// A store into executable segments, which are decoded once.
    #[error(
        "store of {bytes} bytes at {address:#x} into code; accepted: memory that is not executable"
    )]
    StoreToCode {
        /// First byte.
        address: u64,
        /// Width.
        bytes: u8,
    },
    /// An atomic or port access whose address is no multiple of its width.
    #[error("access of {bytes} bytes at {address:#x}; accepted here: multiples of {bytes}")]
    Misaligned {
        /// First byte.
        address: u64,
        /// Width.
        bytes: u8,
    },
    /// A port access of one or two bytes.
    #[error("access of {bytes} bytes to a port at {address:#x}; accepted: 4 or 8")]
    NarrowPortAccess {
        /// First byte.
        address: u64,
        /// Width.
        bytes: u8,
    },
    /// `ebreak`.
    #[error("breakpoint (ebreak)")]
    Breakpoint,
    /// `ecall` with a number that is no request of ours.
    #[error("ecall with a7 = {number}; accepted: 93 (exit with the code in a0)")]
    UnknownCall {
        /// Content of a7.
        number: u64,
    },
}
