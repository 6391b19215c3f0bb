// SPDX-License-Identifier: Apache-2.0
//! Algorithms without barriers: proved by the checker for groups, roots, sizes, forms and numbers of chunks.

use crate::common::{
    BLOCK_KINDS, DATA_KINDS, any_group, collective, network, network_with, proved, rectangle,
    rectangles, roots, scattered,
};
use noccl_coll::{Algorithm, Choice, CollError, LineForm, PointForm, schedule};
use noccl_net::{Network, TileRef};
use noccl_testkit::{assert_says, cluster};
use noccl_workload::{ActionKind, Collective, CollectiveKind};
use proptest::prelude::*;

const DIRECT: PointForm = PointForm::Lines(LineForm::Direct, LineForm::Direct);
const SIZES: [u64; 6] = [8, 64, 72, 1000, 2048, 16];
const CHUNKS: [u32; 4] = [1, 2, 3, 8];

fn forms() -> Vec<PointForm> {
    let lines = LineForm::ALL.map(|form| PointForm::Lines(form, form));
    let others = [
        PointForm::Ring,
        PointForm::Lines(LineForm::Ring, LineForm::Direct),
        PointForm::Lines(LineForm::Both, LineForm::Halving),
        PointForm::Radix(2),
        PointForm::Radix(4),
        PointForm::Combine(2),
        PointForm::Combine(4),
        PointForm::Combine(5),
        PointForm::Combine(1000),
        PointForm::Trees(1),
        PointForm::Trees(2),
        PointForm::Trees(4),
        PointForm::Rotated(2),
        PointForm::Rotated(3),
    ];
    lines.into_iter().chain(others).collect()
}

/// May a form refuse this collective for its kind or its group?
fn may_refuse(form: PointForm, kind: CollectiveKind) -> bool {
    let needs_pairs = |line| matches!(line, LineForm::Halving | LineForm::Swing | LineForm::Bine);
    if kind == CollectiveKind::AllToAll {
        return form != PointForm::default() && form != DIRECT;
    }
    match form {
        PointForm::Trees(_) | PointForm::Rotated(_) => kind.has_blocks(),
        PointForm::Lines(first, second) => needs_pairs(first) || needs_pairs(second),
        PointForm::Ring | PointForm::Radix(_) | PointForm::Combine(_) => false,
    }
}

/// The checker's result, and no barriers; true if the library made a schedule at all.
fn prove(network: &Network, task: &Collective, choice: Choice) -> bool {
    let Some(made) = proved(network, task, choice) else {
        return false;
    };
    let is_barrier = |kind: &ActionKind| kind.barrier().is_some() || kind.arrival().is_some();
    assert!(
        !made.actions.iter().any(|a| is_barrier(&a.kind)),
        "{choice}"
    );
    true
}

fn prove_or_refuse(network: &Network, task: &Collective, form: PointForm, chunks: u32) {
    let is_made = prove(network, task, Choice::point_to_point(form, chunks));
    assert!(
        is_made || may_refuse(form, task.kind),
        "{form} refuses {task:?}"
    );
}

#[test]
fn payloads_over_every_rectangle_of_4x4_from_every_root() {
    let net = network("collective_noc_4x4");
    let mut case = 0;
    for group in rectangles(4, 4) {
        for root in roots() {
            for kind in DATA_KINDS {
                let (bytes, chunks) = (SIZES[case % SIZES.len()], CHUNKS[case % CHUNKS.len()]);
                let form = forms()[case % forms().len()];
                case += 1;
                let mut task = collective(kind, group.clone(), root, bytes);
                if case % 5 == 0 {
                    task.output_offset = task.input_offset;
                }
                prove_or_refuse(&net, &task, form, chunks);
            }
        }
    }
}

#[test]
fn blocks_over_every_rectangle_of_4x4() {
    let net = network("collective_noc_4x4");
    let mut case = 0;
    for group in rectangles(4, 4) {
        for kind in BLOCK_KINDS {
            for form in forms() {
                let (bytes, chunks) = (SIZES[case % SIZES.len()], CHUNKS[case % CHUNKS.len()]);
                let chunks = if kind == CollectiveKind::AllToAll {
                    1
                } else {
                    chunks
                };
                case += 1;
                let root = cluster(0, 0);
                let task = collective(kind, group.clone(), root, bytes.min(256));
                prove_or_refuse(&net, &task, form, chunks);
            }
        }
    }
}

#[test]
fn every_form_and_number_of_chunks_over_the_whole_mesh() {
    let net = network("collective_noc_4x4");
    for kind in DATA_KINDS {
        for form in forms() {
            for (bytes, chunks) in SIZES.iter().flat_map(|b| CHUNKS.map(|p| (*b, p))) {
                for offset in [0, 4096] {
                    let root = cluster(1, 2);
                    let mut task = collective(kind, rectangle(0, 0, 4, 4), root, bytes);
                    task.output_offset = offset;
                    prove_or_refuse(&net, &task, form, chunks);
                }
            }
        }
    }
}

#[test]
fn an_all_to_all_of_a_set_that_is_no_product_goes_straight() {
    let net = network("collective_noc_4x4");
    let root = cluster(0, 0);
    let group = scattered(&[(0, 0), (1, 0), (0, 1)]);
    let task = collective(CollectiveKind::AllToAll, group, root, 64);
    let made = proved(&net, &task, Choice::new(Algorithm::PointToPoint, 1)).unwrap();
    assert_eq!(
        made.actions.len(),
        9,
        "a message per pair, and the own blocks"
    );
    let trees = Choice::point_to_point(PointForm::Trees(2), 1);
    let square = collective(CollectiveKind::AllToAll, rectangle(0, 0, 2, 2), root, 64);
    let error = schedule(&net, &square, trees).unwrap_err();
    assert_says(error, &["accepted"]);
}

