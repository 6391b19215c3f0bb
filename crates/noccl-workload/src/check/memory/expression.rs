// SPDX-License-Identifier: Apache-2.0
//! What a range of bytes holds, as an expression over the initial memories.
//!
//! Equal expressions have equal ids. An expression describes a whole range at once: it is a function
//! of a position; the byte that a tile holds at address `a` is its value's expression at position
//! `a + shift`. So a payload that moves from tile to tile keeps its expression, whatever its length,
//! and all chunks of a collective share their expressions.

use crate::{ElementType, Operator};
use noccl_net::TileId;
use std::collections::HashMap;

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
    /// One element put together from pieces of different origin, by this action.
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
