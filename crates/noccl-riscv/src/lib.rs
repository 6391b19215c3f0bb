// SPDX-License-Identifier: Apache-2.0
//! A core that executes compiled programs: RV64IMAFDC, in order, on private memory.
//!
//! A schedule says what a core does; a program computes it. Kernels that compute need a core whose results and whose
//! time come from the same instructions. This crate executes them and knows no network: a load or store in the window
//! of ports and an `ecall` end [`Core::run`], and whoever runs the core says what a load or call returns and when the core goes on.
//! Between two of them nothing from outside can reach the core, so it runs ahead without loss of accuracy.
//!
//! What it keeps true: the same program, memory and responses give the same registers, memory and cycles, on every
//! machine; no program, however wrong, ends in a panic ([`Trap`] is a value). Reference: `docs/executed_cores.md`.

mod core;
mod cost;
mod decode;
mod error;
mod float;
mod instruction;
mod memory;
mod port;
mod program;
mod registers;
mod trap;

pub use crate::core::{Access, AccessKind, Call, Core, SavedCore, Stopped};
pub use cost::CostTable;
pub use error::{Outside, RiscvError};
pub use memory::{MEMORY_BASE, Memory};
pub use port::{MAX_PAUSE_CYCLES, PORTS_BASE, PORTS_BYTES, Port, c_header};
pub use program::{GivenFile, Image, Program, Segment, Surroundings, Symbol};
pub use registers::Registers;
pub use trap::{Trap, TrapCause};