#[test]
fn chunks_share_slots_where_memory_is_short() {
    let cases = [
        ("collective_noc_4x4", rectangle(0, 0, 4, 4), [4096, 5120]),
        ("collective_noc_4x4", rectangle(0, 0, 3, 4), [5120, 6144]),
        ("collective_noc_8x8", rectangle(0, 0, 8, 8), [1024, 1536]),
    ];
    for (name, group, sizes) in cases {
        let net = network(name);
        let root = cluster(0, 0);
        for bytes in sizes {
            let num = net.members(&group).unwrap().len() as u64;
            let mut task = collective(CollectiveKind::ReduceScatter, group.clone(), root, bytes);
            task.output_offset = bytes * num;
            for form in [LineForm::Ring, LineForm::Both, LineForm::Direct] {
                let choice = |chunks| Choice::point_to_point(PointForm::Lines(form, form), chunks);
                let whole = schedule(&net, &task, choice(1));
                let is_short = matches!(whole, Err(CollError::DoesNotFit { .. }));
                assert!(is_short, "{form:?} {bytes}: memory is not short");
                let made = proved(&net, &task, choice(8)).unwrap();
                // More messages than the sums need: those that give slots back.
                let flags = made.actions.iter().filter_map(|a| a.kind.transfer());
                let flags = flags.filter(|t| t.bytes == 8).count() as u64;
                assert!(flags >= num, "{form:?} {bytes}: {flags} flags");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_bytes_that_are_missing() {
    let net = network("collective_noc_4x4");
    let (all, root) = (rectangle(0, 0, 4, 4), cluster(0, 0));
    let task = collective(CollectiveKind::AllReduce, all, root, 64000);
    let choice = Choice::point_to_point(PointForm::Trees(4), 8);
    let error = schedule(&net, &task, choice).unwrap_err();
    assert!(matches!(error, CollError::DoesNotFit { .. }), "{error}");
}

#[test]
fn a_barrier_by_flags_keeps_everybody_until_all_have_come() {
    let net = network("collective_noc_4x4");
    let sets = [[(0, 0), (3, 3)], [(1, 2), (2, 0)]].map(|set| scattered(&set));
    let root = cluster(0, 0);
    for group in rectangles(4, 4).chain(sets) {
        let task = collective(CollectiveKind::Barrier, group, root, 0);
        for form in [
            PointForm::default(),
            PointForm::Combine(2),
            PointForm::Combine(3),
            PointForm::Combine(16),
        ] {
            prove_or_refuse(&net, &task, form, 1);
        }
    }
    let task = collective(CollectiveKind::Barrier, rectangle(0, 0, 4, 4), root, 0);
    let ring = Choice::point_to_point(PointForm::Ring, 1);
    assert!(!prove(&net, &task, ring));
}

fn any_form() -> impl Strategy<Value = PointForm> {
    proptest::sample::select(forms())
}

proptest! {
    #![proptest_config(noccl_testkit::config(48, 192))]

    #[test]
    fn any_group_of_8x8_any_root_size_and_form(
        group in any_group(),
        form in any_form(),
        kind in proptest::sample::select(DATA_KINDS.into_iter().chain(BLOCK_KINDS).collect::<Vec<_>>()),
        (x, y, memory) in (0_u16..8, 0_u16..8, 0_u32..12),
        words in 1_u64..40,
        chunks in 1_u32..10,
        in_place in any::<bool>(),
    ) {
        let net = network("collective_noc_8x8");
        let root = match memory {
            0 => TileRef::Memory(0),
            _ => cluster(x, y),
        };
        let mut task = collective(kind, group, root, words * 8);
        if in_place && !kind.has_blocks() {
            task.output_offset = task.input_offset;
        }
        let chunks = if kind == CollectiveKind::AllToAll { 1 } else { chunks };
        let is_made = prove(&net, &task, Choice::point_to_point(form, chunks));
        prop_assert!(is_made || may_refuse(form, kind));
    }

    #[test]
    fn any_memory_down_to_what_input_and_output_need(
        group in any_group(),
        form in any_form(),
        kind in proptest::sample::select(vec![CollectiveKind::ReduceScatter, CollectiveKind::AllReduce, CollectiveKind::Reduce]),
        words in 8_u64..400,
        chunks in 2_u32..10,
        spare_percent in 1_u64..120,
    ) {
        let members = network("collective_noc_8x8").members(&group).unwrap().len() as u64;
        let root = cluster(3, 4);
        let mut task = collective(kind, group, root, words * 8);
        let (input, output) = (task.input_bytes(members), task.output_bytes(members));
        task.output_offset = input.next_multiple_of(64);
        let end = task.output_offset + output;
        let l1_bytes = (end + input * spare_percent / 100).next_multiple_of(64);
        let stride_bytes = l1_bytes.next_power_of_two().max(0x4_0000);
        let net = network_with("collective_noc_8x8", &[
            ("cluster.l1_bytes", l1_bytes),
            ("mesh.regions.1.stride_bytes", stride_bytes),
        ]);
        let choice = Choice::point_to_point(form, chunks);
        match schedule(&net, &task, choice) {
            Err(CollError::DoesNotFit { .. }) => {}
            Ok(_) | Err(_) => {
                let is_made = prove(&net, &task, choice);
                prop_assert!(is_made || may_refuse(form, kind));
            }
        }
    }
}
