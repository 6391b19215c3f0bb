// SPDX-License-Identifier: Apache-2.0
//! The static deadlock check against the simulator: what it accepts completes on the published router.
//!
//! The converse does not hold: the check rejects sets that only some alignment of cycles can deadlock.

use crate::common::{cube, network};
use noccl_net::deadlock::{Flow, check};
use noccl_net::{Coord, MultiAddress, Network, TileId};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_testkit::cluster;
use noccl_testkit::traces::{
    barrier, entry, narrow_multicast, trace, wide_multicast, wide_reduction, wide_write,
};
use noccl_workload::PortKind;
use proptest::prelude::*;

/// A transaction in the words of the check and in those of the simulator.
#[derive(Debug, Clone)]
struct Case {
    kind: u8,
    from: (u16, u16),
    to: (u16, u16),
    set: MultiAddress,
    beats: u32,
}

fn case() -> impl Strategy<Value = Case> {
    let at = || (0u16..4, 0u16..4);
    let beats = prop::sample::select(vec![1u32, 4, 64, 200]);
    (0u8..6, at(), at(), at(), at(), beats).prop_map(|(kind, from, to, base, mask, beats)| Case {
        kind,
        from,
        to,
        set: cube(base.0, base.1, mask.0, mask.1),
        beats,
    })
}

impl Case {
    fn in_both_words(&self, net: &Network) -> (Flow, PortKind, Vec<TileId>) {
        let find = |(x, y): (u16, u16)| {
            let tile = cluster(x, y);
            (net.find(tile).expect("on the mesh"), tile)
        };
        let members = |set| net.multi_tiles(set).flatten().collect::<Vec<_>>();
        let ((from, from_ref), (to, to_ref)) = (find(self.from), find(self.to));
        let (set, beats) = (self.set, self.beats);
        // The published unit combines two operands: rows only, towards one end.
        let row = MultiAddress::new(set.base, Coord::new(set.mask.x, 0));
        let (end, end_ref) = find((if self.to.0 < 2 { 0 } else { 3 }, row.base.y));
        match self.kind {
            0 => (
                Flow::Write { from, to },
                wide_write(from_ref, to_ref, beats),
                vec![from],
            ),
            1 | 2 => (
                Flow::Multicast { from, set },
                wide_multicast(from_ref, set, beats),
                vec![from],
            ),
            3 => (
                Flow::NarrowMulticast { from, set },
                narrow_multicast(from_ref, set),
                vec![from],
            ),
            4 => {
                let flow = Flow::Reduction {
                    group: row,
                    root: end,
                    beats,
                };
                (flow, wide_reduction(row, end_ref, beats), members(row))
            }
            _ => (
                Flow::Barrier {
                    group: set,
                    root: to,
                },
                barrier(set, to_ref),
                members(set),
            ),
        }
    }
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn accepted_transactions_complete_on_the_published_router(
        cases in prop::collection::vec(case(), 2..5),
        skew in 1u64..40,
        step in 1u64..11,
    ) {
        let net = network("collective_noc_4x4_published");
        let mut flows = Vec::new();
        let mut transactions = Vec::new();
        for (i, case) in cases.iter().enumerate() {
            let (flow, kind, participants) = case.in_both_words(&net);
            flows.push(flow);
            let start = |t: &TileId| Some(u64::from(t.0) * skew % 40 + i as u64 * step);
            transactions.push(entry(participants.iter().map(start).collect(), kind));
        }
        let trace = trace(transactions);
        let result = noccl_sim::run_trace(&net, &trace, &RunConfig::new(Mode::Timing), &mut |_| true);
        if check(net.as_axi().unwrap(), &flows).is_ok() {
            let has_stalled = matches!(result, Err(RunError::Stall(_)));
            prop_assert!(!has_stalled, "{:?}", result.err());
        }
    }
}
