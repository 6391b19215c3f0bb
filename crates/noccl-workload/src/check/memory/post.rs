// SPDX-License-Identifier: Apache-2.0
//! Does the schedule achieve what its collective promises?

use crate::check::memory::content::Piece;
use crate::check::memory::execute::Memories;
use crate::check::memory::expression::{Expression, ExpressionId, Expressions, Value};
use crate::check::order::{LANES, Order};
use crate::check::{CheckError, WrongOutput};
use crate::{Collective, CollectiveKind};
use noccl_net::{Network, TileId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The group in rank order and its root.
struct Group<'a> {
    network: &'a Network,
    collective: &'a Collective,
    members: Vec<TileId>,
    root: TileId,
}

/// Proves the postcondition; returns the distinct fold orders found in the outputs, in words.
pub(crate) fn check_postcondition(
    network: &Network,
    collective: &Collective,
    order: &mut Order,
    memories: &mut Memories,
) -> Result<Vec<String>, CheckError> {
    // The form was checked: the members and the root exist.
    let members = network.members(&collective.group).unwrap_or_default();
    let members = members
        .iter()
        .map(|c| network.tile_at(network.mesh_coord(*c)))
        .collect();
    let Some(root) = network.find(collective.root) else {
        return Ok(Vec::new());
    };
    let group = Group {
        network,
        collective,
        members,
        root,
    };
    match collective.kind {
        CollectiveKind::Barrier => group.check_barrier(order).map(|()| Vec::new()),
        CollectiveKind::Multicast | CollectiveKind::AllGather | CollectiveKind::AllToAll => {
            group.check_copies(memories).map(|()| Vec::new())
        }
        CollectiveKind::Reduce => group.check_fold_orders(memories, &[root]),
        CollectiveKind::AllReduce | CollectiveKind::ReduceScatter => {
            group.check_fold_orders(memories, &group.members)
        }
    }
}

