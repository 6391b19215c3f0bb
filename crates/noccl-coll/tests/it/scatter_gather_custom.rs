// SPDX-License-Identifier: Apache-2.0
//! Scatter, gather, scan and custom collectives: proved by the checker for groups, roots, sizes, forms and overlapping buffers.

use crate::common::{
    DEALT_KINDS, any_group, collective, network, proved, rectangle, rectangles, roots,
};
use noccl_coll::{Algorithm, Choice, LineForm, PointForm, choices, schedule};
use noccl_net::{Network, TileRef};
use noccl_testkit::{assert_says, cluster};
use noccl_workload::{
    ActionKind, ChunkRef, Collective, CollectiveKind, Definition, InputChunks, Want, check,
};
use proptest::prelude::*;

const SIZES: [u64; 6] = [8, 64, 72, 1000, 2048, 16];
const CHUNKS: [u32; 4] = [1, 2, 3, 8];
const DIRECT: PointForm = PointForm::Lines(LineForm::Direct, LineForm::Direct);
const HALVING: PointForm = PointForm::Lines(LineForm::Halving, LineForm::Halving);

fn forms_of(kind: CollectiveKind) -> Vec<PointForm> {
    let straight = [DIRECT, PointForm::default()];
    if kind.reduces() {
        return vec![
            PointForm::Ring,
            PointForm::default(),
            HALVING,
            PointForm::Lines(LineForm::Ring, LineForm::Halving),
            PointForm::Lines(LineForm::Halving, LineForm::Ring),
            PointForm::Combine(3),
            PointForm::Combine(64),
        ];
    }
    let dealt = [
        HALVING,
        PointForm::Radix(3),
        PointForm::Radix(4),
        PointForm::Radix(12),
    ];
    let dealt = dealt.into_iter().filter(|_| kind != CollectiveKind::Custom);
    straight.into_iter().chain(dealt).collect()
}

fn prove(network: &Network, task: &Collective, form: PointForm, chunks: u32) {
    let is_made = proved(network, task, Choice::point_to_point(form, chunks)).is_some();
    assert!(is_made, "{form} refuses {task:?}");
}

/// Buffers apart, at the same place, overlapping in part, or with the root's block of a gather in its place.
fn place(task: &mut Collective, case: usize) {
    let bytes = task.bytes;
    task.output_offset = match case % 4 {
        0 => task.output_offset,
        1 => task.input_offset,
        2 if task.kind != CollectiveKind::Scan => task.input_offset + bytes / 16 * 8,
        _ => {
            task.input_offset = bytes * 3;
            if task.kind == CollectiveKind::Gather {
                0
            } else {
                bytes * 70
            }
        }
    };
}

#[test]
fn scatters_and_gathers_over_every_rectangle_of_4x4_from_every_root_in_every_form() {
    let net = network("collective_noc_4x4");
    let mut case = 0;
    for group in rectangles(4, 4) {
        for root in roots() {
            for kind in DEALT_KINDS {
                for form in forms_of(kind) {
                    let bytes = SIZES[case % SIZES.len()].min(1000);
                    let is_cut = kind == CollectiveKind::Scan;
                    let chunks = if is_cut {
                        CHUNKS[case % CHUNKS.len()]
                    } else {
                        1
                    };
                    let mut task = collective(kind, group.clone(), root, bytes);
                    place(&mut task, case / 5);
                    case += 1;
                    prove(&net, &task, form, chunks);
                }
            }
        }
    }
}

/// Every chunk of every output by chance: nothing, a copy, or a reduction.
fn definition(ranks: usize, chunks: u32, draws: &[u32]) -> Definition {
    let mut draws = draws.iter().copied().cycle();
    let mut draw = |below: u32| draws.next().unwrap_or(0) % below;
    let mut outputs = Vec::new();
    for _ in 0..ranks {
        let mut wants = Vec::new();
        for _ in 0..1 + draw(4) {
            let kind = draw(4);
            let mut chunk = || ChunkRef {
                rank: draw(ranks as u32),
                chunk: draw(chunks),
            };
            wants.push(match kind {
                0 => Want::Nothing,
                1 => Want::Copy(chunk()),
                2 => {
                    let mut all: Vec<ChunkRef> = (0..5).map(|_| chunk()).collect();
                    all.sort_unstable();
                    all.dedup();
                    Want::Reduction(all)
                }
                _ => Want::All { all: draw(chunks) },
            });
        }
        outputs.push(wants);
    }
    outputs[0].push(Want::All { all: 0 });
    Definition {
        name: "drawn".to_owned(),
        inputs: InputChunks::Each(chunks),
        outputs,
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(32, 128))]

    #[test]
    fn dealt_kinds_in_any_group_of_8x8_from_any_root(
        group in any_group(),
        kind in proptest::sample::select(DEALT_KINDS.to_vec()),
        form in 0_usize..7,
        (x, y, memory) in (0_u16..8, 0_u16..8, 0_u32..12),
        words in 1_u64..40,
        chunks in 1_u32..10,
        buffers in 0_usize..4,
    ) {
        let net = network("collective_noc_8x8");
        let root = match memory {
            0 => TileRef::Memory(0),
            _ => cluster(x, y),
        };
        let mut task = collective(kind, group, root, words * 8);
        place(&mut task, buffers);
        let chunks = if kind == CollectiveKind::Scan { chunks } else { 1 };
        let forms = forms_of(kind);
        prove(&net, &task, forms[form % forms.len()], chunks);
    }

    #[test]
    fn any_statement_in_any_group_of_8x8(
        group in any_group(),
        chunks in 1_u32..5,
        draws in proptest::collection::vec(any::<u32>(), 1..200),
        words in 1_u64..20,
        output_offset in 0_u64..400,
    ) {
        let net = network("collective_noc_8x8");
        let ranks = net.members(&group).unwrap().len();
        let mut task = collective(CollectiveKind::Custom, group, TileRef::Memory(0), words * 8);
        task.definition = Some(Box::new(definition(ranks, chunks, &draws)));
        // Outputs overlap inputs in any manner.
        task.output_offset = output_offset * 8;
        prove(&net, &task, PointForm::default(), 1);
    }
}

