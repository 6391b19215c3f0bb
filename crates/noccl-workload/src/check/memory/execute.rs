// SPDX-License-Identifier: Apache-2.0
//! Symbolic execution: what every memory holds in the end, and which accesses must be ordered.
//!
//! Actions are executed in file order, which is one legal order. If all demanded orders hold, every
//! legal order gives the same contents.

use crate::check::memory::content::{Access, Chunk, Content, RequiredOrder};
use crate::check::memory::words::{Expression, Expressions, Value};
use crate::check::order::Order;
use crate::check::order::shortcut::Shortcuts;
use crate::check::{CheckError, Race};
use crate::interpret::{FoldTree, fold_tree};
use crate::{
    Effect, ElementType, InNetworkReduction, Kernel, Lines, LocalReduce, NetworkFold, Schedule,
};
use noccl_net::counts::max_or_zero;
use noccl_net::pairs::FoldOrder;
use noccl_net::{MultiAddress, Network, TileId, TileRef};
use std::collections::HashMap;

/// Symbolic memories after the last action.
pub(crate) struct CheckedMemories {
    pub(crate) expressions: Expressions,
    tiles: Vec<Option<Content>>,
}

impl CheckedMemories {
    /// What a range holds.
    pub(crate) fn look(
        &mut self,
        network: &Network,
        tile: TileId,
        start: u64,
        bytes: u64,
    ) -> Vec<Chunk> {
        if bytes == 0 {
            return Vec::new();
        }
        self.content(network, tile).look(start, bytes)
    }

    fn content(&mut self, network: &Network, tile: TileId) -> &mut Content {
        let expressions = &mut self.expressions;
        self.tiles[tile.idx()].get_or_insert_with(|| {
            let initial = expressions.intern(Expression::Initial(tile));
            Content::new(tile, initial, network.memory_bytes(tile))
        })
    }
}

/// Runs the schedule symbolically.
///
/// # Errors
/// [`CheckError::Race`] for the first unordered conflict.
pub(crate) fn execute(
    network: &Network,
    schedule: &Schedule,
    order: &Order,
) -> Result<CheckedMemories, CheckError> {
    let mut run = Execution {
        network,
        order,
        memories: CheckedMemories {
            expressions: Expressions::default(),
            tiles: (0..network.num_tiles()).map(|_| None).collect(),
        },
        required_orders: Vec::new(),
        fold_plans: HashMap::new(),
        shortcuts: Shortcuts::new(order),
    };
    for (i, action) in schedule.actions.iter().enumerate() {
        let known = run.required_orders.len();
        match action.kind.effect() {
            Effect::Nothing => {}
            Effect::Lines(lines) => run.lines(i, &lines),
            Effect::Stream(chain) => run.stream(i, chain),
            Effect::NetworkFold(fold) => run.network_fold(i, &fold),
            Effect::LocalFold(r) => run.local_fold(i, r),
            Effect::Kernel(kernel) => run.kernel(i, kernel),
        }
        run.keep_open_required_orders(known);
    }
    let questions: Vec<_> = run
        .required_orders
        .iter()
        .map(|d| (d.first.end, d.second.begin))
        .collect();
    match order.first_unordered(&questions) {
        Some(question) => Err(race(network, schedule, &run.required_orders[question])),
        None => Ok(run.memories),
    }
}

pub(crate) struct Execution<'a> {
    pub(crate) network: &'a Network,
    pub(crate) order: &'a Order,
    memories: CheckedMemories,
    required_orders: Vec<RequiredOrder>,
    fold_plans: HashMap<(MultiAddress, TileRef, FoldOrder), Vec<MemoryStep>>,
    shortcuts: Shortcuts,
}

/// Fold order as a program for a stack.
enum MemoryStep {
    /// Push the contribution with this index.
    Push(usize),
    /// Replace the topmost values by their fold.
    Fold(usize),
}

