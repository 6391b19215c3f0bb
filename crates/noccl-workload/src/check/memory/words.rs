// SPDX-License-Identifier: Apache-2.0
//! Outputs in words: what is asked for, what was found, in which order it was reduced.

use super::content::Chunk;
use super::post::Post;
use crate::check::memory::execute::Execution;
use crate::{Chain, CollectiveKind, ElementType, Operand, Operator, Origin};
use noccl_net::TileId;
use std::collections::HashMap;
use std::fmt::Write;

/// Operands of a fold that an error names.
const MAX_NAMED: usize = 4;

impl Post<'_> {
    /// A fold in words, as it is asked for.
    pub(super) fn expected(&self, value: usize) -> String {
        let collective = self.collective;
        let ranks = self.members().len();
        let inputs = match self.asked.origin(value) {
            None => self.chunks(value),
            Some(Origin::UpTo { rank }) => format!("the inputs of ranks 0 to {rank}"),
            Some(Origin::OfAll { block }) if collective.kind.gives_blocks() => {
                format!("block {block} of the inputs of all {ranks} ranks")
            }
            Some(Origin::OfAll { .. } | Origin::OfRoot { .. } | Origin::OfRank { .. }) => {
                format!("the inputs of all {ranks} ranks")
            }
        };
        format!(
            "the {} of {} over {inputs}, each once",
            collective.operator, collective.element
        )
    }

    /// Operands of a value of a custom collective, the first ones of many.
    fn chunks(&self, value: usize) -> String {
        let operands = self.asked.operands(value);
        let words = operands.iter().take(MAX_NAMED);
        let mut words: Vec<String> = words.map(|o| self.operand(*o)).collect();
        if operands.len() > MAX_NAMED {
            words.push(format!("{} more", operands.len() - MAX_NAMED));
        }
        words.join(", ")
    }

    /// An operand in words.
    pub(super) fn operand(&self, operand: Operand) -> String {
        let rank = format!(
            "rank {} ({})",
            self.rank(operand.tile),
            self.name(operand.tile)
        );
        if self.collective.kind == CollectiveKind::Custom {
            let chunk =
                (operand.offset - self.collective.input_offset) / self.collective.bytes.max(1);
            return format!("chunk {chunk} of {rank}");
        }
        format!("input of {rank}")
    }

    pub(super) fn found(&self, expressions: &Expressions, chunk: Chunk) -> String {
        match expressions.get(chunk.value.expression) {
            Expression::Initial(tile) => {
                let start = i128::from(chunk.offset) + chunk.value.shift;
                let end = start + i128::from(chunk.bytes);
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
                format!("an element that actions[{action}] reduces from chunks of different origin")
            }
        }
    }

    /// Initial bytes that are none of the operands.
    pub(super) fn stranger(&self, (tile, shift): (TileId, i128), operands: &[Operand]) -> String {
        let name = self.name(tile);
        if self.members().binary_search(&tile).is_err() {
            return format!("memory of {name}, no member");
        }
        let (rank, input) = (self.rank(tile), i128::from(self.collective.input_offset));
        let is_asked = operands.iter().any(|o| o.tile == tile);
        match is_asked {
            true if self.collective.kind != CollectiveKind::Custom => {
                format!("memory of rank {rank} ({name}) from offset {shift} instead of its input")
            }
            false if shift == input => {
                format!("the input of rank {rank} ({name}), which is not asked for")
            }
            true | false => {
                format!(
                    "memory of rank {rank} ({name}) from offset {shift}, which is not asked for"
                )
            }
        }
    }

    /// The fold in words: ranks; `[a, b, c]` is reduced from the left.
    pub(super) fn render(&self, expressions: &Expressions, root: ExpressionId) -> String {
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

// What a range of bytes holds, as an expression over the initial memories.
//
// Equal expressions have equal ids. An expression describes a whole range at once: it is a function
// of a position; the byte that a tile holds at address `a` is its value's expression at position
// `a + shift`. So a payload that moves from tile to tile keeps its expression, whatever its length,
// and all chunks of a collective share their expressions.

/// An interned expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ExpressionId(u32);

/// An expression whose position is fixed by an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value {
    /// The function of position.
    pub(crate) expression: ExpressionId,
    /// Added to an address (or to an offset within a range) to give the position.
    pub(crate) shift: i128,
}

