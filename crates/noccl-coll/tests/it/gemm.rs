// SPDX-License-Identifier: Apache-2.0
//! Schedules of matrix products: no races, and the right product in plain memories.

use crate::common::matrices::{self, SHAPE, submatrix};
use crate::common::{network, views};
use noccl_coll::gemm::{Matrix, Spread, SubmatrixShape, Summa, SummaPlan, Sync, summa};
use noccl_net::{Coord, Network, TileRef, elaborate};
use noccl_testkit::sides::{Sides, spec};
use noccl_testkit::{assert_says, place};
use noccl_workload::{ElementType, check, interpret};

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

/// Every combination of how to spread, synchronise and buffer.
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
                Spread::Deliveries { chunks: 1 },
                Spread::Deliveries { chunks: 3 },
            ] {
                all.push(request(spread, Sync::Barriers, prefetch));
            }
        }
    }
    all
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
    let memories = interpret(net, &plan.schedule, &views(&inputs)).expect("the plan is right");
    let read = |at| {
        let place = place(TileRef::Cluster(at), plan.layout.c_offset());
        let found = memories.read(place, plan.layout.c_bytes());
        (at, found.expect("C is in L1"))
    };
    (0..net.cluster_width())
        .flat_map(|x| (0..net.cluster_height()).map(move |y| Coord::new(x, y)))
        .map(read)
        .collect()
}

#[test]
fn summa_yields_the_product_however_it_spreads_synchronises_and_buffers() {
    for (preset, max_prefetch) in [
        ("collective_noc_4x4", 6),
        ("collective_noc_4x2", 3),
        ("collective_noc_2x8", 3),
    ] {
        yields_the_product(&network(preset), max_prefetch);
    }
}

#[test]
fn summa_yields_the_product_wherever_memories_stand() {
    for shape in [(4, 2), (2, 4)] {
        for sides in Sides::all(1).skip(1) {
            let net = elaborate(&spec("collective_noc_4x4", shape, sides)).unwrap();
            yields_the_product(&net, 2);
        }
    }
}

fn yields_the_product(net: &Network, max_prefetch: u32) {
    for request in requests() {
        if request.prefetch > max_prefetch {
            continue;
        }
        let plan = summa(net.as_axi().unwrap(), &request).expect("a plan");
        for (at, found) in product(&plan, &request, net) {
            let inner = u64::from(request.iterations * SHAPE.inner);
            let row = u64::from(at.y) * u64::from(SHAPE.rows);
            let column = u64::from(at.x) * u64::from(SHAPE.columns);
            let expected = matrices::product((row, column), inner);
            assert_eq!(found, expected, "{request:?} {at}");
        }
    }
}

/// Whoever starts a line's transfers stands in it; the memory tile that it reads is the nearest of its row or column.
#[test]
fn every_line_reads_the_memory_tile_next_to_it_wherever_memories_stand() {
    for sides in Sides::all(2).skip(1) {
        let net = elaborate(&spec("collective_noc_4x4", (4, 2), sides)).unwrap();
        let plan = summa(
            net.as_axi().unwrap(),
            &request(Spread::InNetwork, Sync::Flags, 2),
        )
        .unwrap();
        let mut adjacent = 0;
        for matrix in Matrix::BOTH {
            for line in 0..plan.layout.lines(matrix) {
                let at = plan.layout.initiator(matrix, line);
                let place = plan.layout.source(matrix, line, 0);
                let (own, memory) = (TileRef::Cluster(at), place.tile);
                let [own, memory] = [own, memory].map(|tile| net.coord(net.find(tile).unwrap()));
                match matrix {
                    Matrix::A => assert_eq!(at.y, line),
                    Matrix::B => assert_eq!(at.x, line),
                }
                assert!(own.x == memory.x || own.y == memory.y, "{sides:?}");
                adjacent += u32::from(own.hops_to(memory) == 1);
            }
        }
        let beside = if sides.west + sides.east > 0 { 2 } else { 4 };
        assert!(adjacent >= beside, "{sides:?}: {adjacent}");
    }
}

#[test]
fn submatrices_with_fewer_beats_than_chunks_are_spread_without_races() {
    let net = network("collective_noc_4x4");
    for shape in [
        SubmatrixShape {
            rows: 1,
            columns: 1,
            inner: 1,
            ..SHAPE
        },
        SubmatrixShape {
            rows: 1,
            columns: 20,
            inner: 3,
            ..SHAPE
        },
    ] {
        for chunks in 1..8 {
            let problem = Summa {
                shape,
                ..request(Spread::Chain { chunks }, Sync::Barriers, 2)
            };
            let plan = summa(net.as_axi().unwrap(), &problem).expect("a plan");
            check(&net, &plan.schedule).expect("no race");
        }
    }
}

#[test]
fn a_slot_too_few_is_a_race() {
    // Kernels of a plan for three slots, squeezed into two: the checker must notice.
    let net = network("collective_noc_4x4");
    for sync in [Sync::Flags, Sync::Barriers] {
        let three = summa(net.as_axi().unwrap(), &request(Spread::InNetwork, sync, 3)).unwrap();
        assert!(check(&net, &three.schedule).is_ok());
        let two = summa(net.as_axi().unwrap(), &request(Spread::InNetwork, sync, 2)).unwrap();
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
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Barrier(_)
            | ActionKind::Arrival(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_) => {}
        }
    }
    moved
}

#[test]
fn every_line_has_one_initiator_that_stands_in_it_beside_or_across_its_memory_tile() {
    let net = network("collective_noc_8x8");
    let plan = summa(
        net.as_axi().unwrap(),
        &request(Spread::InNetwork, Sync::Flags, 2),
    )
    .unwrap();
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
    let changes: [&dyn Fn(&mut Summa); 6] = [
        &|bad| bad.prefetch = 1,
        &|bad| bad.iterations = 0,
        &|bad| bad.spread = Spread::Chain { chunks: 0 },
        &|bad| (bad.spread, bad.sync) = (Spread::Tree, Sync::Flags),
        &|bad| bad.shape = int,
        &|bad| bad.prefetch = 400,
    ];
    for change in changes {
        let mut bad = good;
        change(&mut bad);
        assert_says(
            summa(net.as_axi().unwrap(), &bad).unwrap_err(),
            &["accepted"],
        );
    }
    let odd = summa(network("collective_noc_3x4").as_axi().unwrap(), &good);
    assert_says(odd.unwrap_err(), &["powers of two"]);
    for utilisation in [0.0, 1.1, f64::NAN] {
        assert!(
            SHAPE
                .compute_cycles(net.as_axi().unwrap(), utilisation)
                .is_err()
        );
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
    let cycles = paper.compute_cycles(net.as_axi().unwrap(), noccl_coll::gemm::DEFAULT_UTILISATION);
    assert_eq!(cycles.unwrap(), 743);
    let half = SubmatrixShape {
        element: ElementType::Fp16,
        ..paper
    };
    assert_eq!(
        half.compute_cycles(net.as_axi().unwrap(), 1.0).unwrap(),
        5832 / 32
    );
}