impl Execution<'_> {
    pub(crate) fn access(&self, action: usize, position: usize) -> Access {
        Access {
            begin: self.order.enter(action, position),
            end: self.order.finish(action, position),
            action: action as u32,
        }
    }

    pub(crate) fn read(
        &mut self,
        tile: TileId,
        start: u64,
        bytes: u64,
        access: Access,
    ) -> Vec<Chunk> {
        let content = self.memories.content(self.network, tile);
        content.read(start, bytes, access, &mut self.required_orders)
    }

    pub(crate) fn write(&mut self, tile: TileId, start: u64, chunks: &[Chunk], access: Access) {
        let content = self.memories.content(self.network, tile);
        content.write(start, chunks, access, &mut self.required_orders);
    }

    /// Of the orders that an action requires, those without a short proof.
    fn keep_open_required_orders(&mut self, known: usize) {
        let new = self.required_orders.split_off(known);
        let mut open = self.shortcuts.leave_open(self.order, new);
        self.required_orders.append(&mut open);
    }

    /// Reads from the begin of the reader's share until all bytes have been read, which any end of a share tells. What is
    /// written at a target that takes part is there when that target's share is over.
    fn lines(&mut self, action: usize, lines: &Lines<'_>) {
        let source = self.network.find(lines.source.tile);
        let Some(source) = source.filter(|_| lines.bytes > 0) else {
            return;
        };
        let members = self.order.members(action);
        let position = |tile: TileId| members.binary_search(&tile).ok();
        // Nothing moves where nobody reads; the form has been checked before.
        let Some(reader) = self.network.find(lines.reader).and_then(position) else {
            return;
        };
        let access = self.access(action, reader);
        let reading = Access {
            end: self.order.read(action, reader),
            ..access
        };
        let written = |tile: TileId| match position(tile) {
            // Nothing comes before the source and the target have both begun.
            Some(own) if lines.is_asked_for => Access {
                begin: self.order.finish(action, own),
                ..self.access(action, own)
            },
            Some(own) => Access {
                end: self.order.finish(action, own),
                ..access
            },
            None => access,
        };
        let tiles = lines.targets.tiles(self.network).into_iter();
        let targets: Vec<(TileId, Access)> = tiles.map(|tile| (tile, written(tile))).collect();
        for row in 0..u64::from(lines.rows) {
            let from = lines.source.offset + row * lines.source_stride;
            let chunks = self.read(source, from, lines.bytes, reading);
            let to = lines.offset + row * lines.destination_stride;
            for (tile, written) in &targets {
                self.write(*tile, to, &chunks, *written);
            }
        }
    }

    fn kernel(&mut self, action: usize, kernel: &Kernel) {
        for position in 0..self.order.members(action).len() {
            let tile = self.order.members(action)[position];
            let access = self.access(action, position);
            for read in kernel.operation.reads().iter().filter(|r| r.bytes > 0) {
                self.read(tile, read.offset, read.bytes, access);
            }
            let write = kernel.operation.write();
            let result = Expression::Computed(action as u32, tile);
            let value = Value {
                expression: self.memories.expressions.intern(result),
                shift: 0,
            };
            let chunk = Chunk {
                offset: 0,
                bytes: write.bytes,
                value,
            };
            if write.bytes > 0 {
                self.write(tile, write.offset, &[chunk], access);
            }
        }
    }

    fn local_fold(&mut self, action: usize, r: &LocalReduce) {
        let Some(tile) = self.network.find(r.tile).filter(|_| r.bytes > 0) else {
            return;
        };
        let access = self.access(action, 0);
        let operands: Vec<_> = r
            .inputs
            .iter()
            .map(|i| self.read(tile, *i, r.bytes, access))
            .collect();
        let expressions = &mut self.memories.expressions;
        let chunks = fold_chunks(&operands, r.element, |extent| match extent {
            Some(values) => expressions.fold(r.operator, r.element, values),
            None => Some(expressions.torn(action)),
        });
        self.write(tile, r.output, &chunks, access);
    }

    /// The first result leaves when all have entered. Where members get it too, it is there when their share is over.
    fn network_fold(&mut self, action: usize, fold: &NetworkFold<'_>) {
        let r = fold.reduction;
        let root = self.network.find(r.root.tile);
        let Some(root) = root.filter(|_| r.bytes > 0) else {
            return;
        };
        let chunks = self.sum(action, r);
        let reduced = self.order.reduced(action);
        let written = |end| Access {
            begin: reduced,
            end,
            action: action as u32,
        };
        if !fold.is_shared {
            self.write(root, r.root.offset, &chunks, written(reduced));
            return;
        }
        for position in 0..self.order.members(action).len() {
            let tile = self.order.members(action)[position];
            let end = self.order.finish(action, position);
            self.write(tile, r.root.offset, &chunks, written(end));
        }
    }

    /// Reads all contributions; what they fold to.
    fn sum(&mut self, action: usize, r: &InNetworkReduction) -> Vec<Chunk> {
        let members = self.order.members(action).to_vec();
        let operands: Vec<_> = members
            .iter()
            .enumerate()
            .map(|(p, tile)| {
                let access = Access {
                    end: self.order.reduced(action),
                    ..self.access(action, p)
                };
                self.read(*tile, r.source_offset, r.bytes, access)
            })
            .collect();
        let network = self.network;
        let order = (r.group, r.root.tile, r.fold_order(network));
        let plan = self.fold_plans.entry(order).or_insert_with(|| {
            let mut plan = Vec::new();
            if let Some(tree) = fold_tree(network, r) {
                push_steps(network, &members, &tree, &mut plan);
            }
            plan
        });
        let expressions = &mut self.memories.expressions;
        fold_chunks(&operands, r.element, |extent| match extent {
            Some(values) => run_plan(expressions, plan, r, values),
            None => Some(expressions.torn(action)),
        })
    }
}