/// A function from positions to bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Expression {
    /// What the tile's memory held before the first action; position = address.
    Initial(TileId),
    /// Operands reduced from the left, element by element.
    Fold {
        operator: Operator,
        element: ElementType,
        /// Positions of element starts, modulo the element.
        phase: u8,
        /// At least two; the shift is added to the fold's position. The first shift is zero.
        operands: Vec<Value>,
    },
    /// What this kernel computes, by tile.
    Computed(u32, TileId),
    /// One element put together from chunks of different origin, by this action.
    Torn(u32),
}

/// All expressions of a schedule.
#[derive(Default)]
pub(crate) struct Expressions {
    all: Vec<Expression>,
    ids: HashMap<Expression, ExpressionId>,
}

impl Expressions {
    /// An element whose bytes come from different origins in this action.
    pub(crate) fn torn(&mut self, action: usize) -> Value {
        Value {
            expression: self.intern(Expression::Torn(action as u32)),
            shift: 0,
        }
    }

    pub(crate) fn intern(&mut self, expression: Expression) -> ExpressionId {
        if let Some(id) = self.ids.get(&expression) {
            return *id;
        }
        let id = ExpressionId(self.all.len() as u32);
        self.all.push(expression.clone());
        self.ids.insert(expression, id);
        id
    }

    pub(crate) fn get(&self, id: ExpressionId) -> &Expression {
        &self.all[id.0 as usize]
    }

    /// Reduces operands from the left. Elements start where the offset into the range is a multiple of the element.
    pub(crate) fn fold(
        &mut self,
        operator: Operator,
        element: ElementType,
        operands: &[Value],
    ) -> Option<Value> {
        let first = *operands.first()?;
        if operands.len() == 1 {
            return Some(first);
        }
        let expression = self.intern(Expression::Fold {
            operator,
            element,
            phase: first.shift.rem_euclid(i128::from(element.bytes())) as u8,
            operands: operands
                .iter()
                .map(|v| Value {
                    expression: v.expression,
                    shift: v.shift - first.shift,
                })
                .collect(),
        });
        Some(Value {
            expression,
            shift: first.shift,
        })
    }
}

// What a stream leaves in the memories that it passes, each in an order of addresses of its own.

impl Execution<'_> {
    /// Reads at the initiator, writes at every destination; the initiator's share is over when all is there.
    pub(crate) fn stream(&mut self, action: usize, chain: &Chain) {
        let network = self.network;
        let Some(source) = network.find(chain.initiator).filter(|_| chain.bytes > 0) else {
            return;
        };
        let access = self.access(action, 0);
        let mut stream: Vec<Chunk> = Vec::new();
        let mut done = 0;
        for (start, bytes) in chain.source.extents() {
            for chunk in self.read(source, start, bytes, access) {
                append(&mut stream, done, chunk);
            }
            done += bytes;
        }
        let own = chain.own_copy().map(|pattern| (chain.initiator, pattern));
        let others = chain.followers().into_iter().map(|s| (s.tile, &s.pattern));
        for (tile, pattern) in others.chain(own) {
            let Some(tile) = network.find(tile) else {
                continue;
            };
            let (mut at, mut first) = (0, 0);
            for (start, bytes) in pattern.extents() {
                let chunks = cut(&stream, &mut first, at, bytes);
                self.write(tile, start, &chunks, access);
                at += bytes;
            }
        }
    }
}

/// Adds a chunk of a range that begins at `done` of the stream.
fn append(stream: &mut Vec<Chunk>, done: u64, chunk: Chunk) {
    let value = Value {
        shift: chunk.value.shift - i128::from(done),
        ..chunk.value
    };
    match stream.last_mut() {
        Some(last) if last.value == value => last.bytes += chunk.bytes,
        Some(_) | None => stream.push(Chunk {
            offset: done + chunk.offset,
            value,
            ..chunk
        }),
    }
}

/// The chunks of `bytes` of the stream from `at` on; `first` moves to the chunk in which the next ones begin.
fn cut(stream: &[Chunk], first: &mut usize, at: u64, bytes: u64) -> Vec<Chunk> {
    while stream[*first].offset + stream[*first].bytes <= at {
        *first += 1;
    }
    let inside = stream[*first..]
        .iter()
        .take_while(|p| p.offset < at + bytes);
    let chunks = inside.map(|p| {
        let from = p.offset.max(at);
        let end = (p.offset + p.bytes).min(at + bytes);
        Chunk {
            offset: from - at,
            bytes: end - from,
            value: Value {
                shift: p.value.shift + i128::from(at),
                ..p.value
            },
        }
    });
    chunks.collect()
}
