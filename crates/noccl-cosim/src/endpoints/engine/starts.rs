// SPDX-License-Identifier: Apache-2.0
//! When DMA engines begin their transfers: the host describes them to the hardware's registers some cycles before, so it has to
//! know before the run.

use noccl_run::{CycleRecord, TransferStart};

/// All transfers and contributions of a run's DMA engines, in the order of their cycles.
#[derive(Debug, Clone, Default)]
pub struct EngineStarts(Vec<(u64, TransferStart)>);

impl EngineStarts {
    /// Takes note of what begins in a recorded cycle, later than all before.
    pub fn add(&mut self, record: &CycleRecord) {
        let starts = record.starts.iter().cloned();
        self.0.extend(starts.map(|start| (record.cycle, start)));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &TransferStart)> {
        self.0.iter().map(|(cycle, start)| (*cycle, start))
    }
}
