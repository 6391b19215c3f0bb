// SPDX-License-Identifier: Apache-2.0
//! Where transactions of a trace have their data in the hardware's memories.
//!
//! The simulator gives every transaction a mebibyte of a memory of any size. The hardware's memories have a gibibyte, so the parts of
//! a trace of more transactions lie there one behind the other, each as large as its data.

use super::memory::line::{PAGE_BYTES, start_of};
use noccl_net::TileRef;
use noccl_net::counts::max_or_zero;
use noccl_run::CycleRecord;
use noccl_workload::{Fault, PortKind, Trace};
use std::borrow::Cow;
use std::ops::Range;

/// Bits of an offset in a part of the simulator's.
const PART_BITS: u32 = 20;

/// Where data lie, and which do not hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// First bytes of the parts, by transaction, and the end of the last; none if they lie as in the simulator.
    starts: Vec<u64>,
    /// Bytes of memories that fail.
    broken: Vec<(TileRef, Range<u64>)>,
}

impl Places {
    /// Bytes of a memory of the hardware.
    pub const MEMORY_BYTES: u64 = 1 << 30;

    /// Places of a trace's data. `None` if there is no space for all of them.
    #[must_use]
    pub fn of_trace(trace: &Trace) -> Option<Self> {
        let transactions = &trace.transactions;
        if (transactions.len() as u64) << PART_BITS <= Self::MEMORY_BYTES {
            return Some(Self::default().with_faults(trace));
        }
        let bytes = |kind: &PortKind| start_of(u64::from(Self::beats(kind)));
        let reads = transactions.iter().map(|t| &t.kind);
        let reads = reads.filter(|kind| matches!(kind, PortKind::WideRead { .. }));
        // All reads are of the first part.
        let mut least = max_or_zero(reads.map(bytes));
        let (mut starts, mut end) = (Vec::with_capacity(transactions.len()), 0);
        for transaction in transactions {
            starts.push(end);
            let part = bytes(&transaction.kind).max(least);
            // Bursts begin where they do in the simulator, seen from the ends of pages.
            end += part.next_multiple_of(PAGE_BYTES);
            least = 0;
        }
        starts.push(end);
        let places = Self {
            starts,
            broken: Vec::new(),
        };
        (end <= Self::MEMORY_BYTES).then(|| places.with_faults(trace))
    }

    /// With the bytes that fail at the hardware's addresses.
    fn with_faults(mut self, trace: &Trace) -> Self {
        for fault in &trace.faults {
            if let Fault::Memory {
                tile,
                offset,
                bytes,
            } = fault
            {
                let ranges = self.moved_range(*offset..offset.saturating_add(*bytes));
                let broken = ranges.into_iter().filter(|range| !range.is_empty());
                self.broken.extend(broken.map(|range| (*tile, range)));
            }
        }
        self
    }

    /// A range at the hardware's addresses, part by part.
    fn moved_range(&self, range: Range<u64>) -> Vec<Range<u64>> {
        if self.starts.is_empty() {
            return vec![range];
        }
        let parts = self.starts.windows(2).zip(0_u64..);
        let moved = parts.map(|(ends, part)| {
            let place = |at: u64| ends[1].min(ends[0] + at.saturating_sub(part << PART_BITS));
            place(range.start)..place(range.end)
        });
        moved.collect()
    }

    /// Bytes of memories that fail.
    pub(super) fn broken(&self) -> &[(TileRef, Range<u64>)] {
        &self.broken
    }

