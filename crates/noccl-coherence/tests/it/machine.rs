// SPDX-License-Identifier: Apache-2.0
//! The machine: an uncontended miss in closed form, every load as last stored, one message per acknowledgement flow.

use crate::common::log;
use noccl_coherence::machine::{Counts, LATENCIES, LINE_BYTES, Machine, MachineError};
use noccl_coherence::protocol::{Flow, Ht, Protocol, Token};
use noccl_coherence::recording::RecordedEvent;
use noccl_coherence::{Kernel, Log, Size};
use noccl_net::{Network, TileId};
use noccl_spec::{SmartMulticast, SmartPriority, SmartReduction, SmartRouter};
use noccl_testkit::{network_of as network, one_in};

fn run<P: Protocol>(network: &Network, log: &Log) -> Result<Counts, MachineError> {
    Machine::<P>::new(network, log, LATENCIES)?.run(&mut |_| true)
}

/// From the cycle in which an interface has a packet to that in which the other one has its last flit (`docs/design/0010-smart.md`).
fn unicast_cycles(paths: u64, flits: u64) -> u64 {
    1 + 2 * (paths + 1) + flits - 1
}

#[test]
fn an_uncontended_load_takes_its_closed_form() {
    // Line 2 has its home in the corner opposite to core 0.
    let log = log(&[&[RecordedEvent::Read(2 * LINE_BYTES, 8)]]);
    for (preset, paths) in [
        ("smart_8x8_baseline", 14),
        ("smart_8x8", 2),
        ("smart_8x8_private", 2),
    ] {
        let network = network(preset, |_| ());
        let home = LATENCIES.directory_cycles + LATENCIES.memory_cycles;
        let there = LATENCIES.issue_cycles + unicast_cycles(paths, 1) + home;
        let expected = there + unicast_cycles(paths, 5) + LATENCIES.cache_cycles;
        let counts = run::<Ht>(&network, &log).expect("runs");
        assert_eq!(
            counts.mean_miss_cycles,
            Some(expected as f64),
            "HT on {preset}"
        );
        assert_eq!((counts.misses, counts.references), (1, 1));
    }
}

#[test]
fn an_uncontended_load_between_cores_takes_its_closed_form() {
    // Words of four bytes: two of a head, and sixteen of a line behind it.
    let network = network("tilepro64_2x2", |_| ());
    let alone = |from, to, words| {
        let cycles = network.lone_packet_cycles(TileId(from), TileId(to), words);
        cycles.expect("these have cores")
    };
    let line = [RecordedEvent::Read(2 * LINE_BYTES, 8)];
    let home = LATENCIES.directory_cycles + LATENCIES.memory_cycles;
    let ends = LATENCIES.issue_cycles + home + LATENCIES.cache_cycles;
    let expected = ends + alone(0, 3, 2) + alone(3, 0, 18);
    let counts = run::<Ht>(&network, &log(&[&line])).expect("runs");
    assert_eq!(counts.mean_miss_cycles, Some(expected as f64));
    // Request, data, release and the acknowledgement of the home's own cache over two hops, two probes and two acknowledgements over one.
    assert_eq!(counts.flit_hops, 2 * (2 + 18 + 2 + 2) + 2 * 2 + 2 * 2);
    assert_eq!(counts.delivered_flits, (2 + 18 + 2 + 2) + 2 * 2 + 2 * 2);
}

#[test]
fn kernels_on_core_tiles_load_what_was_stored_last_and_send_every_message_apart() {
    let network = network("tilepro64_8x8", |_| ());
    let log = Kernel::Fft
        .record(64, Size::Small)
        .expect("its result is right");
    let ht = run::<Ht>(&network, &log).expect("runs");
    assert_eq!(ht.received_per_flow, Some(63.0));
    assert_eq!(ht.mean_table_entries, Some(0.0));
    for counts in [ht, run::<Token<2>>(&network, &log).expect("runs")] {
        assert_eq!(counts.references, log.num_references());
        // The port of a source passes a word per cycle: two of each copy.
        assert!(
            counts.mean_broadcast_cycles >= Some(62.0 * 2.0),
            "{counts:?}"
        );
    }
}

