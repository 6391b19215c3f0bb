// SPDX-License-Identifier: Apache-2.0
//! Matrix products: what an iteration takes follows from its parts, and the numbers are right.

use noccl_coll::gemm::Sync as GemmSync;
use noccl_run::{Mode, Watch};
use noccl_studies::gemm::{Backend, COMPUTATION_SHARE, Collectives, GemmBound, GemmKernel};
use noccl_studies::{
    AttentionRequest, CheckpointRequest, Error, GemmRequest, GemmRow, Verified, attention, gemm,
};
use noccl_testkit::Folder;
use noccl_workload::ElementType;
use std::time::Duration;

fn request(side: u32, collectives: Collectives) -> GemmRequest {
    GemmRequest::new(GemmKernel::Summa, vec![(side, side)], vec![collectives])
}

fn row(request: &GemmRequest) -> GemmRow {
    let mut rows = gemm(request, Watch::quiet()).expect("the product runs");
    rows.remove(0)
}

/// Cycles that a barrier over a mesh takes from the last arrival on, counted in its middle.
fn barrier_cycles(side: u32) -> f64 {
    // barrier_store 5, path 1, round trip 5 + 4h, path 1, barrier_leave 4.
    f64::from(5 + 1 + 5 + 4 * side + 1 + 4)
}

#[test]
fn double_buffered_iteration_is_the_longer_of_compute_and_communication_and_a_barrier() {
    for side in [4, 8] {
        for collectives in [Collectives::InNetwork, Collectives::Software] {
            let bound = row(&request(side, collectives));
            assert_eq!(bound.bound_by, GemmBound::Computation);
            assert_eq!(bound.compute_cycles, 743);
            let longer = bound.communication_cycles.max(743.0);
            assert_eq!(
                bound.iteration_cycles,
                longer + barrier_cycles(side),
                "{bound:?}"
            );
            // A kernel that takes next to no time: the transfers are what remains.
            let mut thin = request(side, collectives);
            thin.submatrix = Some([1, 1, 324]);
            let free = row(&thin);
            assert_eq!(free.bound_by, GemmBound::Communication);
            let parts = free.communication_cycles + free.sync_cycles;
            // dma_start 5 before the first transfer, whose initiator may leave the barrier before the last
            // member does: 2 cycles per hop.
            let early = parts + 5.0 - free.iteration_cycles;
            assert!((0.0..=f64::from(2 * side)).contains(&early), "{free:?}");
        }
    }
}

#[test]
fn a_slot_more_hides_the_barrier_and_flags_need_none() {
    for side in [4, 8, 16] {
        for (sync, prefetch) in [(GemmSync::Barriers, 3), (GemmSync::Flags, 2)] {
            let request = GemmRequest {
                sync,
                prefetch,
                ..request(side, Collectives::InNetwork)
            };
            let row = row(&request);
            assert_eq!(row.iteration_cycles, 743.0, "{row:?}");
            assert_eq!(row.compute_share, 1.0);
        }
    }
}

#[test]
fn software_is_memory_bound_from_16x16_on_and_the_network_is_not() {
    for (side, software) in [(8, true), (16, false)] {
        let rows = gemm(
            &GemmRequest {
                collectives: vec![Collectives::Software, Collectives::InNetwork],
                ..request(side, Collectives::Software)
            },
            Watch::quiet(),
        )
        .expect("the products run");
        let bound: Vec<bool> = rows.iter().map(|r| r.bound_by.hides_transfers()).collect();
        assert_eq!(bound, [software, true], "{side}");
        let speedup = rows[0].iteration_cycles / rows[1].iteration_cycles;
        assert_eq!(rows[1].speedup, Some(speedup));
        assert_eq!(rows[0].speedup, Some(1.0));
    }
}

#[test]
fn an_iteration_is_bound_by_computation_only_where_the_kernel_fills_it() {
    // Up to 128x128 the network's transfers are hidden, but the barrier grows with the mesh.
    for (side, expected) in [
        (4, GemmBound::Computation),
        (16, GemmBound::Computation),
        (32, GemmBound::Synchronisation),
        (128, GemmBound::Synchronisation),
        (256, GemmBound::Communication),
    ] {
        let row = row(&GemmRequest {
            backends: vec![Backend::Model],
            ..request(side, Collectives::InNetwork)
        });
        assert_eq!(row.bound_by, expected, "{row:?}");
        let fills = row.compute_share >= COMPUTATION_SHARE;
        assert_eq!(row.bound_by == GemmBound::Computation, fills, "{row:?}");
    }
}

#[test]
fn products_are_right_bit_by_bit_however_they_are_communicated() {
    for (collectives, sync) in [
        (Collectives::InNetwork, GemmSync::Flags),
        (Collectives::InNetwork, GemmSync::Barriers),
        (Collectives::Software, GemmSync::Barriers),
    ] {
        for prefetch in [2, 3, 4] {
            let request = GemmRequest {
                sync,
                prefetch,
                mode: Mode::Value,
                ..request(4, collectives)
            };
            let row = row(&request);
            assert_eq!(row.verified, Verified::Yes, "{row:?}");
            let timing = GemmRequest {
                mode: Mode::Timing,
                ..request
            };
            let timing = self::row(&timing);
            assert_eq!(timing.iteration_cycles, row.iteration_cycles);
            assert_eq!(timing.counters, row.counters);
        }
    }
}

