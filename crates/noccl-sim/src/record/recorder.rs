// SPDX-License-Identifier: Apache-2.0
//! State of the recorder.

use noccl_run::{Command, Completion, CycleRecord, Handshake, Store, TransferStart};

/// Takes the record of every cycle in which something crossed a router port.
pub type OnCycle<'a> = &'a mut dyn FnMut(&CycleRecord);

/// State of the recorder.
pub(crate) struct Recorder<'n> {
    pub(super) sink: OnCycle<'n>,
    pub(super) record: CycleRecord,
    /// Flits in the Local input and output of each plane and tile at the start of the cycle.
    pub(super) before: [Vec<[u8; 2]>; 3],
    /// Merge points that return credits to their own NI in this cycle.
    pub own: Vec<Handshake>,
    pub(super) commands: Vec<Command>,
    pub(super) completions: Vec<Completion>,
    pub(super) starts: Vec<TransferStart>,
    pub stores: Vec<Store>,
}

impl<'n> Recorder<'n> {
    pub(crate) fn new(sink: OnCycle<'n>) -> Self {
        Self {
            sink,
            record: CycleRecord::default(),
            before: [const { Vec::new() }; 3],
            own: Vec::new(),
            commands: Vec::new(),
            completions: Vec::new(),
            starts: Vec::new(),
            stores: Vec::new(),
        }
    }
}
