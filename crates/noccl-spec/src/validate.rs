// SPDX-License-Identifier: Apache-2.0
//! Ranges of single values, and settings that have no effect.
//!
//! Without it a depth of zero or an address beyond the bus would surface as nonsense far away from
//! the line that caused it. Only form is checked here; whatever needs geometry (alignment, coverage,
//! overlap of address ranges) belongs to elaboration, which calls [`validate`] first, so that a spec
//! built in memory is held to the same rules as one read from a file.

mod torrent;

use crate::{Cluster, Mesh, NetworkInterface, Router, RouterFlow, Spec, TorrentMode};
use crate::{WideReductionKind, error::OutOfRange};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Addresses have 48 bits (S1 §2.2).
pub const MAX_ADDRESS: u64 = (1 << 48) - 1;

pub(crate) type Checked = Result<(), OutOfRange>;

/// Checks every value against its range.
///
/// # Errors
/// The first field out of range, with what would be accepted.
pub fn validate(spec: &Spec) -> Result<(), OutOfRange> {
    if !is_file_name(&spec.name) {
        return Err(OutOfRange {
            field: "name".to_owned(),
            found: format!("{:?}", spec.name),
            accepted: "must be 1 to 64 letters, digits, '_', '-' or '.'".to_owned(),
        });
    }
    mesh(&spec.mesh)?;
    router(&spec.router)?;
    ni(&spec.ni)?;
    cluster(&spec.cluster, spec.ni.max_burst_beats)?;
    memory_size("memory.bytes", spec.memory.bytes)?;
    within(
        "memory.latency_cycles",
        spec.memory.latency_cycles,
        1..=1000,
    )?;
    within("memory.atomic_cycles", spec.memory.atomic_cycles, 1..=1000)?;
    within(
        "memory.max_outstanding",
        spec.memory.max_outstanding,
        1..=256,
    )?;
    crate::validate_esp::esp(spec)?;
    energy(spec)
}

/// Settings that are written down but change nothing, one sentence each; empty for most specs.
#[must_use]
pub fn warnings(spec: &Spec) -> Vec<String> {
    let mut found = Vec::new();
    let wide = &spec.router.wide_reduction;
    match spec.router.flow {
        RouterFlow::PeerCompatible | RouterFlow::Esp => {
            for (field, value) in [
                (
                    "router.merge_table_entries",
                    spec.router.merge_table_entries,
                ),
                ("router.wide_reduction.store_beats", wide.store_beats),
                ("router.wide_reduction.window_beats", wide.window_beats),
            ] {
                if value != 0 {
                    found.push(format!(
                        "{field} = {value} has no effect with router.flow = \"{}\"; write 0 there",
                        flow_name(spec.router.flow)
                    ));
                }
            }
        }
        RouterFlow::NonBlocking => {}
    }
    let ni = &spec.ni;
    let fitting = ni.burst_boundary_bytes / ni.wide_beat_bytes.max(1);
    if ni.max_burst_beats > fitting {
        found.push(format!(
            "ni.max_burst_beats = {} has no effect beyond {fitting}: bursts end at every multiple \
             of ni.burst_boundary_bytes = {}",
            ni.max_burst_beats, ni.burst_boundary_bytes
        ));
    }
    if let Some(endpoint) = &spec.cluster.torrent
        && endpoint.mode == TorrentMode::Published
        && endpoint.buffer_bursts != 0
    {
        found.push(format!(
            "cluster.torrent.buffer_bursts = {} has no effect with cluster.torrent.mode = \"published\"; \
             write 0 there",
            endpoint.buffer_bursts
        ));
    }
    found
}

fn is_file_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().any(|b| b != b'.')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

fn mesh(mesh: &Mesh) -> Checked {
    within("mesh.width", mesh.width, 1..=4096)?;
    within("mesh.height", mesh.height, 1..=4096)?;
    if mesh.regions.is_empty() {
        return Err(OutOfRange {
            field: "mesh.regions".to_owned(),
            found: "[]".to_owned(),
            accepted: "needs one region of kind \"cluster\" and any number of kind \"memory\""
                .to_owned(),
        });
    }
    for (idx, region) in mesh.regions.iter().enumerate() {
        let field = |name: &str| format!("mesh.regions.{idx}.{name}");
        within(&field("x"), region.x, 0..=4095)?;
        within(&field("y"), region.y, 0..=4095)?;
        within(&field("width"), region.width, 1..=4096)?;
        within(&field("height"), region.height, 1..=4096)?;
        within(&field("base_address"), region.base_address, 0..=MAX_ADDRESS)?;
        within(&field("stride_bytes"), region.stride_bytes, 64..=1 << 40)?;
        power_of_two(&field("stride_bytes"), region.stride_bytes)?;
    }
    Ok(())
}

