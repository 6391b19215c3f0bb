// SPDX-License-Identifier: Apache-2.0
//! Compiles C for executed cores: a pinned compiler, the runtime of `programs/runtime`, a pinned C library for all
//! that the runtime does not have, one linker script.
//!
//! Results of programs are compared to the bit, so compiler and C library are part of them: they are Debian's, of one
//! version each, fetched on first use without root and refused if its content is another. Another one is used only if
//! `NOCCL_RISCV_GCC` names it.
//!
//! What it keeps true: a folder in the cache is complete or absent, whoever is interrupted; a program file is written as
//! a whole or not at all.

mod cache;
mod compiler;
mod embedded;
mod error;
mod fetch;
mod kernels;
mod missing;
mod package;
mod process;
mod runtime;
mod sources;

pub use compiler::{CALLS_MARK, CompileRequest, Compiled, Messages, Optimization, compile};
pub use embedded::{Embedded, STRESS_SEED, STRESS_STEPS};
pub use error::CompileError;
pub use kernels::{InterruptCosts, NpbBuild, NpbClass, NpbKernel, NpbLibrary, compile_kernel};
pub use missing::{Missing, MissingName};

/// What a compilation is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileStep {
    /// A package of the compiler or of the C library is fetched.
    Fetching {
        /// Its name.
        package: &'static str,
        /// Bytes of all packages that are there.
        bytes: u64,
        /// Bytes of all packages.
        total_bytes: u64,
    },
    /// The packages are unpacked.
    Unpacking,
    /// A command of the compiler runs.
    Compiling {
        /// The command, as a shell would run it.
        command: String,
    },
}

/// Sees every step, some of them often, and returns false to interrupt the work.
pub type OnStep<'a> = &'a dyn Fn(&CompileStep) -> bool;
