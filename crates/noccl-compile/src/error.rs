// SPDX-License-Identifier: Apache-2.0
//! Why there is no program.

use crate::missing::Missing;
use noccl_files::FileError;
use thiserror::Error;

/// A program that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The compiler refuses the program, or the linker does.
    #[error("the program does not compile:\n{messages}")]
    Refused {
        /// Its messages, with files and lines.
        messages: String,
    },
    /// A source file is missing, or nothing that the compiler takes.
    #[error("source file '{path}': {reason}; accepted: files that end in .c, .S, .s or .o")]
    Source {
        /// As given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Functions or variables that are defined nowhere.
    #[error("{0}")]
    Missing(Missing),
    /// A package of the compiler or the C library is not to be had.
    #[error(
        "cannot fetch {package} from {address}: {reason}; needed once: a connection to Debian's archive or to the mirror \
         that NOCCL_DEBIAN names; for the compiler also one of your own that NOCCL_RISCV_GCC names"
    )]
    Fetch {
        /// Its name.
        package: &'static str,
        /// Where it should be.
        address: String,
        /// What the client says.
        reason: String,
    },
    /// A package is another one than the pinned one.
    #[error("{package}: content has SHA-256 {found}; accepted: {accepted}")]
    Content {
        /// Its name.
        package: &'static str,
        /// What came.
        found: String,
        /// What was pinned.
        accepted: &'static str,
    },
    /// No program of this machine unpacks packages, or it fails.
    #[error("cannot unpack {package}: {reason}; needed: dpkg-deb, or ar and tar with xz")]
    Unpack {
        /// Its name.
        package: &'static str,
        /// What happened.
        reason: String,
    },
    /// There are packages for one kind of machine only.
    #[error(
        "no pinned compiler for {machine}; accepted: x86_64 with Linux, or a riscv64 gcc that NOCCL_RISCV_GCC names"
    )]
    Machine {
        /// Of this program.
        machine: String,
    },
    /// A program cannot be started.
    #[error("cannot run {program}: {reason}")]
    Program {
        /// Its path.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The caller asked for an end.
    #[error("interrupted; nothing was written")]
    Interrupted,
}
