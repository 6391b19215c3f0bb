// SPDX-License-Identifier: Apache-2.0
//! Flits per link over time, in windows of equal length, with exact totals and bounded memory.

use crate::runs::link_flits;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::{LinkLoad, Run, RunResult};
use noccl_spec::PlaneName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More windows than these are merged in pairs.
pub const MAX_WINDOWS: usize = 4096;
/// With more entries (a link in a window) than these, windows are merged too: 8 bytes each.
const MAX_ENTRIES: usize = 4 << 20;

/// A directed link between two routers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracedLink {
    /// Plane of the link.
    pub plane: PlaneName,
    /// Mesh coordinate of the router that drives it: x, y.
    pub from: [u16; 2],
    /// Mesh coordinate of the router at its other end: x, y.
    pub to: [u16; 2],
    /// Flits in the whole run.
    pub flits: u64,
}

/// Flits per link and window of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkTrace {
    /// Cycles per window: a power of two.
    pub window_cycles: u64,
    /// Windows; number `w` begins with cycle `w * window_cycles`.
    pub num_windows: u32,
    /// Links that carried a flit.
    pub links: Vec<TracedLink>,
    /// Base64 of LEB128 numbers. Of each window the number of its entries, then for each entry the index into `links` less that of
    /// the entry before (0 for the first), and the flits. A run has millions of entries, of which JSON arrays take six times the space.
    pub windows: String,
}

/// Entries of a window: index of a link, flits.
type LinkWindow = Vec<(u32, u32)>;

/// Records while a run goes on.
pub(super) struct LinkRecorder {
    window_cycles: u64,
    /// First cycle after the current window.
    window_end: u64,
    /// Flits by [`LinkRecorder::index`].
    totals: Vec<u64>,
    num_tiles: usize,
    windows: Vec<LinkWindow>,
    num_entries: usize,
}

impl LinkRecorder {
    pub(super) fn new(network: &Network) -> Self {
        let num_tiles = network.num_tiles();
        Self {
            window_cycles: 1,
            window_end: 1,
            totals: vec![0; PlaneName::ALL.len() * num_tiles * Port::ALL.len()],
            num_tiles,
            windows: Vec::new(),
            num_entries: 0,
        }
    }

    /// Position of a link among all that there could be.
    fn index(&self, link: LinkId) -> usize {
        let router = link.plane.idx() * self.num_tiles + link.tile.0 as usize;
        router * Port::ALL.len() + link.port.idx()
    }

    fn link(&self, index: usize) -> LinkId {
        let (router, port) = (index / Port::ALL.len(), index % Port::ALL.len());
        let (plane, tile) = (router / self.num_tiles, router % self.num_tiles);
        LinkId::new(PlaneName::ALL[plane], TileId(tile as u32), Port::ALL[port])
    }

    /// Before the step that simulates `cycle`: closes the windows that are over.
    pub(super) fn before<R: Run<Result = RunResult>>(&mut self, cycle: u64, run: &R) {
        if cycle < self.window_end {
            return;
        }
        self.close(&run.result(&[]).links);
        // Cycles without events are skipped: their windows are empty.
        while cycle >= self.window_end {
            self.windows.push(Vec::new());
            self.window_end += self.window_cycles;
            self.coarsen();
        }
    }

    /// The flits since the last window are those of this one.
    fn close(&mut self, loads: &[LinkLoad]) {
        let mut window = Vec::new();
        for load in loads {
            let index = self.index(load.link);
            let new = load.flits - self.totals[index];
            if new > 0 {
                self.totals[index] = load.flits;
                // A link carries at most a flit per cycle, and a window is far shorter than 2^32 cycles.
                window.push((index as u32, new as u32));
            }
        }
        window.sort_unstable();
        self.num_entries += window.len();
        self.windows.push(window);
        self.window_end += self.window_cycles;
        self.coarsen();
    }

    /// Merges windows in pairs while there are too many.
    fn coarsen(&mut self) {
        while self.windows.len() > MAX_WINDOWS || self.num_entries > MAX_ENTRIES {
            // An odd number leaves half a window at the end, which the next one fills.
            if !self.windows.len().is_multiple_of(2) {
                return;
            }
            let windows = std::mem::take(&mut self.windows);
            self.windows = windows.chunks(2).map(merged).collect();
            self.num_entries = self.windows.iter().map(Vec::len).sum();
            self.window_cycles *= 2;
            self.window_end = (self.windows.len() as u64 + 1) * self.window_cycles;
        }
    }

    /// The trace of a run that is over, or was given up.
    pub(super) fn finish(mut self, network: &Network, loads: &[LinkLoad]) -> LinkTrace {
        self.close(loads);
        while self.windows.last().is_some_and(Vec::is_empty) {
            self.windows.pop();
        }
        let mut compact = vec![0; self.totals.len()];
        let mut used = Vec::new();
        for (index, flits) in self
            .totals
            .iter()
            .enumerate()
            .filter(|(_, flits)| **flits > 0)
        {
            compact[index] = used.len() as u32;
            let link = self.link(index);
            used.push(LinkLoad {
                link,
                flits: *flits,
            });
        }
        let links = link_flits(network, &used).into_iter();
        LinkTrace {
            window_cycles: self.window_cycles,
            num_windows: self.windows.len() as u32,
            links: links.map(TracedLink::from).collect(),
            windows: encoded(&self.windows, &compact),
        }
    }
}

impl From<crate::LinkFlits> for TracedLink {
    fn from(link: crate::LinkFlits) -> Self {
        Self {
            plane: link.plane,
            from: link.from,
            to: link.to,
            flits: link.flits,
        }
    }
}

/// The flits of two windows together.
fn merged(windows: &[LinkWindow]) -> LinkWindow {
    let mut all: LinkWindow = windows.concat();
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    all
}

/// Windows as [`LinkTrace::windows`] has them; `compact`: the index of each link among those that were used.
fn encoded(windows: &[LinkWindow], compact: &[u32]) -> String {
    let mut bytes = Vec::new();
    for window in windows {
        leb128(window.len() as u32, &mut bytes);
        let mut before = 0;
        for (index, flits) in window {
            let index = compact[*index as usize];
            leb128(index - before, &mut bytes);
            leb128(*flits, &mut bytes);
            before = index;
        }
    }
    STANDARD.encode(bytes)
}

/// Appends a number, seven bits to a byte, lowest first; the highest bit says that more follow.
fn leb128(mut number: u32, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}
