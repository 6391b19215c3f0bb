// SPDX-License-Identifier: Apache-2.0
//! Does the schedule achieve what its collective promises?

use crate::check::memory::content::Chunk;
use crate::check::memory::execute::CheckedMemories;
use crate::check::memory::words::{Expression, ExpressionId, Expressions, Value};
use crate::check::order::{LANES, Order};
use crate::check::{CheckError, WrongOutput};
use crate::{Asked, Collective, Operand, Output};
use noccl_net::{Network, TileId};
use std::collections::{BTreeMap, BTreeSet};

/// What is proved, with what it is asked for in words.
pub(super) struct Post<'a> {
    pub(super) network: &'a Network,
    pub(super) collective: &'a Collective,
    pub(super) asked: Asked<'a>,
}

/// Judgements of reductions: by expression, shift and the value that they should be.
type Known = BTreeMap<(ExpressionId, i128, usize), Option<String>>;

/// Proves the postcondition; returns the distinct fold orders found in the outputs, in words.
pub(crate) fn check_postcondition(
    network: &Network,
    collective: &Collective,
    order: &mut Order,
    memories: &mut CheckedMemories,
) -> Result<Vec<String>, CheckError> {
    // The form was checked: the members and the root exist.
    let Some(asked) = Asked::new(network, collective) else {
        return Ok(Vec::new());
    };
    let post = Post {
        network,
        collective,
        asked,
    };
    match collective.kind.has_payload() {
        true => post.check_outputs(memories),
        false => post.check_barrier(order).map(|()| Vec::new()),
    }
}

impl Post<'_> {
    /// Members by rank.
    pub(super) fn members(&self) -> &[TileId] {
        self.asked.members()
    }

    pub(super) fn rank(&self, tile: TileId) -> String {
        let rank = self.members().binary_search(&tile);
        rank.map_or_else(|_| "root".to_owned(), |r| r.to_string())
    }

    pub(super) fn name(&self, tile: TileId) -> String {
        self.network.tile_ref(tile).to_string()
    }

    fn check_barrier(&self, order: &mut Order) -> Result<(), CheckError> {
        let leaves = order.add_leaves(self.network.num_tiles());
        let is_gate = |hub| {
            let is_after = order.reached_from(hub);
            self.members().iter().all(|l| is_after(leaves + l.0))
        };
        // A million members make 10^12 pairs, yet one hub between all of them says the same.
        if order.hubs_of_all(self.members()).any(is_gate) {
            return Ok(());
        }
        for enterers in self.members().chunks(LANES) {
            let pairs = || {
                let leavers = |e: TileId| self.members().iter().map(move |l| (e, *l));
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

    fn check_outputs(&self, memories: &mut CheckedMemories) -> Result<Vec<String>, CheckError> {
        let mut known = Known::new();
        let mut orders: BTreeSet<(ExpressionId, i128)> = BTreeSet::new();
        for holder in 0..self.asked.output_holders().len() {
            for output in self.asked.outputs(holder) {
                if self.asked.is_reduction(output.value) {
                    self.check_fold(memories, output, &mut known, &mut orders)?;
                } else {
                    self.check_copy(memories, output)?;
                }
            }
        }
        let orders = orders.into_iter();
        Ok(orders
            .map(|(expression, _)| self.render(&memories.expressions, expression))
            .collect())
    }

    fn check_copy(&self, memories: &mut CheckedMemories, output: Output) -> Result<(), CheckError> {
        for operand in self.asked.operands(output.value) {
            let chunks = memories.look(self.network, output.tile, output.offset, output.bytes);
            for chunk in chunks {
                let expression = memories.expressions.get(chunk.value.expression);
                let is_input = *expression == Expression::Initial(operand.tile)
                    && chunk.value.shift == i128::from(operand.offset);
                if !is_input {
                    let start = operand.offset + chunk.offset;
                    let expected = format!(
                        "bytes {start}..{} of the input of {}",
                        start + chunk.bytes,
                        self.name(operand.tile)
                    );
                    let found = self.found(&memories.expressions, chunk);
                    return Err(self.wrong(output, chunk, expected, found));
                }
            }
        }
        Ok(())
    }

    fn check_fold(
        &self,
        memories: &mut CheckedMemories,
        output: Output,
        known: &mut Known,
        orders: &mut BTreeSet<(ExpressionId, i128)>,
    ) -> Result<(), CheckError> {
        let chunks = memories.look(self.network, output.tile, output.offset, output.bytes);
        for chunk in chunks {
            let value = chunk.value;
            let expressions = &memories.expressions;
            let problem = known
                .entry((value.expression, value.shift, output.value))
                .or_insert_with(|| {
                    let operands = self.asked.operands(output.value);
                    // The same fold of other blocks is no other order.
                    // 0: a value without operands has no offset to compare.
                    let first = operands.first().map_or(0, |o| i128::from(o.offset));
                    orders.insert((value.expression, value.shift - first));
                    self.fold_problem(expressions, value, &operands)
                });
            if let Some(found) = problem {
                let found = found.clone();
                let expected = self.expected(output.value);
                return Err(self.wrong(output, chunk, expected, found));
            }
        }
        Ok(())
    }

    /// A chunk of an output is wrong.
    fn wrong(&self, output: Output, chunk: Chunk, expected: String, found: String) -> CheckError {
        let start = output.offset + chunk.offset;
        CheckError::Postcondition(Box::new(WrongOutput {
            rank: self.rank(output.tile),
            tile: self.name(output.tile),
            start,
            end: start + chunk.bytes,
            expected,
            found,
        }))
    }

    /// Why a value is not the fold of these operands, each once; none if it is. They ascend.
    fn fold_problem(
        &self,
        expressions: &Expressions,
        value: Value,
        operands: &[Operand],
    ) -> Option<String> {
        let collective = self.collective;
        let mut seen = vec![false; operands.len()];
        let mut open = vec![value];
        // Ends: every leaf marks another operand, or the walk is over.
        while let Some(value) = open.pop() {
            match expressions.get(value.expression) {
                Expression::Torn(_) | Expression::Computed(..) => {
                    let chunk = Chunk {
                        offset: 0,
                        bytes: 1,
                        value,
                    };
                    return Some(self.found(expressions, chunk));
                }
                Expression::Initial(tile) => {
                    let leaf = (*tile, value.shift);
                    let place = |o: &Operand| (o.tile, i128::from(o.offset));
                    let Ok(operand) = operands.binary_search_by_key(&leaf, place) else {
                        return Some(self.stranger(leaf, operands));
                    };
                    if std::mem::replace(&mut seen[operand], true) {
                        return Some(format!("the {} twice", self.operand(operands[operand])));
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
        Some(format!("no {}", self.operand(operands[missing])))
    }
}
