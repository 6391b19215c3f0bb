// SPDX-License-Identifier: Apache-2.0
//! Schedules of matrix products: no races, and the right product in plain memories.

mod common;

use common::network;
use noccl_coll::gemm::{
    FusedConcatLinear, FusedPlan, Matrix, Spread, SubmatrixShape, Summa, SummaPlan, Sync,
    fused_concat_linear, summa,
};
use noccl_coll::{Algorithm, Choice, Inner};
use noccl_net::{Coord, Network, TileRef};
use noccl_workload::{ElementType, Place, check, interpret};

const SHAPE: SubmatrixShape = SubmatrixShape {
    rows: 3,
    columns: 5,
    inner: 7,
    element: ElementType::Fp64,
};

fn request(spread: Spread, sync: Sync, prefetch: u32) -> Summa {
    Summa {
        shape: SHAPE,
        iterations: 5,
        prefetch,
        spread,
        sync,
        compute_cycles: 100,
    }
}

/// Every way to spread, synchronise and buffer.
fn requests() -> Vec<Summa> {
    let mut all = Vec::new();
    for prefetch in 1..=6 {
        all.push(request(Spread::InNetwork, Sync::Flags, prefetch));
        if prefetch > 1 {
            for spread in [
                Spread::InNetwork,
                Spread::Tree,
                Spread::Chain { chunks: 1 },
                Spread::Chain { chunks: 3 },
            ] {
                all.push(request(spread, Sync::Barriers, prefetch));
            }
        }
    }
    all
}

/// Element (row, column) of a matrix; small integers, so that sums are exact.
fn element(matrix: Matrix, row: u64, column: u64) -> f64 {
    let salt = match matrix {
        Matrix::A => 3,
        Matrix::B => 11,
    };
    ((row * 31 + column * 17 + salt) % 13) as f64 - 6.0
}

/// Bytes of the submatrix of a line and iteration.
fn submatrix(matrix: Matrix, line: u16, iteration: u32) -> Vec<u8> {
    let (rows, columns) = match matrix {
        Matrix::A => (SHAPE.rows, SHAPE.inner),
        Matrix::B => (SHAPE.inner, SHAPE.columns),
    };
    let (from_row, from_column) = match matrix {
        Matrix::A => (u64::from(line) * u64::from(rows), iteration * columns),
        Matrix::B => (u64::from(iteration * rows), u32::from(line) * columns),
    };
    (0..u64::from(rows))
        .flat_map(|r| (0..u64::from(columns)).map(move |c| (r, c)))
        .flat_map(|(r, c)| element(matrix, from_row + r, u64::from(from_column) + c).to_le_bytes())
        .collect()
}

fn product(plan: &SummaPlan, request: &Summa, net: &Network) -> Vec<(Coord, Vec<u8>)> {
    let mut inputs = Vec::new();
    for matrix in Matrix::BOTH {
        for line in 0..plan.layout.lines(matrix) {
            for t in 0..request.iterations {
                let place = plan.layout.source(matrix, line, t);
                inputs.push((place, submatrix(matrix, line, t)));
            }
        }
    }
    let views: Vec<(Place, &[u8])> = inputs.iter().map(|(p, b)| (*p, b.as_slice())).collect();
    let memories = interpret(net, &plan.schedule, &views).expect("the plan is right");
    (0..net.cluster_width())
        .flat_map(|x| (0..net.cluster_height()).map(move |y| Coord::new(x, y)))
        .map(|at| {
            let place = Place {
                tile: TileRef::Cluster(at),
                offset: plan.layout.c_offset(),
            };
            (
                at,
                memories
                    .read(place, plan.layout.c_bytes())
                    .expect("C is in L1"),
            )
        })
        .collect()
}

