// SPDX-License-Identifier: Apache-2.0
//! Outputs in words: what is asked for, what was found, in which order it was reduced.

use super::content::Piece;
use super::expression::{Expression, ExpressionId, Expressions};
use super::post::Post;
use crate::{CollectiveKind, Operand, Origin};
use noccl_net::TileId;
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

    pub(super) fn found(&self, expressions: &Expressions, piece: Piece) -> String {
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
