// SPDX-License-Identifier: Apache-2.0
//! FusedConcatLinear: no races, and the right sum in plain memories.

use crate::common::matrices::{SHAPE, product, submatrix};
use crate::common::{network, views};
use noccl_coll::gemm::{FusedConcatLinear, Matrix, fused_concat_linear};
use noccl_coll::{Algorithm, Choice, Inner};
use noccl_net::{Coord, Network, TileRef, elaborate};
use noccl_testkit::sides::{Sides, spec};
use noccl_testkit::tiles::place;
use noccl_workload::{check, interpret};

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
            let plan = fused_concat_linear(net, &fused).expect("a plan");
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
    let mut plan = fused_concat_linear(&net, &fused).expect("a plan");
    for action in &mut plan.schedule.actions[2..] {
        action.after.retain(|id| id.0 != 1);
    }
    assert!(check(&net, &plan.schedule).is_err());
}