fn router(router: &Router) -> Checked {
    let (inputs, outputs) = (router.input_fifo_flits, router.output_fifo_flits);
    match router.flow {
        RouterFlow::NonBlocking | RouterFlow::PeerCompatible => {
            exactly("router.input_fifo_flits", inputs, 2)?;
            exactly("router.output_fifo_flits", outputs, 2)?;
        }
        RouterFlow::Esp => {
            within("router.input_fifo_flits", inputs, 2..=64)?;
            exactly("router.output_fifo_flits", outputs, 0)?;
        }
    }
    let wide = &router.wide_reduction;
    within("router.wide_reduction.cut_cycles", wide.cut_cycles, 0..=16)?;
    let (table, store) = (
        "router.merge_table_entries",
        "router.wide_reduction.store_beats",
    );
    match router.flow {
        RouterFlow::NonBlocking => {
            within(table, router.merge_table_entries, 1..=256)?;
            merge_cycles(router.merge_cycles)?;
            within(
                "router.wide_reduction.window_beats",
                wide.window_beats,
                1..=256,
            )?;
            // A window per input port of one transaction must fit, else nothing could be reduced.
            within(store, wide.store_beats, 4 * wide.window_beats..=1 << 20)
        }
        RouterFlow::PeerCompatible | RouterFlow::Esp => match wide.kind {
            WideReductionKind::TwoOperand => {
                exactly("router.merge_cycles", router.merge_cycles, 1)?;
                within(table, router.merge_table_entries, 0..=256)?;
                within(store, wide.store_beats, 0..=1 << 20)
            }
            WideReductionKind::ThreeOperand => Err(OutOfRange {
                field: "router.wide_reduction.kind".to_owned(),
                found: "\"three_operand\"".to_owned(),
                accepted: format!(
                    "must be \"two_operand\" with router.flow = \"{}\" (the published unit has two operands)",
                    flow_name(router.flow)
                ),
            }),
        },
    }
}

/// In one cycle, or with two registers: what lies between would end nowhere near the way of a router.
fn merge_cycles(cycles: u32) -> Checked {
    if matches!(cycles, 1 | 3) {
        return Ok(());
    }
    Err(OutOfRange {
        field: "router.merge_cycles".to_owned(),
        found: cycles.to_string(),
        accepted: "must be 1 or 3".to_owned(),
    })
}

fn ni(ni: &NetworkInterface) -> Checked {
    exactly("ni.wide_beat_bytes", ni.wide_beat_bytes, 64)?;
    exactly("ni.narrow_beat_bytes", ni.narrow_beat_bytes, 8)?;
    within("ni.max_burst_beats", ni.max_burst_beats, 1..=256)?;
    within(
        "ni.burst_boundary_bytes",
        ni.burst_boundary_bytes,
        64..=4096,
    )?;
    power_of_two("ni.burst_boundary_bytes", ni.burst_boundary_bytes.into())?;
    within("ni.max_wide_outstanding", ni.max_wide_outstanding, 1..=256)?;
    within(
        "ni.max_narrow_outstanding",
        ni.max_narrow_outstanding,
        1..=256,
    )?;
    within("ni.max_open_reductions", ni.max_open_reductions, 1..=256)
}