#[test]
fn fused_product_takes_its_kernel_and_its_reduction_and_is_right() {
    for collectives in [Collectives::InNetwork, Collectives::Software] {
        let request = GemmRequest {
            mode: Mode::Value,
            ..GemmRequest::new(
                GemmKernel::FusedConcatLinear,
                vec![(4, 4)],
                vec![collectives],
            )
        };
        let row = row(&request);
        assert_eq!(row.verified, Verified::Yes, "{row:?}");
        assert_eq!(row.compute_cycles, 743);
        // Kernels start as their clusters leave the barrier behind the loads: up to 2 cycles per hop apart.
        let apart = row.iteration_cycles - 743.0 - row.communication_cycles;
        assert!((0.0..=8.0).contains(&apart), "{row:?}");
        // 16 clusters load one submatrix of 2592 bytes each and multiply once.
        assert_eq!(row.counters.gemm_ops, 16 * 18 * 18 * 18);
        let loads = 16 * 2592;
        assert!(row.counters.dma_load_bytes >= loads);
    }
}

#[test]
fn fused_product_is_predicted_from_its_schedule() {
    let request = GemmRequest {
        backends: vec![Backend::Sim, Backend::Model],
        ..GemmRequest::new(
            GemmKernel::FusedConcatLinear,
            vec![(16, 8), (32, 32), (64, 64)],
            vec![Collectives::Software, Collectives::InNetwork],
        )
    };
    let rows = gemm(&request, Watch::quiet()).expect("the products run");
    let errors = rows.iter().filter_map(|row| row.sim_error);
    let errors: Vec<f64> = errors.collect();
    assert_eq!(errors.len(), 6);
    for (error, row) in errors
        .iter()
        .zip(rows.iter().filter(|r| r.sim_error.is_some()))
    {
        // Four and five operands meet at the root and north of it; the model takes the waits of their partial sums as a mean.
        let most = match row.collectives {
            Collectives::Software | Collectives::Deliveries => 0.005,
            Collectives::InNetwork => 0.02,
        };
        assert!(error.abs() <= most, "{error}: {row:?}");
    }
}

#[test]
fn energy_by_events_is_that_by_lines_and_the_paths_that_lines_leave_out() {
    for kernel in [GemmKernel::Summa, GemmKernel::FusedConcatLinear] {
        let both = vec![Collectives::Software, Collectives::InNetwork];
        let request = GemmRequest {
            has_line_energy: true,
            ..GemmRequest::new(kernel, vec![(8, 8)], both)
        };
        let rows = gemm(&request, Watch::quiet()).expect("the products run");
        // 64 clusters, 18 cubed multiply-adds of 24.6 pJ.
        let arithmetic = 64.0 * 18.0_f64.powi(3) * 24.6;
        for row in &rows {
            let lines = row.line_energy_pj.expect("was asked for");
            for energy in [row.iteration_energy_pj, lines] {
                assert!(energy > arithmetic && energy < 1.5 * arithmetic, "{row:?}");
            }
            let more = row.iteration_energy_pj / lines - 1.0;
            assert!((0.0..0.2).contains(&more), "{row:?}");
        }
        assert!(rows[0].iteration_energy_pj > rows[1].iteration_energy_pj);
        assert!(rows[0].line_energy_pj > rows[1].line_energy_pj);
    }
    let mut wide = request(4, Collectives::InNetwork);
    wide.meshes = vec![(8, 4)];
    wide.has_line_energy = true;
    let error = gemm(&wide, Watch::quiet())
        .expect_err("no square")
        .to_string();
    assert!(error.contains("square"), "{error}");
}

#[test]
fn fused_product_in_the_network_takes_the_formula_of_a_two_dimensional_reduction() {
    let request = GemmRequest::new(
        GemmKernel::FusedConcatLinear,
        vec![(4, 4)],
        vec![Collectives::InNetwork],
    );
    let row = row(&request);
    // Into a corner: h = 6 hops, 3 routers with two operands, then 2 with three and one with two at its end;
    // 41 beats; instructions, engine and paths around them.
    let network = 5 + 4 * 6 + 5 * 3 + 8 * 2 + 8 + 40;
    let around = row.communication_cycles - f64::from(network);
    assert!((0.0..30.0).contains(&around), "{row:?}");
}

#[test]
fn attention_is_right_bit_by_bit_and_takes_the_same_cycles_without_values() {
    let mut request = AttentionRequest {
        mesh: (4, 4),
        tokens: 64,
        head_columns: 16,
        heads: 3,
        element: ElementType::Fp64,
        utilisation: None,
        exponential_operations: 8,
        mode: Mode::Value,
        seed: 1,
        threads: 1,
        overrides: Vec::new(),
    };
    for element in [ElementType::Fp64, ElementType::Fp16] {
        request.element = element;
        request.mode = Mode::Value;
        let value = attention(&request, Watch::quiet()).expect("the layer runs");
        assert_eq!(value.verified, Verified::Yes, "{value:?}");
        request.mode = Mode::Timing;
        let timing = attention(&request, Watch::quiet()).expect("the layer runs");
        assert_eq!(
            (timing.cycles, timing.counters),
            (value.cycles, value.counters)
        );
        assert_eq!(value.counters.gemm_ops, 3 * 2 * 64 * 64 * 16);
        assert!(value.head_cycles > value.compute_cycles as f64);
    }
}

#[test]
fn an_interrupt_between_two_products_is_saved_with_the_next_one() {
    let folder = Folder::new();
    let file = folder.0.join("product.ckpt");
    let mut request = request(2, Collectives::InNetwork);
    request.meshes.push((4, 4));
    let whole = gemm(&request, Watch::quiet()).unwrap();
    request.checkpoint = Some(CheckpointRequest {
        file: file.clone(),
        every: Duration::from_secs(3600),
        resume: None,
    });
    let error = gemm(&request, Watch::new(&|step| step.done == 0)).unwrap_err();
    assert!(matches!(error, Error::Suspended { .. }), "{error}");
    request.checkpoint.as_mut().unwrap().resume = Some(file);
    assert_eq!(gemm(&request, Watch::quiet()).unwrap(), whole);
}
