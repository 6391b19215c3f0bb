// SPDX-License-Identifier: Apache-2.0
//! A run over time as a file (`docs/formats/run-recording.md`): trace events that Perfetto shows, and all numbers.

mod link_trace;
mod perfetto;
mod ranks;
mod transactions;

pub use link_trace::{LinkTrace, TracedLink};
pub use ranks::{MAX_RECORDED_SLICES, RecordedCall, RecordedRank, RecordedSlice};
pub use transactions::RecordedTransactions;

use crate::view::{ViewAction, actions};
use crate::{Error, root_name, word};
use link_trace::{decoded, encoded};
use noccl_files::FileError;
use noccl_net::{Coord, Network, Port, TileId};
use noccl_program::Span;
use noccl_run::{Cause, RecordRequest, Recording, RunResult, TimeSlices};
use noccl_spec::PlaneName;
use noccl_workload::Schedule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the file.
pub const RECORDING_FORMAT: u32 = 2;
/// Most windows of a recording.
pub const MAX_RECORDED_WINDOWS: usize = 1024;
/// What a run records for a file; its windows have at most so many entries, each a link or a port.
pub const RECORD_ALL: RecordRequest = RecordRequest {
    max_windows: MAX_RECORDED_WINDOWS,
    max_entries: 1 << 20,
    is_links_only: false,
};

const EXPECTED: &str = "recording of a run";

/// A run over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRecording {
    /// Version of this format.
    pub format: u32,
    /// What ran, in words.
    pub workload: String,
    /// Name of the network.
    pub network: String,
    /// Columns and rows of the mesh, memory tiles included.
    pub mesh: [u16; 2],
    /// Names of the tiles, x · rows + y, as `--root` reads them.
    pub tiles: Vec<String>,
    /// Clock of the network.
    pub clock_ghz: f64,
    /// Cycle of the last event.
    pub cycles: u64,
    /// Actions in the order of the schedule; none of traces and programs.
    pub actions: Vec<ViewAction>,
    /// Flits per link and window.
    pub flits: LinkTrace,
    /// Cycles in which ports were blocked, per window and cause.
    pub blocked: BlockedTrace,
    /// Transactions.
    pub transactions: RecordedTransactions,
    /// Ranks of a program.
    pub ranks: Vec<RecordedRank>,
    /// What they have called.
    pub calls: Vec<RecordedCall>,
}

/// Cycles in which router ports were blocked, in the windows of the links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockedTrace {
    /// Ports that were blocked, by cause.
    pub ports: Vec<RecordedPort>,
    /// As the windows of the links, with indices into `ports` and cycles.
    pub windows: String,
}

/// A router port that was blocked for one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedPort {
    /// Plane of the router.
    pub plane: PlaneName,
    /// Mesh coordinate of the router: x, y.
    pub at: [u16; 2],
    /// Input of the router.
    pub port: RecordedInput,
    /// Cause.
    pub cause: Cause,
    /// Cycles in the whole run.
    pub cycles: u64,
}

/// Where flits of a router wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordedInput {
    /// From the router at y + 1.
    North,
    /// From the router at x + 1.
    East,
    /// From the router at y - 1.
    South,
    /// From the router at x - 1.
    West,
    /// From the interface of the tile.
    Local,
    /// The store of the merge point.
    MergePoint,
}

impl From<Option<Port>> for RecordedInput {
    fn from(port: Option<Port>) -> Self {
        match port {
            Some(Port::North) => Self::North,
            Some(Port::East) => Self::East,
            Some(Port::South) => Self::South,
            Some(Port::West) => Self::West,
            Some(Port::Local) => Self::Local,
            None => Self::MergePoint,
        }
    }
}

