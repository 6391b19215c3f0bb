// SPDX-License-Identifier: Apache-2.0
//! Bounds of everybody and of software against what is simulated: chains of deliveries on long rows, where a round trip would not bound, and
//! random cases of every collective by every algorithm.

use noccl_model::{bounds, round_trip_cycles};
use noccl_net::{Network, TileSet};
use noccl_run::{Mode, RunConfig, Watch};
use noccl_studies::{CompareRequest, compare};
use noccl_testkit::actions::to_set;
use noccl_testkit::schedules::{self, KINDS, collective, schedule_of};
use noccl_testkit::{at, cluster, cube, network_with as network, rectangle};
use noccl_workload::{
    Action, ActionKind, ChunkRef, CollectiveKind, Definition, Destination, InputChunks, Place,
    Schedule, Transfer, Want, check,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const OUTPUT: u64 = 0x8000;

fn multicast_of_row(actions: Vec<Action>, bytes: u64) -> Schedule {
    let root = cluster(0, 0);
    let task = collective(CollectiveKind::Multicast, TileSet::Row(0), root, bytes);
    Schedule {
        collective: Some(task),
        ..schedule_of(actions)
    }
}

fn delivery(from: Place, destination: Destination, bytes: u64, after: &[u32]) -> Action {
    let transfer = Transfer::row(from.tile, from, destination, bytes);
    schedules::after(ActionKind::Delivery(transfer), after)
}

/// From the start of the first action to the end of the last one.
fn cycles(net: &Network, schedule: &Schedule) -> u64 {
    check(net, schedule).unwrap();
    let config = RunConfig::new(Mode::Timing);
    let run = noccl_sim::run_schedule(net, schedule, &[], &[], &config, &mut |_| true).unwrap();
    let starts = run.actions.iter().map(|a| a.start_cycle);
    let ends = run.actions.iter().map(|a| a.finish_cycle);
    ends.max().unwrap() - starts.min().unwrap()
}

/// One delivery to all, whose initiator is a destination too and so waits for nobody else; and one to the last tile but one, from
/// which the last one gets its copy.
fn deliveries(bytes: u64) -> [Vec<Action>; 2] {
    let set = cube(0, 0, 15, 0);
    let all = to_set(set, OUTPUT);
    let copies = |from: u16, to: u16, offset, after: &[u32]| {
        let one = Destination::One(at(to, 0, OUTPUT));
        delivery(at(from, 0, offset), one, bytes, after)
    };
    let mut relayed = vec![copies(0, 14, 0, &[])];
    relayed.push(copies(14, 15, OUTPUT, &[0]));
    relayed.extend((0..14).map(|to| copies(0, to, 0, &[])));
    [vec![delivery(at(0, 0, 0), all, bytes, &[])], relayed]
}

#[test]
fn deliveries_are_faster_than_a_round_trip_over_long_rows_and_never_than_the_bounds() {
    for link_cycles in [1, 4] {
        let planes = ["req", "rsp", "wide"].map(|plane| format!("router.link_cycles.{plane}"));
        let set = planes.each_ref().map(|key| (key.as_str(), link_cycles));
        let net = network("collective_noc_16x1", &set);
        let round_trip = round_trip_cycles(net.as_axi().unwrap(), 15, 1);
        for (index, actions) in deliveries(8).into_iter().enumerate() {
            let schedule = multicast_of_row(actions, 8);
            let found = cycles(&net, &schedule);
            let bound = bounds(&net, schedule.collective.as_ref().unwrap()).unwrap();
            println!("{link_cycles} {index}: {found} {round_trip} {bound:?}");
            assert!(found >= bound.lower_bound_cycles, "{found}: {bound:?}");
            if index == 0 {
                assert!(found < round_trip, "{found} of {round_trip}");
            } else {
                assert!(found >= bound.software_bound_cycles, "{found}: {bound:?}");
            }
        }
    }
}

/// A network, a collective, a rectangle of it and a size.
type Case = (usize, usize, [u16; 4], u64);

fn case() -> impl Strategy<Value = Case> {
    let bytes = prop_oneof![Just(8), Just(64), 1..33_u64, Just(40)];
    let side = 0..4_u16;
    let rectangle = [side.clone(), side.clone(), side.clone(), side];
    (
        0..NETWORKS.len(),
        0..KINDS.len(),
        rectangle,
        bytes.prop_map(|n| if n > 33 { n } else { n * 64 }),
    )
}

type Preset = (&'static str, &'static [(&'static str, &'static str)]);

const NETWORKS: [Preset; 10] = [
    ("collective_noc_4x4", &[]),
    ("collective_noc_4x4_published", &[]),
    ("collective_noc_4x4_bypass", &[]),
    ("collective_noc_4x4", &[("router.link_cycles.wide", "3")]),
    (
        "collective_noc_4x4",
        &[("cluster.compute_millicycles_per_beat", "4000")],
    ),
    ("ideal_4x4", &[]),
    ("tilepro64_4x4", &[]),
    ("torrent_4x5", &[]),
    ("smart_4x4", &[]),
    ("smart_4x4_collective", &[]),
];

/// Every rank wants a chunk of the next one, the sum over all, and that of its own two chunks and one of the next one.
fn definition(ranks: u32) -> Definition {
    let chunk = |rank: u32, chunk| ChunkRef {
        rank: rank % ranks,
        chunk,
    };
    let wants = |rank: u32| {
        let mut some = vec![chunk(rank, 0), chunk(rank, 1), chunk(rank + 1, 0)];
        some.sort_unstable();
        some.dedup();
        vec![
            Want::Copy(chunk(rank + 1, 1)),
            Want::All { all: 0 },
            Want::Reduction(some),
        ]
    };
    Definition {
        name: "mixed".to_owned(),
        inputs: InputChunks::Each(2),
        outputs: (0..ranks).map(wants).collect(),
    }
}

/// Every algorithm is at its bounds or above; how many rows there were.
fn hold(nets: &[Network], (net, kind, [x, y, width, height], bytes): Case) -> usize {
    let net = &nets[net];
    let group = rectangle(x, y, 1 + width.min(3 - x), 1 + height.min(3 - y));
    let ranks = net.members(&group).unwrap().len() as u32;
    let mut request = CompareRequest::new(KINDS[kind], group, vec![bytes]);
    if KINDS[kind] == CollectiveKind::Custom {
        request.definition = Some(Box::new(definition(ranks)));
    }
    // Nothing on the network may do it for this group.
    let Ok(comparison) = compare(net, &request, Watch::quiet()) else {
        return 0;
    };
    for row in &comparison.rows {
        let software = row.software_bound_cycles.unwrap();
        assert!(row.cycles >= row.lower_bound_cycles, "{row:?}");
        assert!(software >= row.lower_bound_cycles, "{row:?}");
        assert!(row.is_in_network || row.cycles >= software, "{row:?}");
    }
    comparison.rows.len()
}

fn networks() -> Vec<Network> {
    let all = NETWORKS.iter();
    all.map(|(preset, set)| network(preset, set)).collect()
}

/// Runs so many cases.
fn run(cases: u32) {
    let nets = networks();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        source_file: Some(file!()),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    });
    let rows = std::cell::Cell::new(0);
    let result = runner.run(&case(), |case| {
        rows.set(rows.get() + hold(&nets, case));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(rows.get() > cases as usize);
}

/// `NOCCL_BOUND_CASES` asks for more (`make long`).
#[test]
fn no_algorithm_is_faster_than_its_bounds() {
    let cases = std::env::var("NOCCL_BOUND_CASES");
    run(cases.map_or(400, |number| number.parse().unwrap()));
}
