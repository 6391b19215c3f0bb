// SPDX-License-Identifier: Apache-2.0
//! Numbers of the network interface.

use super::{Form, Table};
use crate::AxiTiles;

impl Table {
    pub(super) fn ni(&mut self, axi: &AxiTiles) {
        let ni = &axi.ni;
        self.wide_beat(axi);
        self.only("ni.narrow_beat_bytes", ni.narrow_beat_bytes, 8);
        self.any("ni.max_burst_beats", ni.max_burst_beats, 1..=256);
        let boundary = ni.burst_boundary_bytes;
        // A burst of less than a beat would be a beat of its own, so that no line would be moved as a whole.
        let beat = u64::from(ni.wide_beat_bytes);
        self.power_of_two("ni.burst_boundary_bytes", boundary, beat..=4096);
        self.outstanding(axi);
    }

    /// A beat holds whole elements of up to 8 bytes. What has frames of its own keeps their width: the words of a chain's
    /// beat are eight, one for each bank of a Torrent endpoint's memory.
    fn wide_beat(&mut self, axi: &AxiTiles) {
        let field = "ni.wide_beat_bytes";
        let beat = u64::from(axi.ni.wide_beat_bytes);
        let because = if axi.cluster.torrent.is_some() {
            " with cluster.torrent (a beat of a chain has 8 words of 8 bytes)"
        } else if let Some(because) = axi.router.flow.rules().own_flits() {
            because
        } else {
            return self.power_of_two(field, beat, 8..=256);
        };
        self.push(field, beat, 64..=64, Form::Any, because);
    }

    /// A reduction waits for other members of its group, and so for programs on other tiles. A write waits for nobody but its
    /// target, and another member may wait for that write before it takes part in the reduction. Writes, reductions and the
    /// roots' parts of all-reduces find their places in an order that is not always that of the program; so reductions,
    /// of which `max_open_reductions` are open at most, must leave a place for a write. Narrow requests need no such limit:
    /// they leave in the order in which they were issued, so a narrow write waits for no later barrier.
    fn outstanding(&mut self, axi: &AxiTiles) {
        let ni = &axi.ni;
        let open = u64::from(ni.max_open_reductions);
        self.any("ni.max_open_reductions", open, 1..=255);
        self.push(
            "ni.max_wide_outstanding",
            ni.max_wide_outstanding,
            open + 1..=256,
            Form::Any,
            format!(
                ", more than ni.max_open_reductions = {open}: a write must find a place when as many reductions wait for \
                 other members"
            ),
        );
        let narrow = ni.max_narrow_outstanding;
        self.any("ni.max_narrow_outstanding", narrow, 1..=256);
    }
}
