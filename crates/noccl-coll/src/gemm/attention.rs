// SPDX-License-Identifier: Apache-2.0
//! Attention over the whole mesh, head by head: queries along rows, keys and values along columns, and
//! the softmax's row maxima and row sums reduced and sent back by the network.
//!
//! Cluster (x, y) holds a slice of the queries and a slice of keys and values, so its part of the scores is
//! S = Q·Kᵀ. Per head: S; its rows' maxima, reduced along the mesh's row and multicast back; P = exp(S − max);
//! its rows' sums, likewise, while O = P·V is computed; O ÷ sum; O reduced along the row, into the row's
//! westernmost cluster, where the next head's overwrites it. The next head's slices are loaded meanwhile,
//! into the other of two slots; a barrier separates heads. Source: the dataflow is FlatAttention's (Zhang et
//! al. 2025), which S1 cites for reductions in attention.

use super::layout::{GemmLayout, Matrix};
use super::spread::{Spread, SpreadTask};
use super::{GemmProgram, MAX_KERNEL_CYCLES, Mesh, SubmatrixShape};
use crate::steps::{at, transfer};
use crate::{CollError, schedule_of};
use noccl_net::{AxiNetwork, Coord, TileSet};
use noccl_workload::{
    ActionId, ActionKind, Destination, ElementType, FoldRows, InNetworkReduction, Kernel, Multiply,
    Operation, Operator, Place, RowWise, Schedule, sum_element,
};

/// One attention layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention {
    /// Rows of Q, K and V; a multiple of both sides of the mesh.
    pub tokens: u32,
    /// Columns of Q, K and V of one head.
    pub head_columns: u32,
    /// Heads, each with keys and values of its own.
    pub heads: u32,
    /// Element of Q, K, V and P. Scores, sums and O are kept in its sums' element.
    pub element: ElementType,
    /// Share of the FPUs' peak that products reach.
    pub utilisation: f64,
    /// FPU operations of one exponential.
    pub exponential_operations: u32,
}

/// A schedule and what is what in it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionPlan {
    /// The schedule.
    pub schedule: Schedule,
    /// Slices of Q (as A) and of K and V behind it (as B).
    pub layout: GemmLayout,
    /// Every head's last actions: O's reductions, by row.
    pub outputs: Vec<Vec<ActionId>>,
    /// Barrier before each head.
    pub barriers: Vec<ActionId>,
    /// Cycles of the kernels of one head.
    pub compute_cycles: u64,
    /// Where the rows' westernmost clusters hold O afterwards.
    pub o_offset: u64,
    /// Rows and columns of a slice of O.
    pub o_shape: (u32, u32),
}

/// Places in L1 behind the slots.
#[derive(Debug, Clone, Copy)]
struct Buffers {
    scores: u64,
    p: u64,
    local: u64,
    shared: u64,
    o: u64,
    reduced: u64,
    end: u64,
}

