// SPDX-License-Identifier: Apache-2.0
//! Random sets of flows: laws of the deadlock check.

use crate::common::flows::{assert_closed, check, cluster, set};
use crate::common::spec;
use noccl_net::deadlock::{Flow, reduction_flows, reductions_at_a_router};
use noccl_net::{Network, elaborate};
use noccl_spec::{RouterFlow, WideReductionKind};
use proptest::prelude::*;

/// Any flow on a 4x4 system: (kind, tile, tile, set).
fn any_flow() -> impl Strategy<Value = (u8, u16, u16, (u16, u16, u16, u16))> {
    (
        0u8..7,
        0u16..16,
        0u16..16,
        (0u16..4, 0u16..4, 0u16..4, 0u16..4),
    )
}

fn flow(n: &Network, (kind, a, b, (x, y, mx, my)): (u8, u16, u16, (u16, u16, u16, u16))) -> Flow {
    let (from, to) = (cluster(n, a / 4, a % 4), cluster(n, b / 4, b % 4));
    let set = set(x, y, mx, my);
    match kind {
        0 => Flow::Write { from, to },
        1 => Flow::Read { from, source: to },
        2 => Flow::NarrowWrite { from, to },
        3 => Flow::Multicast { from, set },
        4 => Flow::NarrowMulticast { from, set },
        5 => Flow::Reduction {
            group: set,
            root: to,
            beats: 16,
        },
        _ => Flow::Barrier {
            group: set,
            root: to,
        },
    }
}

/// The 4x4 system with the published router, or with the default one.
fn with_flow(flow: RouterFlow) -> Network {
    let mut s = spec("collective_noc_4x4");
    s.axi_mut().unwrap().router.flow = flow;
    s.axi_mut().unwrap().router.wide_reduction.kind = WideReductionKind::TwoOperand;
    elaborate(&s).unwrap()
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn a_part_of_an_accepted_set_is_accepted(flows in prop::collection::vec(any_flow(), 1..5), without: prop::sample::Index) {
        let n = with_flow(RouterFlow::Published);
        let mut flows: Vec<Flow> = flows.into_iter().map(|f| flow(&n, f)).collect();
        match check(&n, &flows) {
            Ok(_) => {
                flows.remove(without.index(flows.len()));
                prop_assert!(check(&n, &flows).is_ok());
            }
            Err(cycle) => assert_closed(&cycle),
        }
    }

    #[test]
    fn one_flow_alone_is_accepted(one in any_flow()) {
        let n = with_flow(RouterFlow::Published);
        prop_assert!(check(&n, &[flow(&n, one)]).is_ok());
    }

    #[test]
    fn collectives_that_share_at_most_one_place_are_accepted(a in any_flow(), b in any_flow()) {
        let n = with_flow(RouterFlow::Published);
        // Rows apart share no link, neither with their requests nor with their responses.
        let on = |f: (u8, u16, u16, (u16, u16, u16, u16)), row: u16| {
            let (kind, from, to, (x, _, mx, _)) = f;
            flow(&n, (kind, from / 4 * 4 + row, to / 4 * 4 + row, (x, row, mx, 0)))
        };
        prop_assert!(check(&n, &[on(a, 0), on(b, 1)]).is_ok());
    }

    #[test]
    fn the_default_flow_accepts_any_set_within_its_limits(flows in prop::collection::vec(any_flow(), 1..8)) {
        let n = with_flow(RouterFlow::NonBlocking);
        let flows: Vec<Flow> = flows.into_iter().map(|f| flow(&n, f)).collect();
        prop_assert!(reductions_at_a_router(&n, &flows) <= reduction_flows(n.as_axi().unwrap()) as usize);
        prop_assert!(check(&n, &flows).is_ok());
    }
}
