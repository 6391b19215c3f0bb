// SPDX-License-Identifier: Apache-2.0
//! The schedule of a collective as ranks carry it out: made once for a place in memory, submitted each time the collective is called.

use crate::notice::{is_unnoticed, noticed, reads_early};
use noccl_coll::{Choice, CollError, schedule};
use noccl_net::counts::max_or_zero;
use noccl_net::{Network, TileId};
use noccl_workload::{
    AccessPattern, Action, ActionId, Collective, CollectiveKind, Effect, Kernel, Operator,
    participants,
};
use std::collections::BTreeMap;

/// A schedule, and who takes part in what.
#[derive(Debug)]
pub(crate) struct Template {
    /// Numbers in `after` count from the schedule's first action.
    pub(crate) actions: Vec<Action>,
    /// Actions in which each tile takes part, ascending.
    pub(crate) of_tile: BTreeMap<TileId, Vec<u32>>,
    pub(crate) input_offset: u64,
    pub(crate) output_offset: u64,
    /// End of what it touches in any memory.
    pub(crate) end: u64,
}

/// What makes a template.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe<'a> {
    pub(crate) network: &'a Network,
    /// Offsets count from the template's first byte.
    pub(crate) collective: &'a Collective,
    pub(crate) choice: Choice,
    /// Algorithm of a barrier of the same group.
    pub(crate) barrier: Choice,
}

impl Recipe<'_> {
    /// The template from this byte of every memory on.
    ///
    /// # Errors
    /// [`CollError`] if the algorithm cannot do it.
    pub(crate) fn make(&self, first_byte: u64) -> Result<Template, CollError> {
        let align = self.network.beat_bytes().max(8);
        let ranks = self.network.members(&self.collective.group)?.len() as u64;
        let input_offset = first_byte;
        let output_offset =
            (first_byte + self.collective.input_bytes(ranks)).next_multiple_of(align);
        let placed = Collective {
            input_offset,
            output_offset,
            ..self.collective.clone()
        };
        let made = schedule(self.network, &placed, self.choice)?;
        let output_end = output_offset + self.collective.output_bytes(ranks);
        let actions = self.with_barriers(made.actions, output_end)?;
        let ends = actions.iter().map(|action| end_of(&action.kind.effect()));
        let end = max_or_zero(ends).max(output_end).max(first_byte);
        let mut of_tile: BTreeMap<TileId, Vec<u32>> = BTreeMap::new();
        for (number, action) in actions.iter().enumerate() {
            for tile in participants(self.network, &action.kind) {
                of_tile.entry(tile).or_default().push(number as u32);
            }
        }
        Ok(Template {
            actions,
            of_tile,
            input_offset,
            output_offset,
            end,
        })
    }

    /// The actions with flags, and with barriers where flags do not do.
    /// `free`: no input or output lies at this byte or above.
    fn with_barriers(&self, actions: Vec<Action>, free: u64) -> Result<Vec<Action>, CollError> {
        let network = self.network;
        let flagged = actions.into_iter().map(|action| Action {
            kind: noticed(network, action.kind),
            ..action
        });
        let mut actions: Vec<Action> = flagged.collect();
        // Flags of barriers lie above everything else.
        let ends = actions.iter().map(|a| end_of(&a.kind.effect()));
        let free = max_or_zero(ends).max(free);
        if reads_early(network, &actions) {
            actions = behind(&self.barrier_actions(free)?, &actions);
        }
        let unnoticed = actions.iter();
        let mut unnoticed = unnoticed.map(|action| is_unnoticed(network, &action.kind));
        if unnoticed.any(|is_unnoticed| is_unnoticed) {
            actions = behind(&actions, &self.barrier_actions(free)?);
        }
        Ok(actions)
    }

    fn barrier_actions(&self, free: u64) -> Result<Vec<Action>, CollError> {
        let barrier = Collective {
            input_offset: free,
            output_offset: free,
            kind: CollectiveKind::Barrier,
            bytes: 0,
            operator: Operator::Sum,
            lengths: None,
            definition: None,
            ..self.collective.clone()
        };
        Ok(schedule(self.network, &barrier, self.barrier)?.actions)
    }
}

/// One list of actions, and another one that begins at a tile when that has done with the first.
fn behind(first: &[Action], then: &[Action]) -> Vec<Action> {
    let count = first.len() as u32;
    let shifted = then.iter().map(|action| {
        let earlier = (0..count).map(ActionId);
        let own = action.after.iter().map(|before| ActionId(before.0 + count));
        Action {
            kind: action.kind.clone(),
            after: earlier.chain(own).collect(),
        }
    });
    first.iter().cloned().chain(shifted).collect()
}

/// End of the bytes that an action touches, in any memory.
fn end_of(effect: &Effect<'_>) -> u64 {
    match effect {
        Effect::Nothing => 0,
        Effect::Lines(lines) => {
            let last = u64::from(lines.rows).saturating_sub(1);
            let read = lines.source.offset + last * lines.source_stride + lines.bytes;
            let written = lines.offset + last * lines.destination_stride + lines.bytes;
            read.max(written)
        }
        Effect::Stream(chain) => {
            let written = chain.destinations.iter().map(|to| &to.pattern);
            let extents = written
                .chain([&chain.source])
                .flat_map(AccessPattern::extents);
            max_or_zero(extents.map(|(from, bytes)| from + bytes))
        }
        Effect::NetworkFold(fold) => {
            let reduction = fold.reduction;
            reduction.source_offset.max(reduction.root.offset) + reduction.bytes
        }
        Effect::LocalFold(fold) => {
            let read = max_or_zero(fold.inputs.iter().copied());
            read.max(fold.output) + fold.bytes
        }
        Effect::Kernel(kernel) => end_of_kernel(kernel),
    }
}

fn end_of_kernel(kernel: &Kernel) -> u64 {
    let reads = kernel.operation.reads().into_iter();
    let all = reads.chain([kernel.operation.write()]);
    let ends = all.map(|extent| extent.offset + extent.bytes);
    max_or_zero(ends)
}
