// SPDX-License-Identifier: Apache-2.0
//! The published unit of wide reductions: it combines what stands at FIFO heads. What becomes of a finished sum whose output is
//! busy is not modelled: it waits in a queue without an end.

use crate::router::collective::context::Context;
use crate::router::collective::merge::types::{JoinConfig, Offer};
use crate::router::collective::reduction::fold;
use crate::router::collective::reduction::unit::share_fpus;
use crate::transport::flit::{Flit, LAST, RESPONSE, pack};
use noccl_net::Coord;
use noccl_net::tree::join_set;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// A beat: its sum, and the cycle in which that is done once the addition has started.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Beat {
    done: u64,
    adds: u64,
    flit: Flit,
}

/// The arithmetic of one router.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PublishedUnit {
    next_issue: u64,
    /// Beats whose addition has not started, those whose addition has.
    ready: VecDeque<Beat>,
    sums: VecDeque<Beat>,
}

/// The units that have had something to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Published {
    units: BTreeMap<u32, PublishedUnit>,
    config: JoinConfig,
    pub reduced_elements: u64,
}

impl Published {
    pub(crate) const fn new(config: JoinConfig) -> Self {
        Self {
            units: BTreeMap::new(),
            config,
            reduced_elements: 0,
        }
    }

    /// All operands of a beat stand at FIFO heads.
    pub(crate) fn issue(
        &mut self,
        r: usize,
        here: Coord,
        flit: Flit,
        slots: [u32; 5],
        context: &mut Context<'_>,
    ) {
        let tree = *context.trees.tree(flit.txn);
        let inputs = join_set(here, tree.set, tree.root);
        let adds = u64::from(inputs.count_ones()) - 1;
        let payload = if context.is_value {
            fold((tree.operator, tree.element), inputs, slots, context)
        } else {
            slots.iter().sum()
        };
        self.reduced_elements += adds << self.config.elements_log2(tree.element);
        let flags = flit.flags & (LAST | RESPONSE);
        let (dst, unit) = (pack(here), self.units.entry(r as u32).or_default());
        let flit = Flit {
            payload,
            dst,
            flags,
            ..flit
        };
        let done = u64::from(tree.add_cycles);
        unit.ready.push_back(Beat { done, adds, flit });
    }

    /// Has the unit of a router sums that have not left, or beats that will be?
    pub(crate) fn has_results(&self, r: usize) -> bool {
        let unit = self.units.get(&(r as u32));
        unit.is_some_and(|u| !u.sums.is_empty() || !u.ready.is_empty())
    }

    /// Starts an addition if one is ready, and shows the oldest finished sum.
    pub(crate) fn offer(&mut self, r: usize, context: &mut Context<'_>) -> Option<Offer> {
        let (cycle, config) = (context.cycle, self.config);
        let unit = self.units.get_mut(&(r as u32))?;
        if cycle >= unit.next_issue
            && let Some(mut beat) = unit.ready.pop_front()
        {
            let busy = beat.adds * config.cycles_per_add;
            let shared = share_fpus(&mut context.fpu_busy_until[r], cycle, busy);
            unit.next_issue = cycle + busy + shared;
            beat.done = cycle + beat.adds * beat.done + config.cut_cycles;
            unit.sums.push_back(beat);
        }
        let sum = unit.sums.front().filter(|s| s.done <= cycle);
        Some(Offer {
            result: sum.map(|s| s.flit),
            is_busy: !unit.ready.is_empty() || !unit.sums.is_empty(),
        })
    }

    /// The offered sum has been granted its output.
    pub(crate) fn take_result(&mut self, r: usize) -> Option<Flit> {
        let unit = self.units.get_mut(&(r as u32))?;
        unit.sums.pop_front().map(|s| s.flit)
    }

    /// The oldest sum of a router and the cycle in which it is done, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize) -> Option<(u64, Flit)> {
        let sum = self.units.get(&(r as u32))?.sums.front()?;
        Some((sum.done, sum.flit))
    }
}