    /// Wide beats of a transaction.
    pub(super) const fn beats(kind: &PortKind) -> u32 {
        match kind {
            PortKind::WideWrite { beats, .. }
            | PortKind::WideMulticast { beats, .. }
            | PortKind::WideRead { beats, .. }
            | PortKind::WideReduction { beats, .. } => *beats,
            PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. }
            | PortKind::Barrier { .. } => 0,
        }
    }

    /// A record with the hardware's addresses.
    pub(super) fn moved<'r>(&self, record: &'r CycleRecord) -> Cow<'r, CycleRecord> {
        if self.starts.is_empty() {
            return Cow::Borrowed(record);
        }
        let mut record = record.clone();
        let handshakes = record.handshakes.iter_mut().map(|h| &mut h.flit.address);
        let commands = record.commands.iter_mut().map(|c| &mut c.address);
        for address in handshakes.chain(commands) {
            let start = self.starts.get((*address >> PART_BITS) as usize);
            *address = start.unwrap_or(&0) + (*address & ((1 << PART_BITS) - 1));
        }
        Cow::Owned(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_net::{Coord, TileId, TileRef};
    use noccl_run::{Completion, FlitPlace, FlitRecord, Handshake, RecordedKind};
    use noccl_spec::Plane;
    use noccl_workload::{ElementType, Operator, PortTransaction};

    const TILE: TileRef = TileRef::Cluster(Coord::new(0, 0));

    fn trace(transactions: usize, beats: u32) -> Trace {
        let read = PortKind::WideRead {
            from: TILE,
            source: TILE,
            beats: 200,
        };
        let write = PortKind::WideWrite {
            from: TILE,
            to: TILE,
            beats,
        };
        let one = |kind: &PortKind| PortTransaction {
            start_cycles: vec![Some(0)],
            kind: kind.clone(),
        };
        let writes = (1..transactions).map(|_| one(&write));
        Trace {
            transactions: writes.chain([one(&read)]).collect(),
            ..Trace::default()
        }
    }

    /// Where the hardware has an address of the record.
    fn moved(places: &Places, address: u64) -> u64 {
        let at = Coord::new(0, 0);
        let flit = FlitRecord {
            kind: RecordedKind::Write,
            is_multicast: false,
            is_wide: true,
            has_own_copy: false,
            resp: 0,
            dst: at,
            src: at,
            set: None,
            tag: 0,
            count: 0,
            address,
            bytes: 64,
            beats: 1,
            beat: 0,
            operator: Operator::Sum,
            element: ElementType::Int64,
            enabled_bytes: 64,
            value: 0,
            data: None,
        };
        let record = CycleRecord {
            handshakes: vec![Handshake {
                plane: Plane::Wide,
                tile: TileId(0),
                place: FlitPlace::Enters,
                flit,
            }],
            completions: Vec::<Completion>::new(),
            ..CycleRecord::default()
        };
        places.moved(&record).handshakes[0].flit.address
    }

    #[test]
    fn transactions_that_all_have_a_mebibyte_keep_it() {
        let places = Places::of_trace(&trace(1024, 1)).unwrap_or_default();
        assert_eq!(moved(&places, (1023 << 20) + 64), (1023 << 20) + 64);
    }

    #[test]
    fn parts_of_more_lie_one_behind_the_other_and_the_first_holds_all_reads() {
        let places = Places::of_trace(&trace(1025, 65)).unwrap_or_default();
        // 200 beats are 12,800 bytes, 65 are 4,160.
        assert_eq!(moved(&places, 12_736), 12_736);
        assert_eq!(moved(&places, 1 << 20), 16_384);
        assert_eq!(moved(&places, (2 << 20) + 4096), 16_384 + 8192 + 4096);
    }

    #[test]
    fn broken_bytes_lie_where_the_data_of_their_transactions_lie() {
        let fails = |offset, bytes| {
            let faults = vec![Fault::Memory {
                tile: TILE,
                offset,
                bytes,
            }];
            move |trace: Trace| Places::of_trace(&Trace { faults, ..trace })
        };
        let ranges = |places: Option<Places>| {
            let broken = places.unwrap_or_default().broken;
            broken.into_iter().map(|(_, r)| r).collect::<Vec<_>>()
        };
        let few = ranges(fails(1 << 20, 64)(trace(1024, 1)));
        assert_eq!(few, vec![(1 << 20)..(1 << 20) + 64; 1]);
        // The end of the first part has no data, nor has what lies behind the second one's.
        let many = ranges(fails(10_000, (2 << 20) - 10_000)(trace(1025, 65)));
        assert_eq!(many, [10_000..16_384, 16_384..24_576]);
    }

    #[test]
    fn more_data_than_a_memory_have_no_places() {
        assert_eq!(Places::of_trace(&trace(1 << 16, 257)), None);
    }
}
