// SPDX-License-Identifier: Apache-2.0
//! Slots for what pieces receive: every piece has its own, or pieces share a few in rotation.
//!
//! A slot that is used again takes no barrier: its member tells whoever writes next, by a flag, that it has used what was there.

use super::dataflow::{Dataflow, FLAG_BYTES};
use crate::layout::Layout;
use std::collections::HashMap;

/// Where pieces receive partial sums, by dimension.
#[derive(Debug)]
pub(super) struct Slots<'a> {
    pub(super) layout: &'a mut Layout,
    /// Pieces that have slots at a time; `None`: all.
    pieces: Option<u32>,
    /// By dimension: pieces so far.
    taken: HashMap<usize, u32>,
    /// By dimension and place in the rotation: first byte and bytes.
    known: HashMap<(usize, u32), (u64, u64)>,
}

impl<'a> Slots<'a> {
    pub(super) fn new(layout: &'a mut Layout, pieces: Option<u32>) -> Self {
        Self {
            layout,
            pieces,
            taken: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Slots of the next piece in this dimension, in which a member writes to at most `partners` others.
    pub(super) fn take(
        &mut self,
        dimension: usize,
        bytes: u64,
        partners: u64,
        flow: &mut Dataflow<'_>,
    ) -> u64 {
        let Some(pieces) = self.pieces else {
            return self.layout.alloc(bytes);
        };
        let taken = self.taken.entry(dimension).or_default();
        let key = (dimension, *taken % pieces);
        *taken += 1;
        if let Some((start, known_bytes)) = self.known.get(&key).copied()
            && bytes <= known_bytes
        {
            let flags = self.layout.alloc(FLAG_BYTES * (partners + 1));
            flow.use_again((start, start + known_bytes), flags);
            return start;
        }
        let start = self.layout.alloc(bytes);
        self.known.insert(key, (start, bytes));
        start
    }
}