/// The schedule of an attention layer on all clusters of a network.
///
/// # Errors
/// [`CollError`] if tokens are no multiple of the mesh's sides, or buffers do not fit.
pub fn flat_attention(
    network: AxiNetwork<'_>,
    attention: &Attention,
) -> Result<AttentionPlan, CollError> {
    let mesh = Mesh::new(&network)?;
    let (rows, columns) = slices(mesh, attention)?;
    let shape = SubmatrixShape {
        rows,
        columns: 2 * columns,
        inner: attention.head_columns,
        element: attention.element,
    };
    shape.c_bytes()?;
    let stored = stored_heads(network, shape, attention.heads);
    let layout = GemmLayout::new(network, shape, 2, stored)?;
    let sums = sum_element(attention.element).unwrap_or(attention.element);
    let buffers = Buffers::new(&layout, attention, rows, columns, sums);
    let tile = network.clusters().next();
    // 0: without clusters nothing fits.
    let available_bytes = tile.map_or(0, |t| network.memory_bytes(t));
    if buffers.end > available_bytes {
        return Err(CollError::DoesNotFit {
            algorithm: "flat_attention".to_owned(),
            tile: "a cluster".to_owned(),
            needed_bytes: buffers.end,
            available_bytes,
            limit: "cluster.l1_bytes",
        });
    }
    let mut writer = AttentionWriter {
        network,
        attention,
        mesh,
        layout: &layout,
        buffers,
        rows,
        columns,
        sums,
        program: GemmProgram::default(),
        compute: None,
        compute_cycles: 0,
    };
    let (mut outputs, mut barriers) = (Vec::new(), Vec::new());
    let mut loads = writer.load(0, None);
    for head in 0..attention.heads {
        let after = loads.into_iter().chain(writer.compute).collect();
        let barrier = writer.program.add(mesh.barrier(), after);
        barriers.push(barrier);
        loads = if head + 1 < attention.heads {
            writer.load(head + 1, Some(barrier))
        } else {
            Vec::new()
        };
        let before = outputs.last().map_or(&[][..], Vec::as_slice);
        let output = writer.head(head, barrier, before)?;
        outputs.push(output);
    }
    let compute_cycles = writer.compute_cycles / u64::from(attention.heads);
    let parameters = [
        ("tokens", attention.tokens.to_string()),
        ("head_columns", attention.head_columns.to_string()),
        ("heads", attention.heads.to_string()),
    ];
    let schedule = schedule_of("flat_attention", parameters, writer.program.finish());
    Ok(AttentionPlan {
        schedule,
        outputs,
        barriers,
        compute_cycles,
        o_offset: buffers.reduced,
        o_shape: (rows, attention.head_columns),
        layout,
    })
}

/// As many heads as the memory tiles hold at a time; further ones take the same places again.
fn stored_heads(network: AxiNetwork<'_>, shape: SubmatrixShape, heads: u32) -> u32 {
    let fits = |stored: &u32| GemmLayout::new(network, shape, 2, *stored).is_ok();
    (1..=heads).rev().find(fits).unwrap_or(1)
}

impl Buffers {
    fn new(
        layout: &GemmLayout,
        attention: &Attention,
        rows: u32,
        columns: u32,
        sums: ElementType,
    ) -> Self {
        let bytes = |columns: u32, element: ElementType| {
            (u64::from(rows) * u64::from(columns) * element.bytes())
                .next_multiple_of(layout.beat_bytes())
        };
        let scores = layout.c_offset();
        let p = scores + bytes(columns, sums);
        let local = p + bytes(columns, attention.element);
        let shared = local + 2 * bytes(1, sums);
        let o = shared + 4 * bytes(1, sums);
        let reduced = o + bytes(attention.head_columns, sums);
        let end = reduced + bytes(attention.head_columns, sums);
        Self {
            scores,
            p,
            local,
            shared,
            o,
            reduced,
            end,
        }
    }
}

struct AttentionWriter<'a> {
    network: AxiNetwork<'a>,
    attention: &'a Attention,
    mesh: Mesh,
    layout: &'a GemmLayout,
    buffers: Buffers,
    rows: u32,
    columns: u32,
    sums: ElementType,
    program: GemmProgram,
    /// Latest kernel.
    compute: Option<ActionId>,
    compute_cycles: u64,
}