#[test]
fn what_is_offered_is_sound_and_other_forms_say_what_is_accepted() {
    let net = network("collective_noc_4x4");
    let root = cluster(1, 2);
    for kind in DEALT_KINDS {
        let task = collective(kind, rectangle(0, 0, 4, 4), root, 512);
        let offered = choices(&net, &task);
        assert!(offered.len() >= 4, "{kind}: {offered:?}");
        assert!(
            offered
                .into_iter()
                .all(|c| proved(&net, &task, c).is_some())
        );
        for form in [
            PointForm::Trees(2),
            PointForm::Lines(LineForm::Swing, LineForm::Swing),
        ] {
            let error = schedule(&net, &task, Choice::point_to_point(form, 1)).unwrap_err();
            assert!(error.to_string().contains("accepted: the forms"), "{error}");
        }
    }
    let cut = Choice::point_to_point(DIRECT, 2);
    let task = collective(CollectiveKind::Scatter, rectangle(0, 0, 4, 4), root, 512);
    let error = schedule(&net, &task, cut).unwrap_err().to_string();
    assert!(error.contains("one chunk"), "{error}");
    let error = schedule(&net, &task, Choice::new(Algorithm::Tree, 1)).unwrap_err();
    assert_says(&error, &["accepted: point_to_point"]);
}

/// Input, output and slots for all chunks would need more than the memory has: chunks share slots.
#[test]
fn a_scan_takes_what_memory_leaves() {
    let net = network("collective_noc_4x4");
    let root = cluster(0, 0);
    // What adds many operands at once is for short payloads.
    let forms = forms_of(CollectiveKind::Scan).into_iter();
    for form in forms.filter(|form| !matches!(form, PointForm::Combine(_))) {
        let mut task = collective(CollectiveKind::Scan, rectangle(0, 0, 4, 4), root, 0xe000);
        prove(&net, &task, form, 64);
        // In place there is space for twice as much.
        task.output_offset = task.input_offset;
        task.bytes = 0x1_a000;
        prove(&net, &task, form, 64);
    }
}

#[test]
fn messages_of_a_scatter_are_as_few_as_its_form_says() {
    let net = network("collective_noc_4x4");
    let root = cluster(0, 0);
    let task = collective(CollectiveKind::Scatter, rectangle(0, 0, 4, 4), root, 64);
    let sent_by_root = |form| {
        let made = proved(&net, &task, Choice::point_to_point(form, 1)).unwrap();
        let is_sent =
            |kind: &ActionKind| matches!(kind, ActionKind::Delivery(d) if d.source.tile == root);
        made.actions.iter().filter(|a| is_sent(&a.kind)).count()
    };
    assert_eq!(sent_by_root(DIRECT), 15);
    assert_eq!(sent_by_root(HALVING), 4);
    assert_eq!(sent_by_root(PointForm::Radix(4)), 6);
}

#[test]
fn a_statement_with_a_wrong_schedule_is_refused_with_the_chunk() {
    let net = network("collective_noc_4x4");
    let (two, memory) = (rectangle(0, 0, 2, 1), TileRef::Memory(0));
    let mut task = collective(CollectiveKind::Custom, two, memory, 64);
    let chunk = |rank, chunk| ChunkRef { rank, chunk };
    let sum = Want::Reduction(vec![chunk(0, 0), chunk(0, 1), chunk(1, 1)]);
    task.definition = Some(Box::new(Definition {
        name: "mixed".to_owned(),
        inputs: InputChunks::Each(2),
        outputs: vec![vec![Want::Copy(chunk(1, 0))], vec![sum, Want::Nothing]],
    }));
    let made = proved(&net, &task, Choice::new(Algorithm::PointToPoint, 1)).unwrap();
    assert_eq!(made.parameters["name"], "mixed");
    for without in 0..made.actions.len() {
        let mut less = made.clone();
        less.actions.remove(without);
        for action in &mut less.actions {
            action.after.retain(|a| (a.0 as usize) < without);
        }
        let error = check(&net, &less).unwrap_err().to_string();
        assert!(
            error.contains("chunk") || error.contains("bytes 0..64"),
            "{error}"
        );
    }
}
