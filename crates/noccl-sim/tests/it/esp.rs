// SPDX-License-Identifier: Apache-2.0
//! ESP's multicast: cycles in closed form, bytes, company, stalls that are diagnosed, refusals.

use crate::common::chains::{hops, snake};
use crate::common::lists::{list, run, schedule};
use crate::common::{cluster, image, length_of, network, network_with, run_alone, stalling};
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_testkit::{Random, assert_says};
use noccl_workload::{CheckError, ListMulticast, check};
use proptest::prelude::*;

const VALUE: RunConfig = RunConfig::new(Mode::Value);

/// docs/timing.md: the last request at the producer, one packet per `worm_flits` beats to the farthest consumer.
fn formula(net: &Network, from: Coord, to: &[Coord], bytes: u64) -> u64 {
    let spec = net.spec();
    let (router, endpoint) = (
        spec.axi().unwrap().router.esp.as_ref().unwrap(),
        spec.axi().unwrap().cluster.esp.as_ref().unwrap(),
    );
    let per_hop = u64::from(1 + router.reserve_cycles);
    let path_cycles = |a: Coord, b: Coord| per_hop * (hops(a, b) + 1);
    let start = |place: usize| {
        place as u64 * u64::from(endpoint.consumer_start_cycles) + u64::from(endpoint.setup_cycles)
    };
    // Length flits at the producer if no request met another one; then they follow each other.
    let asked = to.iter().enumerate();
    let mut arrivals: Vec<u64> = asked
        .map(|(i, at)| start(i) + path_cycles(*at, from) + 1)
        .collect();
    arrivals.sort_unstable();
    let (mut delivered, mut noted) = (0, 0);
    for arrival in arrivals {
        delivered = arrival.max(delivered + 1 + per_hop);
        noted = noted.max(delivered + 1) + u64::from(endpoint.request_cycles);
    }
    let beats = spec.axi().unwrap().ni.beats(bytes);
    let packets = match router.worm_flits {
        0 => 1,
        flits => beats.div_ceil(u64::from(flits)),
    };
    let farthest = to.iter().map(|at| path_cycles(from, *at)).max().unwrap();
    let sent = noted + u64::from(spec.axi().unwrap().cluster.l1_latency_cycles);
    // A further packet reserves while the tail before it passes: its head loses the cycles of the reservation.
    sent + farthest + beats + 1 + (packets - 1) * per_hop
}

/// Cycles of one multicast alone; its bytes are right.
fn cycles(net: &Network, from: Coord, to: &[Coord], bytes: u64) -> u64 {
    let (result, is_right) = run(net, &[list(from, to, bytes)], &VALUE).unwrap();
    assert!(is_right, "{from} to {to:?}, {bytes} bytes");
    length_of(&result, 0)
}

#[test]
fn a_packet_along_a_snake_takes_the_closed_formula_exactly() {
    for preset in ["esp_4x5", "esp_4x5_calibrated"] {
        let net = network(preset);
        let snake = snake(&net);
        for num in 1..snake.len() {
            for beats in [1, 2, 3, 4, 5, 16, 64, 255] {
                let to = &snake[1..=num];
                let expected = formula(&net, snake[0], to, 64 * beats);
                assert_eq!(
                    cycles(&net, snake[0], to, 64 * beats),
                    expected,
                    "{preset}, {num} consumers, {beats} beats"
                );
            }
        }
    }
}

#[test]
fn packets_of_a_cut_transfer_follow_each_other_by_the_closed_formula() {
    for (packet, reserve) in [(15, 1), (4, 0), (0, 0)] {
        let overrides = [
            ("router.esp.worm_flits", packet),
            ("router.esp.reserve_cycles", reserve),
        ];
        let net = network_with("esp_4x5", &overrides);
        let snake = snake(&net);
        for (num, bytes) in [(1, 64), (4, 960), (7, 1000), (19, 4096), (12, 16 << 10)] {
            let to = &snake[1..=num];
            let expected = formula(&net, snake[0], to, bytes);
            assert_eq!(
                cycles(&net, snake[0], to, bytes),
                expected,
                "{overrides:?}, {num} consumers, {bytes} bytes"
            );
        }
    }
}