impl RunRecording {
    /// The recording of a run that has ended, without actions and ranks.
    #[must_use]
    pub fn new(network: &Network, workload: String, cycles: u64, recording: &Recording) -> Self {
        let ports = recording.blocked.iter().map(|blocked| {
            let at = network.coord(blocked.tile);
            RecordedPort {
                plane: blocked.plane,
                at: [at.x, at.y],
                port: blocked.port.into(),
                cause: blocked.cause,
                cycles: blocked.cycles,
            }
        });
        let windows = recording.windows.iter().map(|window| &window.blocked[..]);
        let tiles = (0..network.num_tiles() as u32).map(TileId);
        Self {
            format: RECORDING_FORMAT,
            workload,
            network: network.spec().label(),
            mesh: [network.width(), network.height()],
            tiles: tiles
                .map(|tile| root_name(network.tile_ref(tile)))
                .collect(),
            clock_ghz: network.spec().clock_ghz,
            cycles,
            actions: Vec::new(),
            flits: LinkTrace::of(network, recording),
            blocked: BlockedTrace {
                ports: ports.collect(),
                windows: encoded(windows),
            },
            transactions: RecordedTransactions::new(
                &recording.transactions,
                recording.transactions_left_out,
            ),
            ranks: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The recording of a schedule's run.
    #[must_use]
    pub fn of_schedule(
        network: &Network,
        schedule: &Schedule,
        result: &RunResult,
        recording: &Recording,
    ) -> Self {
        let workload = match &schedule.collective {
            Some(of) => format!(
                "{} of {} bytes by {}",
                word(&of.kind),
                of.bytes,
                schedule.algorithm
            ),
            None => schedule.algorithm.clone(),
        };
        Self {
            actions: actions(network, schedule, result, false),
            ..Self::new(network, workload, result.cycles, recording)
        }
    }

    /// With the ranks of a program: their tiles, what they did in each cycle, and their calls.
    #[must_use]
    pub fn with_ranks(self, network: &Network, of: &[(Coord, &TimeSlices, &[Span])]) -> Self {
        let max_slices = MAX_RECORDED_SLICES / of.len().max(1);
        let mut ranks = ranks::Ranks::default();
        for (tile, times, calls) in of {
            ranks.add((network, *tile), times, calls, max_slices);
        }
        Self {
            ranks: ranks.ranks,
            calls: ranks.calls,
            ..self
        }
    }

    /// Flits of each window: index of a link, flits.
    fn flits(&self) -> Result<Vec<Vec<(u32, u32)>>, String> {
        let of = &self.flits;
        let windows = decoded(&of.windows, of.num_windows, of.links.len());
        let found = windows.map_err(|reason| format!("flits.windows: {reason}"))?;
        let totals = of.links.iter().map(|link| link.flits);
        compare("flits.links", totals.collect(), &found)?;
        Ok(found)
    }

    /// Blocked cycles of each window: index of a port, cycles.
    fn blocked(&self) -> Result<Vec<Vec<(u32, u32)>>, String> {
        let of = &self.blocked;
        let windows = decoded(&of.windows, self.flits.num_windows, of.ports.len());
        let found = windows.map_err(|reason| format!("blocked.windows: {reason}"))?;
        let totals = of.ports.iter().map(|port| port.cycles);
        compare("blocked.ports", totals.collect(), &found)?;
        Ok(found)
    }

    /// The windows of a recording of which no reader fails, else what is wrong, by the name of the field.
    fn checked(&self) -> Result<Windows, String> {
        let windows = self.flits.num_windows;
        if windows as usize > MAX_RECORDED_WINDOWS {
            return Err(format!(
                "flits.num_windows: {windows}; accepted: at most {MAX_RECORDED_WINDOWS}"
            ));
        }
        let cycles = self.flits.window_cycles;
        if !cycles.is_power_of_two() {
            return Err(format!(
                "flits.window_cycles: {cycles}; accepted: a power of two"
            ));
        }
        if !(self.clock_ghz.is_finite() && self.clock_ghz > 0.0) {
            return Err(format!("clock_ghz: {}; accepted: above 0", self.clock_ghz));
        }
        self.check_places()?;
        self.transactions.check(self.tiles.len())?;
        ranks::check(&self.ranks, &self.calls)?;
        Ok(Windows {
            flits: self.flits()?,
            blocked: self.blocked()?,
        })
    }

    /// Everything is on the mesh.
    fn check_places(&self) -> Result<(), String> {
        let [columns, rows] = self.mesh;
        let (tiles, expected) = (self.tiles.len(), usize::from(columns) * usize::from(rows));
        if tiles != expected {
            return Err(format!(
                "tiles: {tiles}; accepted: {expected}, as in the mesh"
            ));
        }
        let links = self.flits.links.iter().enumerate();
        let links = links.flat_map(|(index, link)| {
            [
                ("flits.links", index, link.from),
                ("flits.links", index, link.to),
            ]
        });
        let ports = (self.blocked.ports.iter().enumerate())
            .map(|(index, port)| ("blocked.ports", index, port.at));
        let ranks = self
            .ranks
            .iter()
            .enumerate()
            .map(|(index, rank)| ("ranks", index, rank.at));
        let mut places = links.chain(ports).chain(ranks);
        if let Some((field, index, [x, y])) =
            places.find(|(_, _, [x, y])| *x >= columns || *y >= rows)
        {
            return Err(format!(
                "{field}[{index}]: tile ({x},{y}); accepted: within {columns} x {rows} tiles"
            ));
        }
        for (index, action) in self.actions.iter().enumerate() {
            if let Some(tile) = action.tiles.iter().find(|tile| **tile as usize >= tiles) {
                return Err(format!(
                    "actions[{index}].tiles: {tile}; accepted: below {tiles}"
                ));
            }
            if action
                .finish_cycle
                .is_some_and(|finish| finish < action.start_cycle)
            {
                return Err(format!("actions[{index}].finish_cycle: before its start"));
            }
        }
        Ok(())
    }
}

/// Entries of all windows: row and number.
struct Windows {
    flits: Vec<Vec<(u32, u32)>>,
    blocked: Vec<Vec<(u32, u32)>>,
}

/// The sums over all windows are those of the run.
fn compare(field: &str, totals: Vec<u64>, windows: &[Vec<(u32, u32)>]) -> Result<(), String> {
    let mut sums = vec![0_u64; totals.len()];
    for (index, count) in windows.iter().flatten() {
        sums[*index as usize] += u64::from(*count);
    }
    match (0..totals.len()).find(|at| sums[*at] != totals[*at]) {
        None => Ok(()),
        Some(at) => Err(format!(
            "{field}[{at}]: {} in all, {} in the windows",
            totals[at], sums[at]
        )),
    }
}

/// The part of the file that is read.
#[derive(Deserialize)]
struct ReadFile {
    recording: RunRecording,
}

/// Of a file of any version.
#[derive(Deserialize)]
struct Version {
    recording: OnlyFormat,
}

#[derive(Deserialize)]
struct OnlyFormat {
    format: u32,
}

/// A recording from the text of its file, which `path` names in errors.
///
/// # Errors
/// [`Error::File`] with the line or the field that is wrong, and what would be accepted.
pub fn parse_recording(path: &str, text: &str) -> Result<RunRecording, Error> {
    let wrong = |reason| FileError::Content {
        path: path.to_owned(),
        expected: EXPECTED,
        reason,
    };
    let version: Version = noccl_files::parse_json(path, text, EXPECTED)?;
    let format = version.recording.format;
    if format != RECORDING_FORMAT {
        let reason = format!("recording.format: {format}; accepted: {RECORDING_FORMAT}");
        return Err(wrong(reason).into());
    }
    let file: ReadFile = noccl_files::parse_json(path, text, EXPECTED)?;
    file.recording.checked().map_err(wrong)?;
    Ok(file.recording)
}
