// SPDX-License-Identifier: Apache-2.0
//! FusedConcatLinear: the inner dimension is spread over the clusters, so every cluster holds a partial
//! product of the whole C, and one reduction over the mesh adds them up (S1 §4.3.2).
//!
//! In the layer that S1 looks at, cluster (x, y) has computed an attention head: its A lies in its own L1. Its B,
//! the head's rows of the output projection, comes from the memory tile of its row by its own DMA engine,
//! while the head is computed; so the clock starts with the product.

use super::layout::EdgeMemories;
use super::{GemmProgram, Mesh, SubmatrixShape};
use crate::steps::{at, transfer};
use crate::{Algorithm, Choice, CollError, Forwarding, schedule, schedule_of};
use noccl_net::{AxiNetwork, Coord, TileRef, TileSet};
use noccl_workload::{
    Action, ActionId, ActionKind, Collective, CollectiveKind, Destination, Kernel, Multiply,
    Operation, Operator, Place, Schedule, sum_element,
};

/// A product whose inner dimension is spread over all clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FusedConcatLinear {
    /// Submatrices of a cluster.
    pub shape: SubmatrixShape,
    /// Cycles of the kernel.
    pub compute_cycles: u64,
    /// How partial products are reduced.
    pub reduce: Choice,
    /// Where the sum is wanted.
    pub root: Coord,
    /// Fetch B from the memory tiles before the clock starts; else it lies in L1 already.
    pub has_loads: bool,
}

/// A schedule and what is what in it.
#[derive(Debug, Clone, PartialEq)]
pub struct FusedPlan {
    /// The schedule.
    pub schedule: Schedule,
    /// The product of all clusters.
    pub kernel: ActionId,
    /// Offset of A in L1.
    pub a_offset: u64,
    /// Offset of B in L1.
    pub b_offset: u64,
    /// Where each cluster's B lies before the run if it is loaded, else empty; x outer, y inner.
    pub b_sources: Vec<(Coord, Place)>,
    /// Where the sum lies afterwards.
    pub result: Place,
    /// Bytes of the sum.
    pub result_bytes: u64,
}

/// The schedule of the product on all clusters of a network.
///
/// # Errors
/// [`CollError`] if sides of the mesh are no powers of two, buffers do not fit, or the reduction is impossible.
pub fn fused_concat_linear(
    network: AxiNetwork<'_>,
    fused: &FusedConcatLinear,
) -> Result<FusedPlan, CollError> {
    let mesh = Mesh::new(&network)?;
    let shape = fused.shape;
    let c_bytes = shape.c_bytes()?;
    let beat = network.axi().ni.wide_beat();
    let a_offset = 0;
    let b_offset = shape.a_bytes().next_multiple_of(beat);
    let c_offset = b_offset + shape.b_bytes().next_multiple_of(beat);
    let collective = Collective {
        kind: CollectiveKind::Reduce,
        group: TileSet::Cube(mesh.all()),
        root: TileRef::Cluster(fused.root),
        bytes: c_bytes,
        input_offset: c_offset,
        output_offset: c_offset + c_bytes.next_multiple_of(beat),
        operator: Operator::Sum,
        element: sum_element(shape.element).unwrap_or(shape.element),
        lengths: None,
        definition: None,
    };
    let mut program = GemmProgram::default();
    let mut start = None;
    let mut plan = FusedPlan {
        schedule: empty(fused),
        kernel: ActionId(0),
        a_offset,
        b_offset,
        b_sources: Vec::new(),
        result: Place {
            tile: collective.root,
            offset: collective.output_offset,
        },
        result_bytes: c_bytes,
    };
    if fused.has_loads {
        plan.b_sources = b_sources(network, shape)?;
        let loads = (plan.b_sources.iter())
            .map(|(cluster, from)| {
                let to = Destination::One(at(*cluster, b_offset));
                let kind = transfer(*cluster, *from, to, shape.b_bytes());
                program.add(ActionKind::Transfer(kind), Vec::new())
            })
            .collect();
        start = Some(program.add(mesh.barrier(), loads));
    }
    let kernel = ActionKind::Kernel(Kernel {
        group: TileSet::Cube(mesh.all()),
        cycles: fused.compute_cycles,
        operation: Operation::Multiply(Multiply {
            a_offset,
            b_offset,
            c_offset,
            rows: shape.rows,
            columns: shape.columns,
            inner: shape.inner,
            element: shape.element,
            accumulate: false,
            b_transposed: false,
        }),
    });
    plan.kernel = program.add(kernel, start.into_iter().collect());
    let mut gates = vec![plan.kernel];
    // Whoever reads from a neighbour has to know that the neighbour's product is there.
    let is_software = fused.reduce.algorithm != Algorithm::InNetwork;
    if is_software && fused.reduce.forwarding == Forwarding::Pull {
        gates.push(program.add(mesh.barrier(), vec![plan.kernel]));
    }
    append(
        &mut program,
        schedule(&network, &collective, fused.reduce)?.actions,
        &gates,
    );
    plan.schedule.actions = program.finish();
    Ok(plan)
}

/// Where each cluster's B lies: in the memory tile next to its row or column.
fn b_sources(
    network: AxiNetwork<'_>,
    shape: SubmatrixShape,
) -> Result<Vec<(Coord, Place)>, CollError> {
    let memories = EdgeMemories::new(&network)?;
    let rows = 0..network.cluster_height();
    let clusters =
        (0..network.cluster_width()).flat_map(|x| rows.clone().map(move |y| Coord::new(x, y)));
    let beat = network.axi().ni.wide_beat();
    let source = |at| {
        let (tile, position) = memories.of(at);
        let offset = u64::from(position) * shape.b_bytes().next_multiple_of(beat);
        (at, Place { tile, offset })
    };
    Ok(clusters.map(source).collect())
}

fn empty(fused: &FusedConcatLinear) -> Schedule {
    let shape = fused.shape;
    let submatrix = format!("{}x{}x{}", shape.rows, shape.columns, shape.inner);
    let parameters = [
        ("reduce", fused.reduce.to_string()),
        ("root", fused.root.to_string()),
        ("submatrix", submatrix),
    ];
    schedule_of("fused_concat_linear", parameters, Vec::new())
}

/// Adds the actions of another schedule, all of them after `gates`.
fn append(program: &mut GemmProgram, actions: Vec<Action>, gates: &[ActionId]) {
    let first = program.len();
    for action in actions {
        let before = action.after.iter().map(|id| ActionId(id.0 + first));
        let after = gates.iter().copied().chain(before).collect();
        program.add(action.kind, after);
    }
}
