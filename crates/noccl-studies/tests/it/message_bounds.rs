// SPDX-License-Identifier: Apache-2.0
//! Lower bounds where interfaces exchange messages: nothing is faster on any variant of routers with bypass, and what the network does
//! alone is as fast or a few flits behind.

use crate::common::{asked, rows_by};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_run::Watch;
use noccl_spec::RouterFlow;
use noccl_studies::{CompareRequest, CompareRow, Error, compare, load};
use noccl_testkit::{cluster, network, rectangle};
use noccl_workload::{CollectiveKind, ElementType};
use proptest::prelude::*;

const KINDS: [CollectiveKind; 10] = [
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::Barrier,
    CollectiveKind::AllReduce,
    CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter,
    CollectiveKind::AllToAll,
    CollectiveKind::Scatter,
    CollectiveKind::Gather,
    CollectiveKind::Scan,
];

fn rows(
    net: &Network,
    kind: CollectiveKind,
    group: TileSet,
    root: Option<Coord>,
    bytes: u64,
) -> Vec<CompareRow> {
    let mut request = CompareRequest::new(kind, group, vec![bytes]);
    request.element = ElementType::Int64;
    request.root = root.filter(|_| kind.has_root()).map(TileRef::Cluster);
    match compare(net, &request, Watch::quiet()) {
        Ok(found) => found.rows,
        // Cores that add, and counters in memory, are nothing that these interfaces have.
        Err(Error::NothingRuns { .. }) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

#[derive(Debug, Clone)]
struct Case {
    preset: String,
    overrides: Vec<(String, String)>,
    kind: CollectiveKind,
    group: [u16; 4],
    root: Coord,
    bytes: u64,
}

/// Any variant of the routers, on meshes up to 7×5.
fn case() -> impl Strategy<Value = Case> {
    let fields = RouterFlow::Smart.variants().iter();
    let drawn: Vec<_> = fields
        .map(|(field, values)| {
            let value = prop::sample::select(values.to_vec());
            value.prop_map(move |value| ((*field).to_owned(), value.to_owned()))
        })
        .collect();
    let place = (1..=7u16, 1..=5u16).prop_flat_map(|(width, height)| {
        let root = (0..width, 0..height).prop_map(|(x, y)| Coord::new(x, y));
        // Half of the groups are multi-addresses, which the network reduces at once.
        let line = |side: u16| {
            (0..side, 0..side, any::<bool>()).prop_map(move |(a, b, is_aligned)| {
                let (start, length) = (a.min(b), a.abs_diff(b) + 1);
                if !is_aligned {
                    return (start, length);
                }
                let length = 1 << length.ilog2();
                (start / length * length, length)
            })
        };
        (line(width), line(height), root)
            .prop_map(move |(x, y, root)| ((width, height), [x.0, y.0, x.1, y.1], root))
    });
    let kind = prop::sample::select(KINDS.to_vec());
    let case = (place, drawn, kind, 1..260u64).prop_map(|(place, overrides, kind, elements)| {
        let ((width, height), group, root) = place;
        Case {
            preset: format!("smart_{width}x{height}"),
            overrides,
            kind,
            group,
            root,
            bytes: 8 * elements,
        }
    });
    // Values that exclude each other are refused.
    case.prop_filter("a network", |case: &Case| {
        load(&case.preset, &case.overrides).is_ok()
    })
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn no_algorithm_is_faster_than_its_lower_bound(case in case()) {
        let net = load(&case.preset, &case.overrides).unwrap().network;
        let [x, y, width, height] = case.group;
        let group = rectangle(x, y, width, height);
        for row in rows(&net, case.kind, group, Some(case.root), case.bytes) {
            prop_assert!(row.cycles >= row.lower_bound_cycles, "{row:?}");
        }
    }
}

fn alone(preset: &str, kind: CollectiveKind, root: (u16, u16), bytes: u64) -> CompareRow {
    let net = network(preset);
    let mut request = asked(&net, kind, ("all", &[bytes]), "in_network");
    request.element = ElementType::Int64;
    request.root = Some(cluster(root.0, root.1));
    rows_by(&net, &request).remove(0)
}

#[test]
fn reductions_of_one_flit_take_their_bound_and_barriers_go_there_and_back() {
    for (preset, width) in [("smart_8x8", 8), ("smart_16x4", 16)] {
        for root in [(0_u16, 0), (3, 3), (7, 1)] {
            let row = alone(preset, CollectiveKind::Reduce, root, 16);
            assert_eq!(row.cycles, row.lower_bound_cycles, "{preset}: {row:?}");
            let row = alone(preset, CollectiveKind::Barrier, root, 0);
            // Three cycles at the interfaces and two for each path of eight hops, of which one is across.
            let paths = 1 + root.0.max(width - 1 - root.0).div_ceil(8);
            let one_path = 3 + 2 * u64::from(paths);
            assert_eq!(row.cycles, 2 * one_path + 1, "{preset}: {row:?}");
        }
    }
}

/// A head for every four flits of data, and copies that wait for each other where they fork.
#[test]
fn multicasts_take_their_heads_and_little_more_than_their_bound() {
    for (bytes, flits) in [(64, 4), (1024, 64), (16 << 10, 1024)] {
        let row = alone("smart_8x8", CollectiveKind::Multicast, (0, 0), bytes);
        assert_eq!(row.payload_bound_cycles, flits);
        let beyond = row.cycles - row.lower_bound_cycles;
        // 1 + 3 + 4 cycles of the acknowledgement, for which a transfer waits.
        assert!(beyond <= flits / 4 + 24 + 8, "{row:?}");
        // 3 + 4 cycles, and what follows the first flit.
        assert_eq!(row.lower_bound_cycles, 7 + flits - 1);
    }
}
