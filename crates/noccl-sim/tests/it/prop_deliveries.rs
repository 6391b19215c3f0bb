// SPDX-License-Identifier: Apache-2.0
//! Deliveries that overwrite what others have read, as soon as the checker allows it: on every kind of router memories are in the
//! end what the interpreter leaves. So a destination that has seen its flag may rely on the source's bytes having been read.

use crate::common::hand_written::schedule_of;
use crate::common::interpreted::{beginnings, expected, found, random_images};
use crate::common::{cluster, network, stalling};
use noccl_net::{Network, TileRef};
use noccl_run::{Mode, RunConfig};
use noccl_testkit::actions::to_set;
use noccl_testkit::schedules::after;
use noccl_testkit::{Random, cases, cube, place};
use noccl_workload::{Action, ActionKind, Destination, Schedule, Transfer, check, participants};

/// Two ranges of every memory are used, each of some bursts.
const RANGES: u64 = 2;
const RANGE_BYTES: u64 = 0x3000;
const ACTIONS: usize = 12;

fn tile(random: &mut Random) -> TileRef {
    cluster(random.below(2) as u16, random.below(2) as u16)
}

/// From one of four clusters to one of them or to a row, a column or all.
fn delivery(random: &mut Random) -> Transfer {
    let offset = |random: &mut Random| random.below(RANGES) * RANGE_BYTES;
    let source = place(tile(random), offset(random));
    let initiator = if random.below(4) == 0 {
        tile(random)
    } else {
        source.tile
    };
    let (to, offset) = (tile(random), offset(random));
    let destination = match (random.below(3), to) {
        (0, TileRef::Cluster(at)) => {
            let (x, y) = (random.below(2) as u16, random.below(2) as u16);
            to_set(cube(at.x & !x, at.y & !y, x, y), offset)
        }
        _ => Destination::One(place(to, offset)),
    };
    let bytes = 64 * (1 + random.below(64));
    let stride = 64 * 64;
    Transfer {
        rows: 1 + random.below(3) as u32,
        source_stride: stride,
        destination_stride: stride,
        ..Transfer::row(initiator, source, destination, bytes)
    }
}

/// Deliveries that the checker accepts; each comes after what its initiator has received, not after what it has sent.
fn random_schedule(net: &Network, seed: u64) -> Schedule {
    let mut random = Random(seed);
    let mut schedule = schedule_of(Vec::new());
    for _ in 0..200 {
        let transfer = delivery(&mut random);
        let initiator = net.find(transfer.initiator).unwrap();
        let received = |action: &Action| {
            let is_told = participants(net, &action.kind).contains(&initiator);
            let own = |t: &Transfer| t.initiator == transfer.initiator;
            is_told && !action.kind.transfer().is_some_and(own)
        };
        let actions = schedule.actions.iter().enumerate();
        let others = actions.filter(|(_, action)| received(action));
        let others: Vec<u32> = others.map(|(index, _)| index as u32).collect();
        schedule
            .actions
            .push(after(ActionKind::Delivery(transfer), &others));
        if check(net, &schedule).is_err() {
            schedule.actions.pop();
        }
        if schedule.actions.len() == ACTIONS {
            break;
        }
    }
    schedule
}

/// Runs a schedule with stalls; is every byte what the interpreter leaves?
fn is_right(net: &Network, schedule: &Schedule, seed: u64, can_stall: bool) -> bool {
    let mut inputs = random_images(net, RANGES * RANGE_BYTES);
    inputs.retain(|image| matches!(image.tile, TileRef::Cluster(at) if at.x < 2 && at.y < 2));
    let outputs = beginnings(&inputs, RANGES * RANGE_BYTES);
    let mut config = RunConfig::new(Mode::Value);
    config.stall_seed = seed;
    config.stalls = (can_stall && seed % 2 == 1).then_some(stalling(60, 60));
    let run = noccl_sim::run_schedule(net, schedule, &inputs, &outputs, &config, &mut |_| true);
    let expected = expected(net, schedule, &inputs, &outputs).expect("a right schedule");
    found(&run.unwrap()) == expected
}

#[test]
fn what_a_flag_tells_of_reads_holds_on_every_kind_of_router() {
    let seeds = u64::from(cases(12, 60));
    for (preset, can_stall) in [
        ("collective_noc_4x4", true),
        ("collective_noc_4x4_published", true),
        ("collective_noc_4x4_bypass", true),
        ("ideal_4x4", false),
        ("torrent_3x3", false),
        ("smart_4x4", false),
        ("smart_4x4_collective", false),
    ] {
        let net = network(preset);
        let mut overwritten = 0;
        for seed in 0..seeds {
            let schedule = random_schedule(&net, seed);
            overwritten += u64::from(schedule.actions.len() == ACTIONS);
            assert!(
                is_right(&net, &schedule, seed, can_stall),
                "{preset}, seed {seed}: {}",
                noccl_workload::to_json(&schedule)
            );
        }
        // Eight ranges and twelve deliveries: some overwrite what others have read.
        assert!(overwritten > seeds / 4, "{preset}: {overwritten}");
    }
}
