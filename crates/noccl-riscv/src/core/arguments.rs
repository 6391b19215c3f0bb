// SPDX-License-Identifier: Apache-2.0
//! The arguments of `main`, at the end of a core's memory: a list of addresses that ends with zero, then the texts.

use crate::MEMORY_BASE;
use crate::error::RiscvError;
use crate::memory::Memory;
use crate::program::Image;

/// Alignment of the stack, which begins below.
const STACK_ALIGN: u64 = 16;

/// Where arguments lie.
pub(super) struct Arguments {
    /// How many there are.
    pub count: u64,
    /// Of their list; the end of the memory if there are none.
    pub address: u64,
}

/// Writes the arguments of a program into a memory that holds its segments.
///
/// # Errors
/// [`RiscvError::Arguments`] if they do not fit behind the segments.
pub(super) fn place(image: &Image, memory: &mut Memory) -> Result<Arguments, RiscvError> {
    let (count, end) = (image.arguments.len() as u64, memory.len_bytes());
    if count == 0 {
        let address = MEMORY_BASE + end;
        return Ok(Arguments { count, address });
    }
    let texts: u64 = image.arguments.iter().map(|a| a.len() as u64 + 1).sum();
    let list_bytes = 8 * (count + 1);
    let bytes = (list_bytes + texts).next_multiple_of(STACK_ALIGN);
    let ends = image
        .segments
        .iter()
        .map(|s| s.address.saturating_add(s.memory_bytes));
    let used = ends
        .max()
        .unwrap_or(MEMORY_BASE)
        .saturating_sub(MEMORY_BASE);
    let refused = RiscvError::Arguments {
        bytes,
        available_bytes: end.saturating_sub(used),
    };
    let address = MEMORY_BASE + end.saturating_sub(bytes);
    if used.saturating_add(bytes) > end {
        return Err(refused);
    }
    let place = memory.write(address, bytes).ok_or(refused)?;
    let (list, text) = place.split_at_mut(list_bytes as usize);
    let mut at = 0;
    for (argument, slot) in image.arguments.iter().zip(list.chunks_exact_mut(8)) {
        let text_address = address + list_bytes + at as u64;
        slot.copy_from_slice(&text_address.to_le_bytes());
        text[at..at + argument.len()].copy_from_slice(argument.as_bytes());
        at += argument.len() + 1;
    }
    Ok(Arguments { count, address })
}