#[test]
fn a_request_of_the_token_protocol_takes_its_closed_form() {
    let log = log(&[&[
        RecordedEvent::Write(2 * LINE_BYTES, 8),
        RecordedEvent::Read(2 * LINE_BYTES, 8),
    ]]);
    let network = network("smart_8x8", |_| ());
    let there = LATENCIES.issue_cycles + unicast_cycles(2, 1) + LATENCIES.directory_cycles;
    let back = LATENCIES.memory_cycles + unicast_cycles(2, 5) + LATENCIES.cache_cycles;
    let counts = run::<Token<2>>(&network, &log).expect("runs");
    // The second broadcast, after so many cycles, finds no tokens any more.
    assert_eq!(counts.mean_miss_cycles, Some((there + back) as f64));
    assert_eq!(
        (
            counts.misses,
            counts.repeats,
            counts.flows[&Flow::Broadcast]
        ),
        (1, 1, 2)
    );
}

#[test]
fn without_misses_there_is_no_mean_of_them() {
    let network = network("smart_8x8", |_| ());
    let counts = run::<Ht>(&network, &log(&[&[]])).expect("runs");
    assert_eq!((counts.misses, counts.mean_miss_cycles), (0, None));
}

#[test]
fn kernels_load_what_was_stored_last() {
    let network = network("smart_8x8", |_| ());
    for kernel in Kernel::ALL.into_iter().step_by(one_in(3)) {
        let log = kernel.record(64, Size::Small).expect("its result is right");
        for counts in [run::<Ht>(&network, &log), run::<Token<2>>(&network, &log)] {
            let counts = counts.unwrap_or_else(|error| panic!("{}: {error}", kernel.name()));
            assert_eq!(counts.references, log.num_references());
            assert_eq!(counts.uncounted_flows, 0);
            assert!(
                counts
                    .received_per_flow
                    .is_none_or(|received| received == 1.0)
            );
        }
    }
}

#[test]
fn a_full_table_leaves_acknowledgements_apart() {
    let network = network("smart_8x8", |spec| {
        let smart = spec
            .axi_mut()
            .unwrap()
            .router
            .smart
            .as_mut()
            .expect("these routers");
        smart.reduction_table_entries = 2;
    });
    let log = Kernel::Fft
        .record(64, Size::Small)
        .expect("its result is right");
    let counts = run::<Ht>(&network, &log).expect("runs");
    assert_eq!(counts.received_per_counted_flow, Some(1.0));
    assert!(
        counts.uncounted_flows > 100
            && counts
                .mean_table_entries
                .is_some_and(|entries| entries <= 2.0)
    );
    assert!(counts.received_per_flow > Some(2.0));
}

#[test]
fn every_design_is_coherent_and_wires_are_fastest() {
    let log = Kernel::Fft
        .record(64, Size::Small)
        .expect("its result is right");
    let cycles = |preset: &str, change: fn(&mut SmartRouter)| {
        let network = network(preset, |spec| {
            change(
                spec.axi_mut()
                    .unwrap()
                    .router
                    .smart
                    .as_mut()
                    .expect("these routers"),
            )
        });
        let ht = run::<Ht>(&network, &log).expect("runs").cycles;
        (ht, run::<Token<2>>(&network, &log).expect("runs").cycles)
    };
    let wires = cycles("smart_8x8_connected", |_| ());
    let others = [
        cycles("smart_8x8", |_| ()),
        cycles("smart_8x8_private", |_| ()),
        cycles("smart_8x8_private", |smart| {
            smart.multicast = SmartMulticast::Complete
        }),
        cycles("smart_8x8", |smart| {
            (smart.reduction, smart.priority) = (SmartReduction::Greedy, SmartPriority::Bypass);
        }),
        cycles("smart_8x8_collective", |_| ()),
        cycles("smart_8x8_unicast", |_| ()),
        cycles("smart_8x8_baseline", |_| ()),
    ];
    for other in others {
        assert!(
            wires.0 < other.0 && wires.1 < other.1,
            "{wires:?} {others:?}"
        );
        assert!(
            other.0 <= others[6].0 && other.1 <= others[6].1,
            "{others:?}"
        );
    }
}

