// SPDX-License-Identifier: Apache-2.0
//! A run over time as a file (`docs/formats/run-recording.md`): trace events that Perfetto shows, and all numbers.

mod link_trace;
mod perfetto;

pub use link_trace::{LinkTrace, TracedLink};

use crate::Error;
use crate::view::{ViewAction, actions};
use link_trace::{decoded, encoded};
use noccl_files::FileError;
use noccl_net::{Network, Port, TileId};
use noccl_run::{Cause, Recording, RunResult};
use noccl_spec::PlaneName;
use noccl_workload::Schedule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the file.
pub const RECORDING_FORMAT: u32 = 1;
/// Most windows of a recording.
pub const MAX_RECORDED_WINDOWS: usize = 1024;
/// Most entries of its windows, each a link or a port.
pub const MAX_RECORDED_ENTRIES: usize = 1 << 20;

const EXPECTED: &str = "recording of a run";

/// A run over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRecording {
    /// Version of this format.
    pub format: u32,
    /// Name of the network.
    pub network: String,
    /// Columns and rows of the mesh, memory tiles included.
    pub mesh: [u16; 2],
    /// Clock of the network.
    pub clock_ghz: f64,
    /// Cycle of the last event.
    pub cycles: u64,
    /// Actions in the order of the schedule.
    pub actions: Vec<ViewAction>,
    /// Flits per link and window.
    pub flits: LinkTrace,
    /// Cycles in which ports were blocked, per window and cause.
    pub blocked: BlockedTrace,
    /// Transactions in the order of their start.
    pub transactions: Vec<RecordedTransaction>,
    /// Later transactions that were not kept.
    pub transactions_left_out: u64,
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

/// When a transaction began and ended; of reductions and barriers the first and the last of all members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedTransaction {
    /// Kind, in words.
    pub kind: String,
    /// Index of its action; absent where the network interface does not know it.
    pub action: Option<u32>,
    /// Mesh coordinate of the tile that asks for it first: x, y.
    pub from: [u16; 2],
    /// Target, of reductions and barriers the root; absent of multicasts.
    pub to: Option<[u16; 2]>,
    /// Bytes of payload.
    pub bytes: u32,
    /// The interface has it.
    pub start_cycle: u64,
    /// The first beat, or the request, enters the network.
    pub first_beat_cycle: Option<u64>,
    /// The last beat is in the memory of its last target; of a read, back.
    pub last_beat_cycle: Option<u64>,
    /// The last response is back.
    pub response_cycle: Option<u64>,
}

impl RunRecording {
    /// The recording of a run that has ended.
    #[must_use]
    pub fn new(
        network: &Network,
        schedule: &Schedule,
        result: &RunResult,
        recording: &Recording,
    ) -> Self {
        let at = |tile: TileId| {
            let at = network.coord(tile);
            [at.x, at.y]
        };
        let ports = recording.blocked.iter().map(|blocked| RecordedPort {
            plane: blocked.plane,
            at: at(blocked.tile),
            port: blocked.port.into(),
            cause: blocked.cause,
            cycles: blocked.cycles,
        });
        let windows = recording.windows.iter().map(|window| &window.blocked[..]);
        let transactions = recording.transactions.iter();
        Self {
            format: RECORDING_FORMAT,
            network: network.spec().label(),
            mesh: [network.width(), network.height()],
            clock_ghz: network.spec().clock_ghz,
            cycles: result.cycles,
            actions: actions(network, schedule, result, false),
            flits: LinkTrace::of(network, recording),
            blocked: BlockedTrace {
                ports: ports.collect(),
                windows: encoded(windows),
            },
            transactions: transactions
                .map(|time| RecordedTransaction {
                    kind: time.kind.to_owned(),
                    action: time.action,
                    from: at(time.tile),
                    to: time.target.map(at),
                    bytes: time.bytes,
                    start_cycle: time.start_cycle,
                    first_beat_cycle: time.first_beat_cycle,
                    last_beat_cycle: time.last_beat_cycle,
                    response_cycle: time.response_cycle,
                })
                .collect(),
            transactions_left_out: recording.transactions_left_out,
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

    /// What would make a reader fail, by the name of the field.
    fn check(&self) -> Result<(), String> {
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
        self.flits()?;
        self.blocked()?;
        Ok(())
    }
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
    file.recording.check().map_err(wrong)?;
    Ok(file.recording)
}
