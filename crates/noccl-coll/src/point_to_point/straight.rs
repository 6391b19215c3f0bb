// SPDX-License-Identifier: Apache-2.0
//! Any collective straight from what it asks for: copies go from who has them to who wants them, a reduction is made at one of those that want
//! it and passed on.
//!
//! What would overwrite an input of its destination comes to scratch first, and to its place when nobody needs that input any more.

use super::dataflow::Dataflow;
use crate::layout::Layout;
use crate::task::Task;
use crate::{CollError, LineForm, PointForm};
use noccl_net::counts::{count_so_far, max_or_zero};
use noccl_net::{Coord, TileId, TileRef};
use noccl_workload::{Operand, Output, Place, Postcondition};
use std::collections::{BTreeMap, HashMap};

/// Bytes that move from one tile to another, or within one.
#[derive(Debug, Clone, Copy)]
struct Move {
    from: TileId,
    source: u64,
    to: TileId,
    destination: u64,
    bytes: u64,
}

/// A schedule in the making.
struct Straight<'a> {
    task: &'a Task<'a>,
    /// By tile: its input's first byte, and the byte behind it.
    inputs: HashMap<TileId, (u64, u64)>,
    /// Where staged outputs lie, as many bytes behind it as the output's offset is behind the first output.
    stage: Option<u64>,
    /// Bytes made by each tile, so that none makes all reductions.
    made: BTreeMap<TileId, u64>,
    /// First byte of each tile's unused scratch.
    free: HashMap<TileId, u64>,
    /// What stands in scratch and belongs to an output.
    staged: Vec<Move>,
}

/// A custom collective.
pub(super) fn custom(
    task: &Task<'_>,
    flow: &mut Dataflow<'_>,
    layout: &mut Layout,
) -> Result<(), CollError> {
    if task.choice.point != PointForm::Lines(LineForm::Direct, LineForm::Direct) {
        return Err(task.unsupported(
            "what it asks for goes straight; accepted: point_to_point, point_to_point:direct",
        ));
    }
    by_copies(task, flow, layout)
}

/// Copies and reductions of the postcondition.
pub(super) fn by_copies(
    task: &Task<'_>,
    flow: &mut Dataflow<'_>,
    layout: &mut Layout,
) -> Result<(), CollError> {
    let wanted = Postcondition::new(&task.network, task.collective);
    let mut straight = Straight::new(task, &wanted, layout);
    let mut takers: Vec<Vec<Output>> = vec![Vec::new(); wanted.values.len()];
    for output in &wanted.outputs {
        takers[output.value].push(*output);
    }
    let mut moves = Vec::new();
    let mut sums = Vec::new();
    for (operands, takers) in wanted.values.iter().zip(takers) {
        match operands.as_slice() {
            [only] => {
                let copies = takers.iter().map(|t| straight.copy(*only, *t));
                moves.extend(copies);
            }
            several => sums.push((several, takers)),
        }
    }
    // All that reads inputs stands before all that may overwrite them.
    let made: Vec<MadeReduction> = sums
        .into_iter()
        .filter_map(|(operands, takers)| straight.bring(operands, &takers, &mut moves))
        .collect();
    straight.emit(moves, flow);
    let mut results = Vec::new();
    for one in made {
        straight.make(&one, flow);
        results.extend(one.passed);
    }
    straight.emit(results, flow);
    let staged = std::mem::take(&mut straight.staged);
    straight.emit(staged, flow);
    let start = layout.alloc(0);
    let used = straight.free.values().max().copied().unwrap_or(start);
    layout.alloc(used.saturating_sub(start));
    Ok(())
}

/// A reduction with its operands at its maker.
struct MadeReduction {
    maker: TileId,
    operands: Vec<u64>,
    result: u64,
    bytes: u64,
    /// From its maker to the others that want it.
    passed: Vec<Move>,
}

impl<'a> Straight<'a> {
    fn new(task: &'a Task<'a>, wanted: &Postcondition, layout: &mut Layout) -> Self {
        let bytes = task.collective.bytes;
        let mut inputs: HashMap<TileId, (u64, u64)> = HashMap::new();
        for operand in wanted.values.iter().flatten() {
            let end = operand.offset + bytes;
            let known = inputs.entry(operand.tile).or_insert((operand.offset, end));
            *known = (known.0.min(operand.offset), known.1.max(end));
        }
        let mut straight = Self {
            task,
            inputs,
            stage: None,
            made: BTreeMap::new(),
            free: HashMap::new(),
            staged: Vec::new(),
        };
        if wanted.outputs.iter().any(|o| straight.is_over_input(o)) {
            let ends = wanted.outputs.iter().map(|o| o.offset + o.bytes);
            let end = max_or_zero(ends);
            let all = end.saturating_sub(task.collective.output_offset);
            straight.stage = Some(layout.alloc(all));
        }
        let start = layout.alloc(0);
        let tiles = wanted.outputs.iter().map(|o| (o.tile, start));
        straight.free.extend(tiles);
        straight
    }