#[test]
fn lines_leave_a_full_set_and_come_back() {
    // 40 lines of one set, of 16 lines, written and read by two threads at a time.
    let lines = || (0..40).map(|line| line * 1024 * LINE_BYTES);
    let events: Vec<RecordedEvent> = (lines().map(|at| RecordedEvent::Write(at, 4)))
        .chain(lines().map(|at| RecordedEvent::Read(at, 4)))
        .collect();
    let log = log(&[&events, &events]);
    let network = network("smart_8x8", |_| ());
    for counts in [run::<Ht>(&network, &log), run::<Token<2>>(&network, &log)] {
        let counts = counts.expect("runs");
        assert!(counts.evictions > 40, "{counts:?}");
    }
    assert!(run::<Ht>(&network, &log).expect("runs").flows[&Flow::Writeback] > 20);
}

#[test]
fn synchronisations_take_effect_on_the_machine() {
    use RecordedEvent::{Barrier, Join, Lock, Read, Start, Unlock, Write};
    let work: Vec<RecordedEvent> = (0..500).map(|_| Read(64, 4)).collect();
    let first = [
        &[Start(1)][..],
        &work,
        &[Barrier(0), Join(1), Write(128, 4)],
    ]
    .concat();
    let second = [
        &[Lock(5), Write(256, 4), Unlock(5), Barrier(0)][..],
        &work,
        &work,
    ]
    .concat();
    let network = network("smart_8x8", |_| ());
    let cycles =
        |threads: &[&[RecordedEvent]]| run::<Ht>(&network, &log(threads)).expect("runs").cycles;
    // The second thread's work comes after the barrier, and its end before the first one's last reference.
    assert!(cycles(&[&first, &second]) > 1500);
    assert!(cycles(&[&first[..501], &second[..3]]) < 1500);
}

#[test]
fn nobody_passes_a_barrier_alone_and_locks_exclude() {
    use RecordedEvent::{Barrier, Lock, Read, Unlock};
    let network = network("smart_8x8", |_| ());
    let cycles =
        |threads: &[&[RecordedEvent]]| run::<Ht>(&network, &log(threads)).expect("runs").cycles;
    let work: Vec<RecordedEvent> = (0..5000).map(|_| Read(64, 4)).collect();
    let (before, behind) = (
        [&work[..], &[Barrier(0)]].concat(),
        [&[Barrier(0)], &work[..]].concat(),
    );
    for (first, second) in [(&before, &behind), (&behind, &before)] {
        // The tree of the barrier has two levels.
        let mut threads: Vec<&[RecordedEvent]> = vec![&[Barrier(0)]; 20];
        (threads[0], threads[19]) = (first, second);
        assert!(cycles(&threads) > 10_000);
    }
    let locked = [&[Lock(3)], &work[..], &[Unlock(3)]].concat();
    assert!(cycles(&[&locked[..]; 8]) > 8 * 5000);
    assert!(cycles(&[&work[..]; 8]) < 2 * 5000);
}

#[test]
fn what_does_not_fit_is_refused() {
    let log = Kernel::Fft
        .record(64, Size::Small)
        .expect("its result is right");
    let refusal = |preset: &str| {
        run::<Ht>(&network(preset, |_| ()), &log)
            .expect_err("refused")
            .to_string()
    };
    assert_eq!(
        refusal("smart_4x4"),
        "threads: 64; accepted: 1 to 16, a core each of smart_4x4"
    );
    assert_eq!(
        refusal("smart_16x8"),
        "network smart_16x8: 128 tiles; accepted: 4 to 64, so that each corner has one and 6 bits name a cache"
    );
    assert!(
        refusal("collective_noc_7x8")
            .starts_with("sim refuses packets on collective_noc_7x8: routers of flow non_blocking")
    );
    let narrow = network("smart_8x8", |spec| {
        let smart = spec.axi_mut().and_then(|axi| axi.router.smart.as_mut());
        smart.expect("these routers").flit_bits = 64;
    });
    assert_eq!(
        run::<Ht>(&narrow, &log).expect_err("refused").to_string(),
        "network smart_8x8: router.smart.vc_flits = 5; accepted: 9 or more, the flits of a cache line with its head"
    );
}