#[test]
fn a_consumer_more_costs_three_cycles_of_hardware_and_a_hundred_of_the_cpu() {
    for (preset, per_consumer) in [("esp_4x5", 3), ("esp_4x5_calibrated", 100)] {
        let net = network(preset);
        let from = Coord::new(0, 0);
        let equally_far = [(0, 2), (1, 1), (2, 0)].map(|(x, y)| Coord::new(x, y));
        let of = |num: usize| cycles(&net, from, &equally_far[..num], 4096);
        assert_eq!(of(2) - of(1), per_consumer, "{preset}");
        assert_eq!(of(3) - of(2), per_consumer, "{preset}");
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(50, 200))]

    /// Any source and any set on 8x8, alone: the right bytes in the closed formula's cycles; the same cycles when no bytes move.
    #[test]
    fn any_set_and_size_alone_is_right_and_takes_the_closed_formula(
        from in (0u16..8, 0u16..8),
        to in proptest::collection::btree_set((0u16..8, 0u16..8), 1..33),
        bytes in 1u64..3000,
        calibrated in any::<bool>(),
    ) {
        let net = network(if calibrated { "esp_8x8_calibrated" } else { "esp_8x8" });
        let from = Coord::new(from.0, from.1);
        let to: Vec<Coord> = to.into_iter().map(|(x, y)| Coord::new(x, y)).filter(|c| *c != from).collect();
        prop_assume!(!to.is_empty());
        let one = list(from, &to, bytes);
        check(&net, &schedule(std::slice::from_ref(&one))).unwrap();
        let (result, is_right) = run(&net, std::slice::from_ref(&one), &VALUE).unwrap();
        prop_assert!(is_right);
        prop_assert_eq!(result.actions[0].finish_cycle, formula(&net, from, &to, bytes));
        let (timing, _) = run(&net, &[one], &RunConfig::new(Mode::Timing)).unwrap();
        prop_assert_eq!(timing.actions, result.actions);
        prop_assert_eq!(timing.checksum, result.checksum);
        prop_assert_eq!(timing.counters, result.counters);
    }

    /// Stalls at the endpoints cost time and nothing else.
    #[test]
    fn stalls_change_no_byte(
        seed in any::<u64>(),
        num in 1usize..20,
        bytes in 1u64..2000,
        cut in prop_oneof![Just("0"), Just("3"), Just("15")],
    ) {
        let net = network_with("esp_4x5", &[("router.esp.worm_flits", cut)]);
        let snake = snake(&net);
        let stalls = stalling(100, 60);
        let config = RunConfig { stall_seed: seed, stalls: Some(stalls), ..VALUE };
        let to = &snake[1..num.min(snake.len() - 1) + 1];
        let (result, is_right) = run(&net, &[list(snake[0], to, bytes)], &config).unwrap();
        prop_assert!(is_right);
        prop_assert!(result.actions[0].finish_cycle >= formula(&net, snake[0], to, bytes));
    }
}

/// Disjoint sets of clusters of 5x4, each with a source, from a seed.
fn company(net: &Network, seed: u64) -> Vec<ListMulticast> {
    let mut random = Random(seed);
    let mut below = |n: usize| random.index(n);
    let mut free = snake(net);
    let mut lists = Vec::new();
    while free.len() >= 2 && lists.len() < 4 {
        let take = 2 + below(free.len().min(6) - 1);
        let members: Vec<Coord> = (0..take)
            .map(|_| free.swap_remove(below(free.len())))
            .collect();
        lists.push(list(members[0], &members[1..], 64 * (1 + below(40)) as u64));
    }
    lists
}