impl AttentionWriter<'_> {
    fn load(&mut self, head: u32, start: Option<ActionId>) -> Vec<ActionId> {
        let task = SpreadTask {
            layout: self.layout,
            mesh: self.mesh,
            spread: Spread::InNetwork,
        };
        task.emit(head..head + 1, start, &mut self.program).last
    }

    /// All of one head behind its barrier; returns the transfers of O.
    fn head(
        &mut self,
        head: u32,
        barrier: ActionId,
        before: &[ActionId],
    ) -> Result<Vec<ActionId>, CollError> {
        let Buffers {
            scores,
            p,
            local,
            shared,
            o,
            ..
        } = self.buffers;
        let (rows, columns, width) = (self.rows, self.columns, self.attention.head_columns);
        let element = self.attention.element;
        let line = (u64::from(rows) * self.sums.bytes()).next_multiple_of(self.layout.beat_bytes());
        let slot_b = self.layout.slot(Matrix::B, head);
        let values = slot_b + u64::from(columns) * u64::from(width) * element.bytes();
        let product =
            |a_offset, b_offset, c_offset, [rows, columns, inner]: [u32; 3], b_transposed| {
                Operation::Multiply(Multiply {
                    a_offset,
                    b_offset,
                    c_offset,
                    rows,
                    columns,
                    inner,
                    element,
                    accumulate: false,
                    b_transposed,
                })
            };
        let fold = |source_offset, result_offset, element, operator| {
            Operation::FoldRows(FoldRows {
                source_offset,
                result_offset,
                rows,
                columns,
                element,
                operator,
            })
        };
        let slot_a = self.layout.slot(Matrix::A, head);
        self.kernel(
            product(slot_a, slot_b, scores, [rows, columns, width], true),
            &[barrier],
        )?;
        self.kernel(fold(scores, local, self.sums, Operator::Max), &[])?;
        let maxima = self.reduce_and_multicast(local, shared, Operator::Max);
        let exponential = Operation::Exponential(RowWise {
            source_offset: scores,
            row_offset: shared + line,
            result_offset: p,
            rows,
            columns,
            element,
        });
        self.kernel(exponential, &maxima)?;
        self.kernel(fold(p, local + line, element, Operator::Sum), &[])?;
        let sums = self.reduce_and_multicast(local + line, shared + 2 * line, Operator::Sum);
        self.kernel(product(p, values, o, [rows, width, columns], false), before)?;
        let divide = Operation::DivideRows(RowWise {
            source_offset: o,
            row_offset: shared + 3 * line,
            result_offset: o,
            rows,
            columns: width,
            element: self.sums,
        });
        self.kernel(divide, &sums)?;
        Ok(self.reduce_outputs(before))
    }

    /// One kernel on all clusters, after the latest one.
    fn kernel(&mut self, operation: Operation, after: &[ActionId]) -> Result<(), CollError> {
        let cycles = cycles(self.network, &operation, self.attention)?;
        self.compute_cycles += cycles;
        let after = self.compute.iter().chain(after).copied().collect();
        let kind = ActionKind::Kernel(Kernel {
            group: TileSet::Cube(self.mesh.all()),
            cycles,
            operation,
        });
        self.compute = Some(self.program.add(kind, after));
        Ok(())
    }

    /// Reduces one number per row of Q along every row of clusters and sends it back; returns the deliveries.
    /// The sum of a row stands at `to` in its westernmost cluster, and a line behind it everywhere.
    fn reduce_and_multicast(&mut self, from: u64, to: u64, operator: Operator) -> Vec<ActionId> {
        let bytes = u64::from(self.rows) * self.sums.bytes();
        let copy = to + bytes.next_multiple_of(self.layout.beat_bytes());
        let mut deliveries = Vec::new();
        for y in 0..self.mesh.height {
            let initiator = Coord::new(0, y);
            let root = at(initiator, to);
            let reduce = self.reduction(y, from, root, bytes, operator);
            let after = self.compute.into_iter().collect();
            let reduced = self
                .program
                .add(ActionKind::InNetworkReduction(reduce), after);
            let destination = Destination::Multicast {
                set: self.mesh.row(y),
                offset: copy,
            };
            let kind = ActionKind::Delivery(transfer(initiator, root, destination, bytes));
            deliveries.push(self.program.add(kind, vec![reduced]));
        }
        deliveries
    }

    fn reduction(
        &self,
        y: u16,
        source_offset: u64,
        root: Place,
        bytes: u64,
        operator: Operator,
    ) -> InNetworkReduction {
        InNetworkReduction {
            group: self.mesh.row(y),
            source_offset,
            root,
            bytes,
            operator,
            element: self.sums,
        }
    }

    /// O along every row into its westernmost cluster.
    fn reduce_outputs(&mut self, before: &[ActionId]) -> Vec<ActionId> {
        let bytes =
            u64::from(self.rows) * u64::from(self.attention.head_columns) * self.sums.bytes();
        let mut outputs = Vec::new();
        for y in 0..self.mesh.height {
            let initiator = Coord::new(0, y);
            let root = at(initiator, self.buffers.reduced);
            let reduce = self.reduction(y, self.buffers.o, root, bytes, Operator::Sum);
            let after = self
                .compute
                .iter()
                .chain(before.get(usize::from(y)))
                .copied()
                .collect();
            let reduced = self
                .program
                .add(ActionKind::InNetworkReduction(reduce), after);
            outputs.push(reduced);
        }
        outputs
    }
}

