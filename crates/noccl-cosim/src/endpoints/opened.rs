// SPDX-License-Identifier: Apache-2.0
//! What a tile's DMA engine has opened: ids are its own choice, responses must find their transactions.

use super::axi::Shown;
use super::port::{Name, Response};
use std::collections::HashMap;

/// Open transactions of a DMA engine by the names that flits of the hardware bear.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    /// Bits of an id at a write channel.
    id_bits: u32,
    /// Recorded names of writes, by channel and id.
    writes: HashMap<u32, u32>,
    /// Recorded names of reads, by id.
    reads: HashMap<u32, u32>,
    /// Recorded names of joins, by the name that all members give them.
    joins: HashMap<u32, u32>,
    /// Those names, by channel and id.
    joined: HashMap<u32, u32>,
}

impl Opened {
    pub(crate) fn new(id_bits: u32) -> Self {
        Self {
            id_bits,
            writes: HashMap::new(),
            reads: HashMap::new(),
            joins: HashMap::new(),
            joined: HashMap::new(),
        }
    }

    /// Its first flit has been seen.
    pub(crate) fn open(&mut self, name: Name, is_read: bool) {
        let opened = if is_read {
            &mut self.reads
        } else {
            &mut self.writes
        };
        opened.insert(name.hardware, name.recorded);
    }

    /// The engine will take part in a join.
    pub(crate) fn expect_join(&mut self, name: Name) {
        self.joins.insert(name.hardware, name.recorded);
    }

    /// A read is over.
    pub(crate) fn close_read(&mut self, id: u8) -> Option<u32> {
        self.reads.remove(&u32::from(id))
    }

    /// Takes note of what happens at the write channels. Returns the responses.
    pub(crate) fn follow(&mut self, shown: Shown<'_>) -> Vec<Response> {
        let mut responses = Vec::new();
        for channel in 0..shown.engine_channels() {
            let id_bits = self.id_bits;
            let name = |id: u8| (channel as u32) << id_bits | u32::from(id);
            if let Some((id, join)) = shown.engine_join(channel) {
                self.joined.insert(name(id), join);
            }
            if let Some((id, resp)) = shown.engine_b(channel) {
                let tag = match self.joined.remove(&name(id)) {
                    Some(join) => self.joins.remove(&join),
                    None => self.writes.remove(&name(id)),
                };
                let port = "wide port, B";
                responses.push(Response { tag, resp, port });
            }
        }
        responses
    }
}
