// SPDX-License-Identifier: Apache-2.0
//! The memory of one core: bytes from [`MEMORY_BASE`] on.

use crate::error::RiscvError;

/// Address of the first byte of a core's memory. Below it nothing is mapped, so null pointers trap.
pub const MEMORY_BASE: u64 = 0x1000_0000;

/// Largest memory: addresses stay below 2 GiB, where compiled code reaches everything with two instructions.
const MOST_BYTES: u64 = 0x8000_0000 - MEMORY_BASE;

/// Little-endian bytes that only one core sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    /// Zeroed memory.
    ///
    /// # Errors
    /// The size is not 4096 to 1.75 GiB in steps of 8.
    pub fn new(bytes: u64) -> Result<Self, RiscvError> {
        let is_accepted = (4096..=MOST_BYTES).contains(&bytes) && bytes.is_multiple_of(8);
        let length = usize::try_from(bytes).ok().filter(|_| is_accepted);
        let length = length.ok_or(RiscvError::MemorySize {
            bytes,
            most: MOST_BYTES,
        })?;
        Ok(Self {
            bytes: vec![0; length],
        })
    }

    /// Its size.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes at an address, if all of them are in memory.
    #[must_use]
    pub fn read(&self, address: u64, length: u64) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(MEMORY_BASE)?).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        self.bytes.get(start..end)
    }

    /// Places to write to at an address, if all of them are in memory.
    pub fn write(&mut self, address: u64, length: u64) -> Option<&mut [u8]> {
        let start = usize::try_from(address.checked_sub(MEMORY_BASE)?).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        self.bytes.get_mut(start..end)
    }

    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let start = address.wrapping_sub(MEMORY_BASE) as usize;
        self.bytes.get(start..)?.first_chunk::<N>().copied()
    }

    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let start = address.wrapping_sub(MEMORY_BASE) as usize;
        *self.bytes.get_mut(start..)?.first_chunk_mut::<N>()? = value;
        Some(())
    }
}