// Which attention layers a mesh can take, and what every cluster gets of one.

/// Most tokens, columns of a head, and heads.
const MAX_SIDE: u32 = 1 << 20;

/// Rows of Q and rows of K and V of one cluster.
fn slices(mesh: Mesh, attention: &Attention) -> Result<(u32, u32), CollError> {
    let (width, height) = (u32::from(mesh.width), u32::from(mesh.height));
    let Attention {
        tokens,
        heads,
        head_columns,
        ..
    } = *attention;
    let sides = [tokens, head_columns, heads];
    if sides.iter().any(|n| !(1..=MAX_SIDE).contains(n)) {
        return Err(CollError::Impossible(format!(
            "{heads} heads of {tokens} tokens and {head_columns} columns; accepted: 1 to {MAX_SIDE} of each"
        )));
    }
    match attention.element {
        ElementType::Fp64 | ElementType::Fp32 | ElementType::Fp16 | ElementType::Bf16 => {}
        ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => {
            return Err(CollError::Impossible(format!(
                "a softmax of {}; accepted: fp64, fp32, fp16 or bf16",
                attention.element
            )));
        }
    }
    if !tokens.is_multiple_of(width) || !tokens.is_multiple_of(height) {
        return Err(CollError::Impossible(format!(
            "--tokens '{tokens}': accepted: a multiple of both sides of the mesh, {width}x{height}"
        )));
    }
    Ok((tokens / height, tokens / width))
}

// How long a cluster's cores take for an operation of an attention layer.
//
// Products run at the given fraction of the peak, as in S1 eq. (8). All else is counted in FPU operations, one
// per element and lane and cycle, plus the instructions around a kernel. An exponential takes as many
// operations as the caller says; a division by a row's number is a product with its reciprocal.

/// Cycles of one operation on one cluster.
pub(super) fn cycles(
    network: AxiNetwork<'_>,
    operation: &Operation,
    attention: &Attention,
) -> Result<u64, CollError> {
    let cluster = &network.axi().cluster;
    let lanes =
        |element: ElementType| u128::from(cluster.num_cores) * u128::from(8 / element.bytes());
    let elements = |rows: u32, columns: u32| u128::from(rows) * u128::from(columns);
    let sums = sum_element(attention.element).unwrap_or(attention.element);
    let work = match operation {
        Operation::Multiply(m) => {
            let shape = SubmatrixShape {
                rows: m.rows,
                columns: m.columns,
                inner: m.inner,
                element: m.element,
            };
            return shape.compute_cycles(network, attention.utilisation);
        }
        Operation::FoldRows(f) => elements(f.rows, f.columns).div_ceil(lanes(f.element)),
        Operation::Exponential(r) => {
            let operations = 1 + u128::from(attention.exponential_operations);
            (elements(r.rows, r.columns) * operations).div_ceil(lanes(sums))
        }
        Operation::DivideRows(r) => {
            (elements(r.rows, r.columns) + u128::from(r.rows)).div_ceil(lanes(sums))
        }
    };
    if work > u128::from(MAX_KERNEL_CYCLES) {
        return Err(CollError::Impossible(format!(
            "a kernel of {work} cycles ({} operations per exponential); accepted: at most {MAX_KERNEL_CYCLES}",
            attention.exponential_operations
        )));
    }
    Ok(u64::from(cluster.instructions.compute_start) + work as u64)
}
