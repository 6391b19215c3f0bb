// SPDX-License-Identifier: Apache-2.0
//! Random schedules on core tiles: bytes as the interpreter has them, no deadlock, whatever the cores' rules and stalls.

use crate::common::hand_written::schedule;
use crate::common::interpreted::{self, expected};
use crate::common::{cluster, image, network_with, place_at as place, stalling};
use noccl_run::{Mode, RunConfig};
use noccl_testkit::actions::{compute, core_sum, static_multicast};
use noccl_testkit::clusters;
use noccl_workload::{ActionKind, ElementType, First, Message, MessageRows};
use proptest::prelude::*;

/// Bytes of a slot: every action writes one of its own.
const SLOT: u64 = 1024;

#[derive(Debug, Clone)]
struct Step {
    kind: u8,
    from: (u16, u16),
    to: (u16, u16),
    bytes: u64,
    /// Rows of a message: their number, the stride at the source, and bytes between rows at the destination.
    rows: Option<(u32, u64, u64)>,
    /// Which earlier actions it waits for and reads, counted back.
    after: Vec<usize>,
    cycles: u64,
}

fn steps(width: u16, height: u16) -> impl Strategy<Value = Vec<Step>> {
    let tile = move || (0..width, 0..height);
    let bytes = prop_oneof![Just(0), 1u64..20, Just(128), 100u64..600];
    let after = prop::collection::vec(1usize..12, 0..3);
    let rows = prop::option::weighted(0.4, (1u32..=5, 0u64..200, 0u64..100));
    let step = (0u8..10, tile(), tile(), bytes, rows, after, 0u64..300);
    let step = step.prop_map(|(kind, from, to, bytes, rows, after, cycles)| Step {
        kind,
        from,
        to,
        bytes,
        rows,
        after,
        cycles,
    });
    prop::collection::vec(step, 1..40)
}

/// Tile, offset and bytes that an action has written.
type Written = ((u16, u16), u64, u64);

/// Actions that write slots of their own; what they read is the input of their tile, or a slot that they wait for.
fn actions(steps: &[Step], (width, height): (u16, u16)) -> Vec<(ActionKind, Vec<u32>)> {
    let mut list: Vec<(ActionKind, Vec<u32>)> = Vec::new();
    // Tile and slot that each action has written last, to be read by later ones.
    let mut written: Vec<Option<Written>> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let out = (number as u64 + 1) * SLOT;
        let read = step.after.iter().find_map(|back| {
            let action = number.checked_sub(*back)?;
            let (tile, offset, bytes) = written[action]?;
            (bytes >= step.bytes).then_some((action as u32, tile, offset))
        });
        let (after, from, offset) = match read {
            Some((action, tile, offset)) => (vec![action], tile, offset),
            None => (vec![], step.from, 0),
        };
        let bytes = step.bytes;
        // At most five rows of 100 bytes and as many between them.
        let row_bytes = bytes / 6;
        let rows = step.rows.map(|(count, source_stride, apart)| MessageRows {
            count,
            source_stride,
            destination_stride: row_bytes + apart,
        });
        let kind = match step.kind {
            0..=5 => ActionKind::Message(Message {
                source: place(from, offset),
                destination: place(step.to, out),
                bytes: if rows.is_some() { row_bytes } else { bytes },
                rows,
                round: Some(number as u32 / 4),
            }),
            6 => compute(cluster(from.0, from.1), step.cycles),
            7 => {
                let set = clusters(0, 0, width, height);
                static_multicast(place(from, offset), set, out, bytes)
            }
            _ => {
                let (tile, bytes) = (cluster(from.0, from.1), bytes / 4 * 4);
                core_sum(tile, &[offset, 0], out, bytes, ElementType::Int32)
            }
        };
        written.push(match step.kind {
            0..=5 => Some((step.to, out, bytes)),
            6 | 7 => None,
            _ => Some((from, out, bytes / 4 * 4)),
        });
        list.push((kind, after));
    }
    list
}

proptest! {
    #![proptest_config(noccl_testkit::config(48, 192))]

    #[test]
    fn bytes_are_the_interpreters_and_nobody_waits_forever(
        (size, steps) in (1u16..6, 1u16..5).prop_flat_map(|size| (Just(size), steps(size.0, size.1))),
        first in prop_oneof![Just(None), Just(Some(First::Send)), Just(Some(First::Receive))],
        is_acknowledged in any::<bool>(),
        interrupt_cycles in prop_oneof![3 => Just(0u32), 1 => 1u32..400],
        (fifo, corner, word, row) in (1u32..5, 0u32..2, 1u32..3, 0u32..3),
        (send_word, ahead) in (0u32..4, 0u32..16),
        store in 34u32..140,
        unit in (1u32..33).prop_map(|words| 4 * words),
        stalls in prop::option::of((0u32..200, 0u32..200)),
        is_lock_step in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let flow = if is_acknowledged { "ready_ack" } else { "none" };
        let net = network_with(&format!("tilepro64_{}x{}", size.0, size.1), &[
            ("core.flow_control", flow.to_owned()),
            ("core.interrupt_cycles", interrupt_cycles.to_string()),
            ("core.receive_store_words", store.to_string()),
            ("core.unit_bytes", unit.to_string()),
            ("core.word_cycles", word.to_string()),
            ("core.row_cycles", row.to_string()),
            ("core.send_word_cycles", send_word.to_string()),
            ("core.receive_ahead_cycles", ahead.to_string()),
            ("core.list_cycles", (2 * ahead).to_string()),
            ("core.blocked_cycles", (3 * ahead).to_string()),
            ("router.udn.input_fifo_flits", fifo.to_string()),
            ("router.udn.turn_cycles", corner.to_string()),
        ]);
        let mut list = schedule(actions(&steps, size));
        list.first = first;
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for x in 0..size.0 {
            for y in 0..size.1 {
                let bytes = (0..600u64).map(|i| (i * 31 + u64::from(x) * 7 + u64::from(y) * 13) as u8).collect();
                inputs.push(image(cluster(x, y), 0, bytes));
                outputs.push((place((x, y), 0), SLOT * (steps.len() as u64 + 1)));
            }
        }
        let expected = expected(&net, &list, &inputs, &outputs).expect("a right schedule");
        let stalls = stalls.map(|(target, initiator)| stalling(target, initiator));
        let config = RunConfig { stalls, stall_seed: seed, is_lock_step, ..RunConfig::new(Mode::Value) };
        let found = noccl_sim::run_schedule(&net, &list, &inputs, &outputs, &config, &mut |_| true);
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(found.wrong_transactions, 0);
        prop_assert!(interpreted::found(&found) == expected);
        let timing = RunConfig { mode: Mode::Timing, ..config };
        let timed = noccl_sim::run_schedule(&net, &list, &inputs, &[], &timing, &mut |_| true);
        let timed = timed.unwrap();
        prop_assert_eq!(timed.actions, found.actions);
        prop_assert_eq!(timed.checksum, found.checksum);
    }
}
