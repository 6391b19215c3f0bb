// SPDX-License-Identifier: Apache-2.0
//! A core in a checkpoint.
//!
//! Most of a core's memory is as its program began with it, so only pages that differ are stored. Every field of a core is
//! named, so that a new one has to be sorted in.

use super::{Core, Pending};
use crate::error::Outside;
use crate::memory::{MEMORY_BASE, Memory};
use crate::registers::Registers;
use serde::{Deserialize, Serialize};

/// Bytes that are compared, and stored, together.
const PAGE_BYTES: usize = 4096;

/// What tells a core from one at the start of the same program on as much memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedCore {
    registers: Registers,
    pages: Vec<Page>,
    pc: u64,
    cycle: u64,
    retired_instructions: u64,
    hart: u64,
    reservation: Option<u64>,
    pending: Option<Pending>,
}

/// Bytes that differ from those at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    address: u64,
    bytes: Vec<u8>,
}

impl Core {
    /// What tells it from `start`, a core at the start of the same program on as much memory.
    #[must_use]
    pub fn saved(&self, start: &Self) -> SavedCore {
        let Self {
            registers,
            memory,
            pc,
            cycle,
            retired_instructions,
            hart,
            reservation,
            pending,
        } = self;
        SavedCore {
            registers: registers.clone(),
            pages: changed(memory, &start.memory),
            pc: *pc,
            cycle: *cycle,
            retired_instructions: *retired_instructions,
            hart: *hart,
            reservation: *reservation,
            pending: *pending,
        }
    }

    /// Takes the place of a core at the start of the same program on as much memory.
    ///
    /// # Errors
    /// [`Outside`] if a page is not in memory: it was saved on more of it.
    pub fn restore(&mut self, saved: SavedCore) -> Result<(), Outside> {
        let SavedCore {
            registers,
            pages,
            pc,
            cycle,
            retired_instructions,
            hart,
            reservation,
            pending,
        } = saved;
        for Page { address, bytes } in pages {
            let length = bytes.len() as u64;
            let place = self.memory.write(address, length);
            let outside = Outside::Memory {
                address,
                bytes: length,
            };
            place.ok_or(outside)?.copy_from_slice(&bytes);
        }
        self.registers = registers;
        self.pc = pc;
        self.cycle = cycle;
        self.retired_instructions = retired_instructions;
        self.hart = hart;
        self.reservation = reservation;
        self.pending = pending;
        Ok(())
    }
}

/// Pages of a memory that differ from those of another one of its size, by address.
fn changed(memory: &Memory, start: &Memory) -> Vec<Page> {
    let pages = memory.bytes().chunks(PAGE_BYTES).enumerate();
    let own = pages.zip(start.bytes().chunks(PAGE_BYTES));
    let differing = own.filter(|((_, now), before)| now != before);
    differing
        .map(|((number, now), _)| Page {
            address: MEMORY_BASE + (number * PAGE_BYTES) as u64,
            bytes: now.to_vec(),
        })
        .collect()
}
