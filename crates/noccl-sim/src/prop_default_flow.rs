// SPDX-License-Identifier: Apache-2.0
//! Properties of the default flow over random traces: overlapping transactions of all kinds, members that
//! start in any order, endpoints that stall.
//!
//! Cases: 256 per property, or `PROPTEST_CASES`.

use crate::driver::trace::replay::TraceDriver;
use crate::machine::Machine;
use crate::machine::event::Done;
use crate::ni::axi::state::Ni;
use crate::router::collective::control::block::PORTS;
use crate::transport::transaction::Owner;
use noccl_net::counts::count_so_far;
use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_run::{Mode, RunConfig, StallConfig, Status};
use noccl_spec::Plane;
use noccl_testkit::traces::{
    atomic, barrier as port_barrier, narrow_multicast, narrow_read, narrow_write, trace,
    wide_multicast, wide_read, wide_reduction, wide_write,
};
use noccl_testkit::{cluster, cube, network};
use noccl_workload::{PortKind, PortTransaction, Trace};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::LazyLock;

static MESH_4X4: LazyLock<Network> = LazyLock::new(|| network("collective_noc_4x4"));
static MESH_8X8: LazyLock<Network> = LazyLock::new(|| network("collective_noc_8x8"));

/// What a transaction is made from; coordinates are cut to the mesh.
#[derive(Debug, Clone)]
struct Draw {
    kind: u8,
    from: (u16, u16),
    to: (u16, u16),
    mask: (u16, u16),
    beats: u32,
    start: u64,
    /// Members start up to so many cycles later, each by its own draw.
    skew: u64,
    seed: u64,
}

fn draw() -> impl Strategy<Value = Draw> {
    let at = || (0u16..8, 0u16..8);
    let beats = prop_oneof![4 => 1u32..12, 2 => 12u32..80, 1 => 120u32..200];
    (
        0u8..9,
        at(),
        at(),
        at(),
        beats,
        0u64..150,
        0u64..120,
        any::<u64>(),
    )
        .prop_map(|(kind, from, to, mask, beats, start, skew, seed)| Draw {
            kind,
            from,
            to,
            mask,
            beats,
            start,
            skew,
            seed,
        })
}

fn stalls() -> impl Strategy<Value = Option<StallConfig>> {
    let some = (0u32..160, 0u32..160).prop_map(|(target, initiator)| {
        Some(StallConfig {
            target_stall_per_256: target,
            initiator_stall_per_256: initiator,
        })
    });
    prop_oneof![1 => Just(None), 2 => some]
}

/// RoundRobinQueues draws into a trace that keeps the stated limits: no tile takes part in more reduction bursts
/// than `ni.max_open_reductions`, and no tile counts more barriers; what exceeds that becomes a write.
fn trace_of(network: &Network, draws: &[Draw]) -> Trace {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let limit = network.spec().axi().unwrap().ni.max_open_reductions;
    let burst_beats = network.spec().axi().unwrap().ni.max_burst_beats;
    let mut reductions: HashMap<Coord, u32> = HashMap::new();
    let mut barriers: HashMap<Coord, u32> = HashMap::new();
    let mut transactions = Vec::new();
    for d in draws {
        let cut = |(x, y): (u16, u16)| Coord::new(x % width, y % height);
        let (from, to) = (cut(d.from), cut(d.to));
        let set = MultiAddress::new(to, cut(d.mask));
        let bursts = d.beats.div_ceil(burst_beats);
        let claim = |used: &mut HashMap<Coord, u32>, more: u32| {
            let mut tiles: Vec<Coord> = set.members().collect();
            tiles.push(from);
            tiles.sort();
            tiles.dedup();
            let fits = |t: &Coord| count_so_far(used.get(t)) + more <= limit;
            let all_fit = tiles.iter().all(fits);
            if all_fit {
                tiles
                    .iter()
                    .for_each(|t| *used.entry(*t).or_insert(0) += more);
            }
            all_fit
        };
        let (a, b, beats) = (TileRef::Cluster(from), TileRef::Cluster(to), d.beats);
        let memory = TileRef::Memory(u32::from(to.y));
        let kind = match d.kind {
            0 | 1 => wide_multicast(a, set, beats),
            2 if claim(&mut reductions, bursts) => wide_reduction(set, a, beats),
            3 if claim(&mut barriers, 1) => port_barrier(set, a),
            4 => wide_read(a, memory, beats),
            5 => narrow_multicast(a, set),
            6 => atomic(a, memory),
            7 => narrow_read(a, b),
            _ => wide_write(a, b, beats),
        };
        let members = match kind {
            PortKind::WideReduction { .. } | PortKind::Barrier { .. } => set.len(),
            PortKind::WideWrite { .. }
            | PortKind::WideMulticast { .. }
            | PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. } => 1,
        };
        let start = |m: u32| {
            let draw = crate::kernel::random::mix(d.seed ^ u64::from(m)) % (d.skew + 1);
            Some(d.start + draw)
        };
        let start_cycles = (0..members).map(start).collect();
        transactions.push(PortTransaction { start_cycles, kind });
    }
    trace(transactions)
}