fn cluster(cluster: &Cluster, max_burst_beats: u32) -> Checked {
    memory_size("cluster.l1_bytes", cluster.l1_bytes)?;
    within("cluster.num_cores", cluster.num_cores, 1..=64)?;
    let fpu = &cluster.fpu;
    for (name, cycles) in [
        ("fpu.bits64_cycles", fpu.bits64_cycles),
        ("fpu.bits32_cycles", fpu.bits32_cycles),
        ("fpu.bits16_cycles", fpu.bits16_cycles),
        ("fpu.bits8_cycles", fpu.bits8_cycles),
    ] {
        within(&format!("cluster.{name}"), cycles, 1..=16)?;
    }
    let (dma, run) = (&cluster.dma, &cluster.instructions);
    for (name, cycles) in [
        ("request_path_cycles", cluster.request_path_cycles),
        ("response_path_cycles", cluster.response_path_cycles),
        ("l1_latency_cycles", cluster.l1_latency_cycles),
        ("atomic_cycles", cluster.atomic_cycles),
        ("dma.start_cycles", dma.start_cycles),
        ("dma.complete_cycles", dma.complete_cycles),
        ("instructions.poll", run.poll),
    ] {
        within(&format!("cluster.{name}"), cycles, 1..=1000)?;
    }
    for (name, count) in [
        ("dma_start", run.dma_start),
        ("dma_start_2d", run.dma_start_2d),
        ("dma_wait", run.dma_wait),
        ("barrier_store", run.barrier_store),
        ("barrier_leave", run.barrier_leave),
        ("interrupt_wake", run.interrupt_wake),
        ("compute_start", run.compute_start),
    ] {
        within(&format!("cluster.instructions.{name}"), count, 0..=10_000)?;
    }
    if let Some(endpoint) = &cluster.torrent {
        torrent::check(endpoint)?;
    }
    let speed = cluster.compute_millicycles_per_beat;
    within(
        "cluster.compute_millicycles_per_beat",
        speed,
        1..=10_000_000,
    )?;
    // The engine reserves room for a whole burst before it reads, so that read data never waits.
    let least = max_burst_beats.max(1);
    within(
        "cluster.dma.buffer_beats",
        dma.buffer_beats,
        least..=1 << 16,
    )?;
    within("cluster.dma.max_transfers", dma.max_transfers, 1..=64)
}

pub(crate) const fn flow_name(flow: RouterFlow) -> &'static str {
    match flow {
        RouterFlow::NonBlocking => "non_blocking",
        RouterFlow::PeerCompatible => "peer_compatible",
        RouterFlow::Esp => "esp",
    }
}

fn energy(spec: &Spec) -> Checked {
    let e = &spec.energy;
    for (name, pj) in [
        ("dma_load_pj_per_byte", e.dma_load_pj_per_byte),
        ("dma_store_pj_per_byte", e.dma_store_pj_per_byte),
        ("hop_pj_per_byte", e.hop_pj_per_byte),
        ("spm_write_pj_per_byte", e.spm_write_pj_per_byte),
        ("gemm_pj_per_op", e.gemm_pj_per_op),
        ("software_reduce_pj_per_op", e.software_reduce_pj_per_op),
        ("dca_reduce_pj_per_op", e.dca_reduce_pj_per_op),
    ] {
        within(&format!("energy.{name}"), pj, 0.0..=1e9)?;
    }
    Ok(())
}

pub(crate) fn within<T: PartialOrd + Display>(
    field: &str,
    found: T,
    range: RangeInclusive<T>,
) -> Checked {
    if range.contains(&found) {
        return Ok(());
    }
    Err(OutOfRange {
        field: field.to_owned(),
        found: found.to_string(),
        accepted: format!("must be {} to {}", range.start(), range.end()),
    })
}

fn exactly(field: &str, found: u32, only: u32) -> Checked {
    if found == only {
        return Ok(());
    }
    Err(OutOfRange {
        field: field.to_owned(),
        found: found.to_string(),
        accepted: format!("must be {only}, the only value that is modelled"),
    })
}

fn power_of_two(field: &str, found: u64) -> Checked {
    if found.is_power_of_two() {
        return Ok(());
    }
    Err(OutOfRange {
        field: field.to_owned(),
        found: found.to_string(),
        accepted: format!(
            "must be a power of two, e.g. {}",
            found.next_power_of_two().max(64)
        ),
    })
}

fn memory_size(field: &str, found: u64) -> Checked {
    within(field, found, 64..=1 << 40)?;
    if found.is_multiple_of(64) {
        return Ok(());
    }
    Err(OutOfRange {
        field: field.to_owned(),
        found: found.to_string(),
        accepted: "must be a multiple of 64, the wide beat".to_owned(),
    })
}