    /// Would it overwrite an input of its tile?
    fn is_over_input(&self, output: &Output) -> bool {
        let input = self.inputs.get(&output.tile);
        input.is_some_and(|(start, end)| {
            output.offset < *end && output.offset + output.bytes > *start
        })
    }

    /// Where an output is written first.
    fn place(&mut self, output: Output) -> u64 {
        let Some(stage) = self.stage.filter(|_| self.is_over_input(&output)) else {
            return output.offset;
        };
        let place = stage + (output.offset - self.task.collective.output_offset);
        self.staged.push(Move {
            from: output.tile,
            source: place,
            to: output.tile,
            destination: output.offset,
            bytes: output.bytes,
        });
        place
    }

    fn copy(&mut self, operand: Operand, output: Output) -> Move {
        let is_there = (operand.tile, operand.offset) == (output.tile, output.offset);
        Move {
            from: operand.tile,
            source: operand.offset,
            to: output.tile,
            destination: if is_there {
                output.offset
            } else {
                self.place(output)
            },
            bytes: output.bytes,
        }
    }

    /// Brings the operands of a reduction together where it is wanted, at the tile that has made least, one with an operand if there is any.
    fn bring(
        &mut self,
        operands: &[Operand],
        takers: &[Output],
        moves: &mut Vec<Move>,
    ) -> Option<MadeReduction> {
        let first = *takers.first()?;
        let has_operand = |tile: TileId| operands.iter().any(|o| o.tile == tile);
        let load = |o: &&Output| {
            let made = count_so_far(self.made.get(&o.tile));
            (!has_operand(o.tile), made, o.tile, o.offset)
        };
        let chosen = takers.iter().min_by_key(load).copied().unwrap_or(first);
        let (maker, bytes) = (chosen.tile, chosen.bytes);
        *self.made.entry(maker).or_insert(0) += bytes;
        let mut offsets = Vec::new();
        for operand in operands {
            if operand.tile == maker {
                offsets.push(operand.offset);
                continue;
            }
            let slot = self.slot(maker, bytes);
            offsets.push(slot);
            moves.push(Move {
                from: operand.tile,
                source: operand.offset,
                to: maker,
                destination: slot,
                bytes,
            });
        }
        let result = self.place(chosen);
        let others = takers.iter().filter(|o| **o != chosen);
        let passed = others.map(|other| Move {
            from: maker,
            source: result,
            to: other.tile,
            destination: self.place(*other),
            bytes,
        });
        Some(MadeReduction {
            maker,
            passed: passed.collect(),
            operands: offsets,
            result,
            bytes,
        })
    }

    fn make(&self, one: &MadeReduction, flow: &mut Dataflow<'_>) {
        if let Some(member) = self.member(one.maker) {
            flow.fold(member, one.operands.clone(), one.result, one.bytes);
        }
    }

    /// Moves in an order in which nobody is everybody's next destination, those that lie side by side together.
    fn emit(&self, mut moves: Vec<Move>, flow: &mut Dataflow<'_>) {
        let num = self.task.network.num_tiles();
        let key = |m: &Move| {
            let step = (m.to.idx() + num - m.from.idx()) % num;
            (step, m.from, m.to, m.source, m.destination)
        };
        moves.sort_unstable_by_key(key);
        let mut open: Option<Move> = None;
        for next in moves {
            match &mut open {
                Some(last) if last.is_followed_by(&next) => last.bytes += next.bytes,
                Some(_) | None => {
                    if let Some(done) = open.replace(next) {
                        self.send(done, flow);
                    }
                }
            }
        }
        if let Some(done) = open {
            self.send(done, flow);
        }
    }

    fn send(&self, one: Move, flow: &mut Dataflow<'_>) {
        let place = |tile: TileId, offset: u64| Place {
            tile: self.task.network.tile_ref(tile),
            offset,
        };
        match (self.member(one.from), self.member(one.to)) {
            (Some(from), Some(to)) => flow.send(from, one.source, to, one.destination, one.bytes),
            (None, Some(to)) => {
                flow.pull(to, place(one.from, one.source), one.destination, one.bytes);
            }
            (Some(from), None) => {
                flow.put(from, one.source, place(one.to, one.destination), one.bytes);
            }
            (None, None) => {}
        }
    }

    /// A tile that takes part.
    fn member(&self, tile: TileId) -> Option<Coord> {
        match self.task.network.tile_ref(tile) {
            TileRef::Cluster(at) if self.task.group.set.contains(&at) => Some(at),
            TileRef::Cluster(_) | TileRef::Memory(_) => None,
        }
    }

    /// Scratch of a tile, used once.
    fn slot(&mut self, tile: TileId, bytes: u64) -> u64 {
        let beat_bytes = self.task.network.beat_bytes();
        let free = self.free.entry(tile).or_insert(0);
        let slot = *free;
        *free += bytes.next_multiple_of(beat_bytes);
        slot
    }
}

impl Move {
    /// Does another one go on where it ends, at both tiles?
    fn is_followed_by(&self, next: &Self) -> bool {
        (self.from, self.to) == (next.from, next.to)
            && self.source + self.bytes == next.source
            && self.destination + self.bytes == next.destination
    }
}