/// A finished run with everything that can be seen from inside.
struct Finished<'n> {
    machine: Machine<'n>,
    /// (initiator tile, target tile) to (entry, burst) in order of arrival.
    arrivals: HashMap<(u32, u32), Vec<(u32, u32)>>,
    wrong: u64,
    responses: Vec<u8>,
}

/// Runs a trace to its end, and on until nothing is due any more.
fn run<'n>(network: &'n Network, trace: &Trace, config: RunConfig) -> Finished<'n> {
    let mut machine = Machine::of(network, &config, "a trace").unwrap();
    let mut driver = TraceDriver::new(trace, &mut machine).unwrap();
    let mut starts = Vec::new();
    let mut arrivals: HashMap<(u32, u32), Vec<(u32, u32)>> = HashMap::new();
    while !driver.is_over() || !machine.is_idle() || machine.clock.num_events() > 0 {
        machine.begin_cycle(&mut starts);
        loop {
            crate::driver::drain_done(&mut machine, |done, machine| {
                if let Done::Delivered {
                    owner: Owner::Trace { entry, burst },
                    tile,
                    ..
                } = done
                {
                    let from = initiator(&trace.transactions[entry as usize].kind, network);
                    arrivals
                        .entry((from, tile))
                        .or_default()
                        .push((entry, burst));
                }
                driver.on_done(done, machine);
            });
            for event in &starts {
                driver.on_event(*event, &mut machine);
            }
            if !machine.more_events(&mut starts) {
                break;
            }
        }
        machine.end_cycle();
        if !driver.is_over() && machine.activity().is_stalled(&machine.config) {
            let driver = crate::diagnose::view::Driver::Trace(&driver);
            panic!("{}", crate::diagnose::diagnose(&machine, driver));
        }
    }
    let (wrong, responses) = (
        driver.num_wrong() + machine.checks.wrong_beats,
        driver.responses(),
    );
    Finished {
        machine,
        arrivals,
        wrong,
        responses,
    }
}

fn initiator(kind: &PortKind, network: &Network) -> u32 {
    let tile = kind.initiator().or(kind.root());
    network.find(tile.unwrap()).unwrap().0
}

/// Bytes that all targets together have to take.
fn expected_bytes(trace: &Trace) -> u64 {
    let bytes = |kind: &PortKind| match kind {
        PortKind::WideWrite { beats, .. } | PortKind::WideReduction { beats, .. } => {
            u64::from(*beats) * 64
        }
        PortKind::WideMulticast { to, beats, .. } => u64::from(*beats) * 64 * u64::from(to.len()),
        PortKind::WideRead { .. }
        | PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. }
        | PortKind::Barrier { .. } => 0,
    };
    trace.transactions.iter().map(|t| bytes(&t.kind)).sum()
}