impl Group<'_> {
    fn rank(&self, tile: TileId) -> String {
        let rank = self.members.binary_search(&tile);
        rank.map_or_else(|_| "root".to_owned(), |r| r.to_string())
    }

    fn name(&self, tile: TileId) -> String {
        self.network.tile_ref(tile).to_string()
    }

    fn check_barrier(&self, order: &mut Order) -> Result<(), CheckError> {
        let leaves = order.add_leaves(self.network.num_tiles());
        let is_gate = |hub| {
            let is_after = order.reached_from(hub);
            self.members.iter().all(|l| is_after(leaves + l.0))
        };
        // A million members make 10^12 pairs, yet one hub between all of them says the same.
        if order.hubs_of_all(&self.members).any(is_gate) {
            return Ok(());
        }
        for enterers in self.members.chunks(LANES) {
            let pairs = || {
                let leavers = |e: TileId| self.members.iter().map(move |l| (e, *l));
                enterers.iter().flat_map(move |e| leavers(*e))
            };
            let questions: Vec<_> = pairs().map(|(e, l)| (e.0, leaves + l.0)).collect();
            let leak = order.first_unordered(&questions);
            if let Some((enterer, leaver)) = leak.and_then(|q| pairs().nth(q)) {
                return Err(CheckError::BarrierLeak {
                    leaver: format!("rank {} ({})", self.rank(leaver), self.name(leaver)),
                    enterer: format!("rank {} ({})", self.rank(enterer), self.name(enterer)),
                });
            }
        }
        Ok(())
    }

    /// What a member's output consists of: whose input from which offset, one after the other.
    fn sources(&self, rank: usize) -> Vec<(TileId, u64)> {
        let collective = self.collective;
        let input = collective.input_offset;
        let all = |offset: u64| self.members.iter().map(|m| (*m, offset)).collect();
        match collective.kind {
            CollectiveKind::Multicast => vec![(self.root, input)],
            CollectiveKind::AllGather => all(input),
            CollectiveKind::AllToAll => all(input + rank as u64 * collective.bytes),
            CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::Barrier => Vec::new(),
        }
    }

    fn check_copies(&self, memories: &mut Memories) -> Result<(), CheckError> {
        let bytes = self.collective.bytes;
        for (rank, tile) in self.members.iter().enumerate() {
            for (block, (source, input)) in self.sources(rank).into_iter().enumerate() {
                let at = self.collective.output_offset + block as u64 * bytes;
                let length = self.collective.block_bytes(block, rank);
                for piece in memories.look(self.network, *tile, at, length) {
                    let expression = memories.expressions.get(piece.value.expression);
                    let is_input = *expression == Expression::Initial(source)
                        && piece.value.shift == i128::from(input);
                    if !is_input {
                        let start = input + piece.offset;
                        let expected = format!(
                            "bytes {start}..{} of the input of {}",
                            start + piece.bytes,
                            self.name(source)
                        );
                        let found = self.found(&memories.expressions, piece);
                        return Err(self.wrong(*tile, at, piece, expected, found));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_fold_orders(
        &self,
        memories: &mut Memories,
        tiles: &[TileId],
    ) -> Result<Vec<String>, CheckError> {
        let collective = self.collective;
        let mut known: BTreeMap<(ExpressionId, i128), Option<String>> = BTreeMap::new();
        for (rank, tile) in tiles.iter().enumerate() {
            let is_scattered = collective.kind == CollectiveKind::ReduceScatter;
            let block = if is_scattered { rank as u64 } else { 0 };
            let input = collective.input_offset + block * collective.bytes;
            let pieces = memories.look(
                self.network,
                *tile,
                collective.output_offset,
                collective.bytes,
            );
            for piece in pieces {
                // The fold is judged as if the block began where the input does.
                let value = Value {
                    shift: piece.value.shift - i128::from(input),
                    ..piece.value
                };
                let expressions = &memories.expressions;
                let problem = known
                    .entry((value.expression, value.shift))
                    .or_insert_with(|| self.fold_problem(expressions, value, input));
                if let Some(found) = problem {
                    let expected = format!(
                        "the {} of {} over {}the inputs of all {} ranks, each once",
                        collective.operator,
                        collective.element,
                        if is_scattered {
                            format!("block {block} of ")
                        } else {
                            String::new()
                        },
                        self.members.len()
                    );
                    let found = found.clone();
                    let at = collective.output_offset;
                    return Err(self.wrong(*tile, at, piece, expected, found));
                }
            }
        }
        let fold_orders = known.keys().map(|(expression, _)| *expression);
        Ok(fold_orders
            .map(|e| self.render(&memories.expressions, e))
            .collect())
    }

    /// A piece of what `tile` holds from `at` is wrong.
    fn wrong(
        &self,
        tile: TileId,
        at: u64,
        piece: Piece,
        expected: String,
        found: String,
    ) -> CheckError {
        let start = at + piece.offset;
        CheckError::Postcondition(Box::new(WrongOutput {
            rank: self.rank(tile),
            tile: self.name(tile),
            start,
            end: start + piece.bytes,
            expected,
            found,
        }))
    }

    fn found(&self, expressions: &Expressions, piece: Piece) -> String {
        match expressions.get(piece.value.expression) {
            Expression::Initial(tile) => {
                let start = i128::from(piece.offset) + piece.value.shift;
                let end = start + i128::from(piece.bytes);
                format!("initial bytes {start}..{end} of {}", self.name(*tile))
            }
            Expression::Fold {
                operator, element, ..
            } => {
                format!("a {operator} of {element}")
            }
            Expression::Computed(action, tile) => {
                format!("what actions[{action}] computes at {}", self.name(*tile))
            }
            Expression::Torn(action) => {
                format!("an element that actions[{action}] reduces from pieces of different origin")
            }
        }
    }

    /// Why a value is not the fold of all members' inputs, each once; none if it is. Shifts count from
    /// `input`, where the part of the inputs begins that it should be made of.
    fn fold_problem(&self, expressions: &Expressions, value: Value, input: u64) -> Option<String> {
        let collective = self.collective;
        let mut seen = vec![false; self.members.len()];
        let mut open = vec![value];
        // Ends: every leaf marks another rank, or the walk is over.
        while let Some(value) = open.pop() {
            match expressions.get(value.expression) {
                Expression::Torn(_) | Expression::Computed(..) => {
                    let piece = Piece {
                        offset: 0,
                        bytes: 1,
                        value,
                    };
                    return Some(self.found(expressions, piece));
                }
                Expression::Initial(tile) => {
                    let Ok(rank) = self.members.binary_search(tile) else {
                        return Some(format!("memory of {}, no member", self.name(*tile)));
                    };
                    if value.shift != 0 {
                        return Some(format!(
                            "memory of rank {rank} ({}) from offset {} instead of its input",
                            self.name(*tile),
                            value.shift + i128::from(input)
                        ));
                    }
                    if std::mem::replace(&mut seen[rank], true) {
                        return Some(format!(
                            "the input of rank {rank} ({}) twice",
                            self.name(*tile)
                        ));
                    }
                }
                Expression::Fold {
                    operator,
                    element,
                    phase,
                    operands,
                } => {
                    let width = i128::from(element.bytes());
                    if (*operator, *element) != (collective.operator, collective.element) {
                        return Some(format!("a part reduced by {operator} of {element}"));
                    }
                    if value.shift.rem_euclid(width) != i128::from(*phase) {
                        return Some(format!("a fold that cuts elements of {element} in two"));
                    }
                    open.extend(operands.iter().map(|o| Value {
                        expression: o.expression,
                        shift: o.shift + value.shift,
                    }));
                }
            }
        }
        let missing = seen.iter().position(|s| !s)?;
        Some(format!(
            "no input of rank {missing} ({})",
            self.name(self.members[missing])
        ))
    }

    /// The fold in words: ranks; `[a, b, c]` is reduced from the left.
    fn render(&self, expressions: &Expressions, root: ExpressionId) -> String {
        enum Part {
            Text(&'static str),
            Expression(ExpressionId),
        }
        let mut text = String::new();
        let mut open = vec![Part::Expression(root)];
        while let Some(part) = open.pop() {
            match part {
                Part::Text(t) => text.push_str(t),
                Part::Expression(id) => match expressions.get(id) {
                    Expression::Initial(tile) => text.push_str(&self.rank(*tile)),
                    Expression::Torn(action) => drop(write!(text, "torn by {action}")),
                    Expression::Computed(action, _) => drop(write!(text, "computed by {action}")),
                    Expression::Fold { operands, .. } => {
                        open.push(Part::Text("]"));
                        for (i, operand) in operands.iter().enumerate().rev() {
                            open.push(Part::Expression(operand.expression));
                            open.push(Part::Text(if i == 0 { "[" } else { ", " }));
                        }
                    }
                },
            }
        }
        text
    }
}