/// Packets of several producers at once: the right bytes, or a circle of packets that wait for each other, by name.
#[test]
fn multicasts_at_the_same_time_are_right_or_stall_with_a_diagnosis() {
    let net = network("esp_4x5");
    let (mut right, mut stalled) = (0, 0);
    for seed in 0..600 {
        let lists = company(&net, seed);
        match run(&net, &lists, &VALUE) {
            Ok((_, is_right)) => {
                assert!(is_right, "seed {seed}: {lists:?}");
                right += 1;
            }
            Err(RunError::Stall(found)) => {
                assert!(
                    found.summary.contains("hold outputs"),
                    "seed {seed}: {found}"
                );
                let edges = found.waits.iter().zip(found.waits.iter().cycle().skip(1));
                assert!(found.waits.len() >= 2);
                for (edge, next) in edges {
                    assert_eq!(edge.awaited, next.waiter, "seed {seed}: {found}");
                }
                stalled += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(
        right > 400 && stalled > 0,
        "{right} right, {stalled} stalled"
    );
}

/// Each holds the link that the other one's branch needs: design note 0006.
#[test]
fn crossing_packets_wait_for_each_other_and_are_named() {
    let net = network("esp_4x5");
    let at = |list: &[(u16, u16)]| -> Vec<Coord> {
        list.iter().map(|(x, y)| Coord::new(*x, *y)).collect()
    };
    let from_the_left = list(Coord::new(0, 0), &at(&[(1, 2), (2, 2)]), 4096);
    let from_the_right = list(Coord::new(3, 1), &at(&[(0, 3), (1, 3), (2, 3)]), 4096);
    let both = [from_the_left, from_the_right];
    let links = [
        "wide link cluster (1,1) -> North",
        "wide link cluster (2,1) -> North",
    ];
    assert_says(check(&net, &schedule(&both)).unwrap_err(), &links);
    let parts = [
        "hold outputs",
        "data packet of action #0 from cluster (0,0)",
        "data packet of action #1 from cluster (3,1)",
        "output North of the data router of cluster (1,1)",
        "output North of the data router of cluster (2,1)",
    ];
    assert_says(run(&net, &both, &VALUE).unwrap_err(), &parts);
    // Alone they are right, and behind each other.
    for one in both {
        assert!(run(&net, &[one], &VALUE).unwrap().1);
    }
}

/// What the schedule orders, here by a source that takes part in all, is safe.
#[test]
fn one_multicast_after_the_other_never_stalls() {
    let net = network("esp_4x5");
    for seed in 0..200 {
        // The source of all takes part in all, so they follow each other.
        let lists: Vec<ListMulticast> = company(&net, seed)
            .into_iter()
            .map(|one| {
                let to = one.destinations.into_iter().chain([one.source]);
                let to: Vec<TileRef> = to.filter(|t| *t != cluster(2, 2)).collect();
                ListMulticast {
                    source: cluster(2, 2),
                    destinations: to,
                    ..one
                }
            })
            .collect();
        let (result, _) = run(&net, &lists, &VALUE).unwrap();
        let ends = result.actions.windows(2);
        assert!(
            ends.clone()
                .all(|pair| pair[0].finish_cycle <= pair[1].finish_cycle)
        );
    }
}

/// A destination's share ends with its last beat, so what comes after it may read them; without that it is a race.
#[test]
fn a_destination_sends_on_what_it_has_got() {
    let net = network("esp_4x5");
    let at = |x, y| Coord::new(x, y);
    let first = list(at(0, 0), &[at(1, 0), at(1, 1)], 640);
    let second = ListMulticast {
        source_offset: crate::common::lists::OUTPUT,
        ..list(at(1, 0), &[at(4, 3), at(0, 2)], 640)
    };
    let mut both = schedule(&[first, second]);
    assert!(matches!(check(&net, &both), Err(CheckError::Race(_))));
    both.actions[1].after = vec![noccl_workload::ActionId(0)];
    check(&net, &both).unwrap();
    let bytes: Vec<u8> = (0..640).map(|i| (i * 7 % 251) as u8).collect();
    let input = image(cluster(0, 0), 0, bytes.clone());
    let outputs = [(noccl_testkit::at(4, 3, crate::common::lists::OUTPUT), 640)];
    let result =
        noccl_sim::run_schedule(&net, &both, &[input], &outputs, &VALUE, &mut |_| true).unwrap();
    assert!(result.memory[0].bytes == bytes);
    assert!(result.actions[1].finish_cycle > result.actions[0].finish_cycle);
}

#[test]
fn more_destinations_than_fit_into_the_header_are_refused_by_field() {
    for (bits, most) in [("64", 6usize), ("128", 15), ("512", 32)] {
        let net = network_with("esp_8x8", &[("router.esp.header_bits", bits)]);
        let snake = snake(&net);
        let of = |num: usize| list(snake[0], &snake[1..=num], 64);
        check(&net, &schedule(&[of(most)])).unwrap();
        assert!(run(&net, &[of(most)], &VALUE).unwrap().1);
        let error = check(&net, &schedule(&[of(most + 1)])).unwrap_err();
        assert!(matches!(error, CheckError::Field { .. }));
        assert_says(error, &["destinations", &format!("1 to {most} ")]);
        let error = run(&net, &[of(most + 1)], &VALUE).unwrap_err();
        assert!(matches!(error, RunError::Refused { .. }), "{error}");
    }
}

#[test]
fn lists_are_refused_elsewhere_and_everything_else_here() {
    let (esp, torrent) = (network("esp_4x5"), network("torrent_4x5"));
    let lists = schedule(&[list(Coord::new(0, 0), &[Coord::new(1, 0)], 64)]);
    assert_says(check(&torrent, &lists).unwrap_err(), &["router.flow"]);
    let error = run_alone(&torrent, &lists, &VALUE).unwrap_err();
    assert_says(error, &["esp_4x5"]);
    let refused = noccl_sim::ScheduleRun::new(&esp, &lists, &[], &VALUE).err();
    assert_says(refused.unwrap(), &["list_multicast"]);
    let mut twice = lists;
    let again = twice.actions[0].clone();
    twice.actions.push(again);
    let noccl_workload::ActionKind::ListMulticast(ref mut one) = twice.actions[1].kind else {
        unreachable!("a list");
    };
    one.destinations.push(cluster(1, 0));
    assert_says(check(&esp, &twice).unwrap_err(), &["each cluster once"]);
}

#[test]
fn a_source_among_its_destinations_keeps_a_copy_and_nothing_is_a_no_op() {
    let net = network("esp_4x5");
    let at = |x, y| Coord::new(x, y);
    let with_own = list(at(1, 1), &[at(3, 2), at(1, 1), at(0, 0)], 640);
    let without = list(at(1, 1), &[at(3, 2), at(0, 0)], 640);
    let (result, is_right) = run(&net, &[with_own], &VALUE).unwrap();
    assert!(is_right);
    let (other, _) = run(&net, &[without], &VALUE).unwrap();
    assert_eq!(result.actions, other.actions);
    let (alone, is_right) = run(&net, &[list(at(1, 1), &[at(1, 1)], 640)], &VALUE).unwrap();
    assert!(is_right && alone.counters.flit_hops == 0);
    let (nothing, _) = run(&net, &[list(at(1, 1), &[at(1, 2)], 0)], &VALUE).unwrap();
    assert_eq!(nothing.cycles, 0);
}
