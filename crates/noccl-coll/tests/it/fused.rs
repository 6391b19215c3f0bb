// SPDX-License-Identifier: Apache-2.0
//! FusedConcatLinear and attention: no races, and the right results in plain memories.

use crate::common::matrices::{SHAPE, product, submatrix};
use crate::common::{network, views};
use noccl_coll::gemm::{Attention, FusedConcatLinear, Matrix, flat_attention, fused_concat_linear};
use noccl_coll::{Algorithm, Choice, Inner};
use noccl_net::{Coord, Network, TileRef, elaborate};
use noccl_testkit::cluster;
use noccl_testkit::sides::{Sides, spec};
use noccl_testkit::tiles::place;
use noccl_workload::{ElementType, check, interpret};

/// Algorithms that reduce a fused product.
fn reductions() -> Vec<Choice> {
    vec![
        Choice::new(Algorithm::InNetwork, 1),
        Choice::new(Algorithm::Tree, 1),
        Choice::new(Algorithm::Tree, 2),
        Choice::new(Algorithm::Chain, 2),
        Choice::row_column(Inner::Tree, 1),
        Choice::row_column(Inner::Chain, 2),
    ]
}

#[test]
fn fused_product_is_the_sum_over_all_clusters_whoever_reduces() {
    sums_of_all_clusters(&network("collective_noc_4x4"), reductions());
}

#[test]
fn fused_product_is_the_sum_wherever_memories_stand() {
    for sides in Sides::all(1).skip(1) {
        let net = elaborate(&spec("collective_noc_4x4", (4, 4), sides)).unwrap();
        sums_of_all_clusters(&net, reductions().into_iter().take(2).collect());
    }
}

fn sums_of_all_clusters(net: &Network, reductions: Vec<Choice>) {
    for (reduce, root) in reductions
        .into_iter()
        .flat_map(|r| [(r, Coord::new(0, 0)), (r, Coord::new(2, 1))])
    {
        for has_loads in [false, true] {
            let fused = FusedConcatLinear {
                shape: SHAPE,
                compute_cycles: 100,
                reduce,
                root,
                has_loads,
            };
            let plan = fused_concat_linear(net.as_axi().unwrap(), &fused).expect("a plan");
            check(net, &plan.schedule).unwrap_or_else(|e| panic!("{fused:?}: {e}"));
            let members: Vec<Coord> = (0..4)
                .flat_map(|x| (0..4).map(move |y| Coord::new(x, y)))
                .collect();
            let mut inputs = Vec::new();
            for (idx, at) in members.iter().enumerate() {
                let b = if has_loads {
                    plan.b_sources[idx].1
                } else {
                    place(TileRef::Cluster(*at), plan.b_offset)
                };
                let a = place(TileRef::Cluster(*at), plan.a_offset);
                inputs.push((a, submatrix(Matrix::A, 0, idx as u32)));
                inputs.push((b, submatrix(Matrix::B, 0, idx as u32)));
            }
            let memories = interpret(net, &plan.schedule, &views(&inputs));
            let memories = memories.expect("the plan is right");
            let found = memories
                .read(plan.result, plan.result_bytes)
                .expect("C is in L1");
            let expected = product((0, 0), 16 * u64::from(SHAPE.inner));
            assert_eq!(found, expected, "{fused:?}");
        }
    }
}

#[test]
fn a_fused_product_without_the_barrier_before_a_pull_is_a_race() {
    let net = network("collective_noc_4x4");
    let fused = FusedConcatLinear {
        shape: SHAPE,
        compute_cycles: 100,
        reduce: Choice::row_column(Inner::Chain, 1),
        root: Coord::new(0, 0),
        has_loads: false,
    };
    let mut plan = fused_concat_linear(net.as_axi().unwrap(), &fused).expect("a plan");
    for action in &mut plan.schedule.actions[2..] {
        action.after.retain(|id| id.0 != 1);
    }
    assert!(check(&net, &plan.schedule).is_err());
}

// The schedule of an attention layer: no races, and the right softmax in plain memories.

const ATTENTION: Attention = Attention {
    tokens: 8,
    head_columns: 3,
    heads: 3,
    element: ElementType::Fp64,
    utilisation: 1.0,
    exponential_operations: 8,
};

/// Query, key or value `which` of a head: (token, column).
fn projection(which: u32, head: u32, token: u32, column: u32) -> f64 {
    f64::from((head * 7 + which * 5 + token * 31 + column * 17) % 11) / 4.0 - 1.0
}

/// Rows of softmax(Q·Kᵀ)·V.
fn attended(head: u32, token: u32) -> Vec<f64> {
    let columns = ATTENTION.head_columns;
    let scores: Vec<f64> = (0..ATTENTION.tokens)
        .map(|t| {
            (0..columns)
                .map(|c| projection(0, head, token, c) * projection(1, head, t, c))
                .sum()
        })
        .collect();
    let max = scores.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
    let total: f64 = weights.iter().sum();
    (0..columns)
        .map(|c| {
            let value = |(t, w): (usize, &f64)| w * projection(2, head, t as u32, c);
            weights.iter().enumerate().map(value).sum::<f64>() / total
        })
        .collect()
}

#[test]
fn flat_attention_has_no_races_and_leaves_the_last_heads_softmax_of_scores_times_values() {
    for preset in [
        "collective_noc_4x4",
        "collective_noc_4x2",
        "collective_noc_2x4",
    ] {
        let net = network(preset);
        let plan = flat_attention(net.as_axi().unwrap(), &ATTENTION).expect("a plan");
        check(&net, &plan.schedule).expect("the plan is right");
        let (width, height) = (
            u32::from(net.cluster_width()),
            u32::from(net.cluster_height()),
        );
        let mut inputs = Vec::new();
        let bytes = |which: u32, head: u32, tokens: std::ops::Range<u32>| -> Vec<u8> {
            tokens
                .flat_map(|t| (0..ATTENTION.head_columns).map(move |c| (t, c)))
                .flat_map(|(t, c)| projection(which, head, t, c).to_le_bytes())
                .collect()
        };
        for head in 0..ATTENTION.heads {
            for line in 0..height {
                let slice = ATTENTION.tokens / height;
                let queries = bytes(0, head, line * slice..(line + 1) * slice);
                inputs.push((plan.layout.source(Matrix::A, line as u16, head), queries));
            }
            for line in 0..width {
                let slice = ATTENTION.tokens / width;
                let tokens = line * slice..(line + 1) * slice;
                let mut both = bytes(1, head, tokens.clone());
                both.extend(bytes(2, head, tokens));
                inputs.push((plan.layout.source(Matrix::B, line as u16, head), both));
            }
        }
        let memories = interpret(&net, &plan.schedule, &views(&inputs)).expect("the plan is right");
        let slice = ATTENTION.tokens / height;
        for token in 0..ATTENTION.tokens {
            let row = u64::from(token % slice * ATTENTION.head_columns * 8);
            let place = place(cluster(0, (token / slice) as u16), plan.o_offset + row);
            let found = memories
                .read(place, u64::from(ATTENTION.head_columns) * 8)
                .expect("O is in L1");
            let (found, _) = found.as_chunks::<8>();
            for (found, expected) in found.iter().zip(attended(ATTENTION.heads - 1, token)) {
                let found = f64::from_le_bytes(*found);
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{preset} token {token}: {found} {expected}"
                );
            }
        }
    }
}
