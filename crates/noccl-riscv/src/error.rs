// SPDX-License-Identifier: Apache-2.0
//! Why a file is no program for this core.

use thiserror::Error;

/// A program that is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RiscvError {
    /// Not an ELF file, or one with damaged headers.
    #[error(
        "not a readable ELF file: {reason}; accepted: 64-bit RISC-V executables, as `noccl build` makes them"
    )]
    NotElf {
        /// What the reader found.
        reason: String,
    },
    /// An ELF file of another kind or machine.
    #[error("{what} is {found}; accepted: {accepted}")]
    OtherKind {
        /// Field of the header.
        what: &'static str,
        /// What it says.
        found: String,
        /// What it should say.
        accepted: &'static str,
    },
    /// A segment that lies outside the core's memory, overlaps another one, or whose content is cut off.
    #[error("segment {index} ({bytes} bytes at {address:#x}): {reason}")]
    Segment {
        /// Its place in the program header table.
        index: usize,
        /// Where it is to lie.
        address: u64,
        /// Its length in memory.
        bytes: u64,
        /// What is wrong, and what would be accepted.
        reason: String,
    },
    /// No code at the entry.
    #[error("entry {entry:#x} is not in an executable segment; accepted: an even address in one")]
    Entry {
        /// The entry.
        entry: u64,
    },
    /// Arguments of `main`, environment and files that do not fit behind the program.
    #[error(
        "arguments of {bytes} bytes, environment and files included, but the program leaves {available_bytes} of the core's memory; accepted: fewer of them, or a larger --program-memory"
    )]
    Arguments {
        /// What they take.
        bytes: u64,
        /// What there is.
        available_bytes: u64,
    },
    /// Memory that cannot be had.
    #[error("memory of {bytes} bytes; accepted: 4096 to {most}, a multiple of 8")]
    MemorySize {
        /// What was asked for.
        bytes: u64,
        /// The most.
        most: u64,
    },
}

/// Bytes that cannot be read or written for a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Outside {
    /// Not all of them are in memory.
    #[error("{bytes} bytes at {address:#x}; accepted: bytes of the core's memory")]
    Memory {
        /// First byte.
        address: u64,
        /// How many.
        bytes: u64,
    },
    /// Some of them are code.
    #[error("{bytes} bytes at {address:#x}, in code; accepted: memory that is not executable")]
    Code {
        /// First byte.
        address: u64,
        /// How many.
        bytes: u64,
    },
}