#[test]
fn summa_yields_the_product_however_it_spreads_synchronises_and_buffers() {
    for (preset, max_prefetch) in [
        ("collective_noc_4x4", 6),
        ("collective_noc_4x2", 3),
        ("collective_noc_2x8", 3),
    ] {
        let net = network(preset);
        for request in requests() {
            if request.prefetch > max_prefetch {
                continue;
            }
            let plan = summa(&net, &request).unwrap();
            for (at, found) in product(&plan, &request, &net) {
                let inner = u64::from(request.iterations * SHAPE.inner);
                let first = (
                    u64::from(at.x) * u64::from(SHAPE.columns),
                    u64::from(at.y) * u64::from(SHAPE.rows),
                );
                let expected: Vec<u8> = (0..u64::from(SHAPE.rows))
                    .flat_map(|r| (0..u64::from(SHAPE.columns)).map(move |c| (r, c)))
                    .flat_map(|(r, c)| {
                        let sum: f64 = (0..inner)
                            .map(|i| {
                                element(Matrix::A, first.1 + r, i)
                                    * element(Matrix::B, i, first.0 + c)
                            })
                            .sum();
                        sum.to_le_bytes()
                    })
                    .collect();
                assert_eq!(found, expected, "{preset} {request:?} {at}");
            }
        }
    }
}

#[test]
fn a_slot_too_few_is_a_race() {
    // Kernels of a plan for three slots, squeezed into two: the checker must notice.
    let net = network("collective_noc_4x4");
    for sync in [Sync::Flags, Sync::Barriers] {
        let three = summa(&net, &request(Spread::InNetwork, sync, 3)).unwrap();
        assert!(check(&net, &three.schedule).is_ok());
        let two = summa(&net, &request(Spread::InNetwork, sync, 2)).unwrap();
        let mut squeezed = three.schedule.clone();
        let slots =
            |plan: &SummaPlan, m| (0..5).map(|t| plan.layout.slot(m, t)).collect::<Vec<_>>();
        let moved = move_slots(&mut squeezed, &slots(&two, Matrix::A));
        assert!(moved > 0);
        assert!(check(&net, &squeezed).is_err(), "{sync:?}");
    }
}