/// Nothing is left anywhere.
fn assert_empty(machine: &Machine<'_>) -> Result<(), TestCaseError> {
    prop_assert_eq!(machine.interfaces.txns.live, 0, "transactions");
    prop_assert_eq!(machine.memory.pool.in_use(), 0, "payload slots");
    for plane in Plane::ALL {
        let state = &machine.mesh.planes[plane.idx()];
        prop_assert!(state.has_no_flits(), "stored flits");
        for r in 0..state.num_routers() {
            for port in 0..PORTS {
                prop_assert_eq!(state.fifo(r, true, port).count(), 0, "input of {}", r);
                prop_assert_eq!(state.fifo(r, false, port).count(), 0, "output of {}", r);
            }
            let wants = (0..=PORTS).fold(0, |set, i| set | state.wants(r, i));
            prop_assert_eq!(wants, 0, "requests of {}", r);
            let is_joining = (0..PORTS).any(|p| state.is_joining(r, p));
            prop_assert!(!is_joining, "waiting heads of {}", r);
        }
        prop_assert_eq!(state.joins.waiting().count(), 0, "table entries");
    }
    for (tile, ni) in machine.interfaces.nis.iter().enumerate() {
        let Ni {
            writes,
            reads,
            req,
            rsp,
            ..
        } = ni;
        let queued = writes.iter().count() + reads.len() + req.iter().count() + rsp.iter().count();
        prop_assert_eq!(queued, 0, "queues of tile {}", tile);
        let open = [
            ni.wide_outstanding,
            ni.reductions_outstanding,
            ni.open_barriers,
        ];
        prop_assert_eq!(open, [0; 3], "outstanding at tile {}", tile);
        prop_assert_eq!(ni.reads_in_service, 0, "reads at tile {}", tile);
        prop_assert_eq!(ni.own_in_flight, [0; 2], "loops at tile {}", tile);
    }
    Ok(())
}

/// Wide bursts of one initiator reach one target in the order in which they were issued.
fn assert_in_order(trace: &Trace, done: &Finished<'_>) -> Result<(), TestCaseError> {
    let is_wide = |entry: u32| {
        let kind = &trace.transactions[entry as usize].kind;
        matches!(
            kind,
            PortKind::WideWrite { .. } | PortKind::WideMulticast { .. }
        )
    };
    let start = |entry: u32| trace.transactions[entry as usize].start_cycles[0];
    for ((from, to), arrivals) in &done.arrivals {
        let wide = arrivals
            .iter()
            .copied()
            .filter(|(entry, _)| is_wide(*entry));
        let order: Vec<_> = wide.map(|(e, b)| (start(e), e, b)).collect();
        prop_assert!(order.is_sorted(), "{} to {}: {:?}", from, to, order);
    }
    Ok(())
}

fn check(network: &Network, draws: &[Draw], config: &RunConfig) -> Result<(), TestCaseError> {
    let trace = trace_of(network, draws);
    let done = run(network, &trace, config.clone());
    prop_assert_eq!(done.wrong, 0, "wrong bytes or responses");
    prop_assert!(done.responses.iter().all(|r| *r == 0));
    let written = done.machine.checks.counters.spm_write_bytes;
    prop_assert_eq!(
        written,
        expected_bytes(&trace),
        "each byte is delivered once to each target"
    );
    assert_in_order(&trace, &done)?;
    assert_empty(&done.machine)?;
    let timing = RunConfig {
        mode: Mode::Timing,
        ..config.clone()
    };
    let again = run(network, &trace, timing);
    prop_assert_eq!(again.wrong, 0);
    prop_assert_eq!(
        again.machine.clock.now(),
        done.machine.clock.now(),
        "modes differ in cycles"
    );
    Ok(())
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn random_overlapping_transactions_arrive_whole_once_and_in_order_on_4x4(
        draws in prop::collection::vec(draw(), 1..48),
        stalls in stalls(),
        stall_seed: u64,
    ) {
        let config = RunConfig { stalls, stall_seed, ..RunConfig::new(Mode::Value) };
        check(&MESH_4X4, &draws, &config)?;
    }

    #[test]
    fn random_overlapping_transactions_arrive_whole_once_and_in_order_on_8x8(
        draws in prop::collection::vec(draw(), 1..64),
        stalls in stalls(),
        stall_seed: u64,
    ) {
        let config = RunConfig { stalls, stall_seed, ..RunConfig::new(Mode::Value) };
        check(&MESH_8X8, &draws, &config)?;
    }
}

#[test]
fn own_copy_of_a_multicast_keeps_its_place_behind_earlier_writes() {
    let from = cluster(1, 1);
    let to = cube(0, 0, 3, 3);
    let wide = [wide_write(from, from, 3), wide_multicast(from, to, 1)];
    let narrow = [narrow_write(from, from), narrow_multicast(from, to)];
    let own = MESH_4X4.find(from).unwrap().0;
    for kinds in [wide, narrow] {
        let entry = |kind| PortTransaction {
            start_cycles: vec![Some(0)],
            kind,
        };
        let trace = trace(kinds.into_iter().map(entry).collect());
        let done = run(&MESH_4X4, &trace, RunConfig::new(Mode::Value));
        assert_eq!(done.arrivals[&(own, own)], [(0, 0), (1, 0)]);
        assert_empty(&done.machine).unwrap();
    }
}
