// SPDX-License-Identifier: Apache-2.0
//! A rank: its core, and what it waits for.

use crate::requests::Requests;
use noccl_riscv::{Core, Program, RiscvError};

/// A wait for requests.
#[derive(Debug, Clone)]
pub(crate) struct Wait {
    /// Numbers and their places in the program's list.
    pub(crate) numbers: Vec<(usize, u32)>,
    pub(crate) is_one_enough: bool,
    /// Do requests that are over stay?
    pub(crate) is_kept: bool,
    /// Where what they have given goes.
    pub(crate) results: u64,
}

/// What the core's call waits for.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// Nothing: it executes.
    Executing,
    /// The time of what it has executed; then its call is carried out.
    Computing,
    /// The time up to its end.
    Ending(u64),
    /// Requests; the numbers of those that the session was asked about.
    Waiting {
        wait: Wait,
        asked: Vec<u32>,
    },
    /// Time passes before it looks again at its requests.
    Looking(Wait),
    /// A message to arrive; then it is written there.
    Probing {
        results: u64,
    },
    /// Time passes before it looks again for a message.
    LookingForMessage,
    /// A collective, whose output goes there.
    Collective {
        buffer: u64,
    },
    Splitting,
    Over,
}

/// A rank.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(crate) core: Core,
    pub(crate) state: State,
    pub(crate) requests: Requests,
    pub(crate) console: Vec<u8>,
    pub(crate) exit_code: u64,
}

impl Rank {
    /// A rank before its first instruction.
    ///
    /// # Errors
    /// [`RiscvError`] if the program does not fit into the memory.
    pub(crate) fn new(program: &Program, memory_bytes: u64, rank: u32) -> Result<Self, RiscvError> {
        Ok(Self {
            core: Core::new(program, memory_bytes, rank.into())?,
            state: State::Executing,
            requests: Requests::default(),
            console: Vec::new(),
            exit_code: 0,
        })
    }
}