/// Moves A's slots of each iteration, in destinations and kernels; returns how many were moved.
fn move_slots(schedule: &mut noccl_workload::Schedule, to: &[u64]) -> usize {
    use noccl_workload::{ActionKind, Destination, Operation};
    let mut iteration_of_source = std::collections::BTreeMap::new();
    let mut moved = 0;
    let mut kernels = 0;
    for action in &mut schedule.actions {
        match &mut action.kind {
            ActionKind::Transfer(t) | ActionKind::Delivery(t) => {
                let TileRef::Cluster(at) = t.initiator else {
                    continue;
                };
                let Destination::Multicast { set, offset } = &mut t.destination else {
                    continue;
                };
                // Rows carry A: the mask is along x.
                if set.mask.x == 0 {
                    continue;
                }
                let count: &mut usize = iteration_of_source.entry(at).or_default();
                *offset = to[*count];
                *count += 1;
                moved += 1;
            }
            ActionKind::Kernel(kernel) => {
                let Operation::Multiply(m) = &mut kernel.operation else {
                    continue;
                };
                m.a_offset = to[kernels];
                kernels += 1;
            }
            ActionKind::InNetworkReduction(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Barrier(_)
            | ActionKind::Arrival(_) => {}
        }
    }
    moved
}

#[test]
fn every_line_has_one_initiator_that_stands_in_it_beside_or_across_its_memory_tile() {
    let net = network("collective_noc_8x8");
    let plan = summa(&net, &request(Spread::InNetwork, Sync::Flags, 2)).unwrap();
    for row in 0..8 {
        assert_eq!(plan.layout.initiator(Matrix::A, row), Coord::new(0, row));
        assert_eq!(
            plan.layout.source(Matrix::A, row, 0).tile,
            TileRef::Memory(row.into())
        );
    }
    let mut rows = std::collections::BTreeSet::new();
    for column in 0..8 {
        let at = plan.layout.initiator(Matrix::B, column);
        assert_eq!(at.x, column);
        assert_eq!(
            plan.layout.source(Matrix::B, column, 0).tile,
            TileRef::Memory(at.y.into())
        );
        rows.insert(at.y);
    }
    assert_eq!(rows.len(), 8, "one stream of B per row of links");
}

#[test]
fn impossible_products_say_what_would_be_accepted() {
    let net = network("collective_noc_4x4");
    let good = request(Spread::InNetwork, Sync::Barriers, 2);
    let int = SubmatrixShape {
        element: ElementType::Int64,
        ..SHAPE
    };
    for bad in [
        Summa {
            prefetch: 1,
            ..good
        },
        Summa {
            iterations: 0,
            ..good
        },
        Summa {
            spread: Spread::Chain { chunks: 0 },
            ..good
        },
        Summa {
            spread: Spread::Tree,
            sync: Sync::Flags,
            ..good
        },
        Summa { shape: int, ..good },
        Summa {
            prefetch: 400,
            ..good
        },
    ] {
        let error = summa(&net, &bad).unwrap_err().to_string();
        assert!(error.contains("accepted"), "{error}");
    }
    assert!(
        summa(&network("collective_noc_3x4"), &good)
            .unwrap_err()
            .to_string()
            .contains("powers of two")
    );
    for utilisation in [0.0, 1.1, f64::NAN] {
        assert!(SHAPE.compute_cycles(&net, utilisation).is_err());
    }
}

#[test]
fn compute_time_of_the_published_submatrix_is_743_cycles() {
    let net = network("collective_noc_4x4");
    let paper = SubmatrixShape {
        rows: 18,
        columns: 18,
        inner: 18,
        element: ElementType::Fp64,
    };
    assert_eq!(
        paper
            .compute_cycles(&net, noccl_coll::gemm::DEFAULT_UTILISATION)
            .unwrap(),
        743
    );
    let half = SubmatrixShape {
        element: ElementType::Fp16,
        ..paper
    };
    assert_eq!(half.compute_cycles(&net, 1.0).unwrap(), 5832 / 32);
}

/// Ways to reduce a fused product.
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
    let net = network("collective_noc_4x4");
    for (reduce, root) in reductions()
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
            let plan = fused_concat_linear(&net, &fused).unwrap();
            check(&net, &plan.schedule).unwrap_or_else(|e| panic!("{fused:?}: {e}"));
            let members: Vec<Coord> = (0..4)
                .flat_map(|x| (0..4).map(move |y| Coord::new(x, y)))
                .collect();
            let mut inputs = Vec::new();
            for (idx, at) in members.iter().enumerate() {
                let b = if has_loads {
                    FusedPlan::b_source(SHAPE, *at)
                } else {
                    Place {
                        tile: TileRef::Cluster(*at),
                        offset: plan.b_offset,
                    }
                };
                let a = Place {
                    tile: TileRef::Cluster(*at),
                    offset: plan.a_offset,
                };
                inputs.push((a, submatrix(Matrix::A, 0, idx as u32)));
                inputs.push((b, submatrix(Matrix::B, 0, idx as u32)));
            }
            let views: Vec<(Place, &[u8])> =
                inputs.iter().map(|(p, b)| (*p, b.as_slice())).collect();
            let memories = interpret(&net, &plan.schedule, &views).expect("the plan is right");
            let found = memories
                .read(plan.result, plan.result_bytes)
                .expect("C is in L1");
            let inner = 16 * u64::from(SHAPE.inner);
            let expected: Vec<u8> = (0..u64::from(SHAPE.rows))
                .flat_map(|r| (0..u64::from(SHAPE.columns)).map(move |c| (r, c)))
                .flat_map(|(r, c)| {
                    let sum: f64 = (0..inner)
                        .map(|i| element(Matrix::A, r, i) * element(Matrix::B, i, c))
                        .sum();
                    sum.to_le_bytes()
                })
                .collect();
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
