// SPDX-License-Identifier: Apache-2.0
//! The root's own operands of an all-reduce: read where they lie instead of sent through the Local input.

use super::Joins;
use crate::flit::{Flit, FlitKind, pack};
use crate::plane::Context;
use noccl_net::{Coord, Port};

impl Joins {
    /// From now on the unit of router `r` may read the tile's own operands of an all-reduce: value mode, a payload
    /// slot per beat.
    pub(crate) fn give_operands(
        &mut self,
        r: usize,
        here: Coord,
        txn: u32,
        payloads: &[u32],
        context: &Context<'_>,
    ) {
        let beats = context.trees.tree(txn).beats;
        let Some(at) = self.folds.flow_of(r, here, txn, context) else {
            return;
        };
        for beat in 0..beats {
            let operand = Flit {
                txn,
                dst: pack(here),
                payload: payloads.get(usize::from(beat)).copied().unwrap_or(1),
                beat,
                kind: FlitKind::Reduce,
                flags: 0,
            };
            let unit = self.folds.unit(r);
            unit.take(at, Port::Local as usize, operand, context);
        }
        // They stay where they are: the store keeps no room for them.
        self.folds.unit(r).stored -= u32::from(beats);
    }
}
