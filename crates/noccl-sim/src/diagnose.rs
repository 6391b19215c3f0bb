// SPDX-License-Identifier: Apache-2.0
//! Why nothing moves: who waits for whom, where, since when.

use crate::fabric::Fabric;
use noccl_net::{Port, TileId};
use noccl_run::{Diagnosis, WaitEdge};
use noccl_spec::Plane;

impl Fabric<'_> {
    /// Nothing has moved for long and no event is due; or the run is over its limit.
    pub(crate) fn is_stuck(&self) -> bool {
        self.cycle >= self.config.max_cycles
            || (self.wheel.next_cycle().is_none()
                && (self.is_idle() || self.cycle - self.last_progress > self.config.hang_cycles))
    }
}

/// Diagnosis of a stuck fabric; `open` are the driver's unfinished items.
pub(crate) fn diagnose(fabric: &Fabric<'_>, open: &[usize]) -> Diagnosis {
    let mut waits = Vec::new();
    for plane in Plane::ALL {
        for (router, txn, since) in fabric.planes[plane.idx()].joins.waiting() {
            let at = fabric.network.coord(TileId(router as u32));
            waits.push(WaitEdge {
                waiter: fabric.name_of(txn),
                awaited: "contributions of its other members".to_owned(),
                place: format!("merge table of router {at}, {plane:?} plane"),
                since_cycle: since,
            });
        }
        for (router, is_input, port, flit) in fabric.planes[plane.idx()].standing_flits() {
            let at = fabric.network.coord(TileId(router as u32));
            let side = if is_input { "input" } else { "output" };
            waits.push(WaitEdge {
                waiter: fabric.name_of(flit.txn),
                awaited: "room or a grant downstream".to_owned(),
                place: format!(
                    "{side} {:?} of router {at}, {plane:?} plane",
                    Port::ALL[port]
                ),
                since_cycle: fabric.last_progress,
            });
        }
    }
    let summary = if fabric.cycle >= fabric.config.max_cycles {
        format!(
            "the limit of {} cycles is reached",
            fabric.config.max_cycles
        )
    } else {
        format!(
            "{} items are unfinished and nothing can move (first: {:?})",
            open.len(),
            open.first()
        )
    };
    Diagnosis {
        cycle: fabric.cycle,
        last_progress_cycle: fabric.last_progress,
        summary,
        waits,
    }
}

impl Fabric<'_> {
    /// A transaction as a person would name it.
    fn name_of(&self, txn: u32) -> String {
        let facts = self.txns.get(txn);
        format!("{:?} of {:?}", facts.kind, facts.owner)
    }
}