fn push_steps(network: &Network, members: &[TileId], tree: &FoldTree, plan: &mut Vec<MemoryStep>) {
    match tree {
        FoldTree::Member(at) => {
            let tile = network.tile_at(network.mesh_coord(*at));
            plan.extend(members.binary_search(&tile).ok().map(MemoryStep::Push));
        }
        FoldTree::Fold(operands) => {
            for operand in operands {
                push_steps(network, members, operand, plan);
            }
            plan.push(MemoryStep::Fold(operands.len()));
        }
    }
}

fn run_plan(
    expressions: &mut Expressions,
    plan: &[MemoryStep],
    r: &InNetworkReduction,
    values: &[Value],
) -> Option<Value> {
    let mut stack: Vec<Value> = Vec::new();
    for step in plan {
        match step {
            MemoryStep::Push(member) => stack.push(values[*member]),
            MemoryStep::Fold(operands) => {
                let from = stack.len().checked_sub(*operands)?;
                let reduced = expressions.fold(r.operator, r.element, &stack[from..])?;
                stack.truncate(from);
                stack.push(reduced);
            }
        }
    }
    stack.pop()
}

/// Cuts all operands at each other's boundaries and reduces extent by extent.
///
/// `fold` gets one value per operand, or none for an element that a boundary tears.
fn fold_chunks(
    operands: &[Vec<Chunk>],
    element: ElementType,
    mut fold: impl FnMut(Option<&[Value]>) -> Option<Value>,
) -> Vec<Chunk> {
    let width = element.bytes();
    let mut cuts: Vec<u64> = operands.iter().flatten().map(|p| p.offset).collect();
    let ends = operands.iter().flatten().map(|p| p.offset + p.bytes);
    let end = max_or_zero(ends);
    cuts.sort_unstable();
    cuts.dedup();
    let torn: Vec<u64> = cuts
        .iter()
        .filter(|c| *c % width != 0)
        .map(|c| c - c % width)
        .collect();
    cuts.retain(|c| c % width == 0);
    cuts.extend(torn.iter().flat_map(|start| [*start, start + width]));
    cuts.push(end);
    cuts.sort_unstable();
    cuts.dedup();
    let mut at = vec![0; operands.len()];
    let mut chunks = Vec::new();
    for range in cuts.windows(2) {
        let [offset, next] = *range else { continue };
        let values: Vec<Value> = operands
            .iter()
            .zip(&mut at)
            .filter_map(|(operand, at)| {
                while operand
                    .get(*at)
                    .is_some_and(|p| p.offset + p.bytes <= offset)
                {
                    *at += 1;
                }
                operand.get(*at).map(|p| p.value)
            })
            .collect();
        let is_torn = torn.binary_search(&offset).is_ok();
        let value = fold((!is_torn).then_some(values.as_slice()));
        chunks.extend(value.map(|value| Chunk {
            offset,
            bytes: next - offset,
            value,
        }));
    }
    chunks
}

fn race(network: &Network, schedule: &Schedule, required_order: &RequiredOrder) -> CheckError {
    let verb = |writes: bool| if writes { "writes" } else { "reads" };
    CheckError::Race(Box::new(Race {
        first: schedule.action_name(required_order.first.action as usize),
        first_access: verb(required_order.first_writes),
        second: schedule.action_name(required_order.second.action as usize),
        second_access: verb(required_order.second_writes),
        tile: network.tile_ref(required_order.tile).to_string(),
        start: required_order.start,
        end: required_order.end,
    }))
}
