// SPDX-License-Identifier: Apache-2.0
//! One collective run with what a picture of it needs: the mesh, flits per link over time, when every action ran.
//!
//! The command line and the page in a browser call the same function, so that both show the same cycles.

mod options;

pub use options::{ViewOptions, view_options};

use crate::compare::{AlgorithmRequest, Case, CompareRequest, best_of, bounded, collective_of};
use crate::recording::LinkTrace;
use crate::request::spec_of_text;
use crate::{
    Error, Verified, group_name, load, parse_bytes, parse_collective, parse_element, parse_group,
    parse_one_algorithm, parse_operator, parse_override, parse_root, root_name, runtime_cycles,
    word,
};
use noccl_net::{Network, TileId, TileKind, TileRef, elaborate};
use noccl_run::{
    Counters, Diagnosis, Mode, OnProgress, RecordRequest, Request, RunConfig, RunResult, Tally,
    Watch, energy_pj,
};
use noccl_sim::{Recorded, record_over_time};
use noccl_workload::{CheckError, Collective, Lengths, Schedule, participants};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Version of the format of a [`View`].
pub const VIEW_FORMAT: u32 = 1;

/// More windows than these are merged in pairs.
pub const MAX_WINDOWS: usize = 4096;
/// Seed of the random inputs of a schedule.
const SEED: u64 = 1;

/// Which run to show. The words are those of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ViewRequest {
    /// Preset, or the text of a spec (more than one line of TOML).
    pub network: String,
    /// `field=value` over the fields of the spec.
    pub overrides: Vec<String>,
    /// Collective.
    pub collective: String,
    /// Payload per participant, with a unit.
    pub bytes: String,
    /// Participants.
    pub group: String,
    /// Root; empty for the default.
    pub root: String,
    /// Algorithm: a name, whose best parameters are searched, a name with its parameters, or `auto`.
    pub algorithm: String,
    /// Operator of a reduction.
    pub operator: String,
    /// Element type of a reduction.
    pub element: String,
}

impl Default for ViewRequest {
    fn default() -> Self {
        let word = str::to_owned;
        Self {
            network: word("collective_noc_4x4"),
            overrides: Vec::new(),
            collective: word("all_reduce"),
            bytes: word("32KiB"),
            group: word("all"),
            root: String::new(),
            algorithm: word("auto"),
            operator: word("sum"),
            element: word("fp64"),
        }
    }
}

/// A tile of the mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewTile {
    /// Mesh coordinate: x, y.
    pub at: [u16; 2],
    /// Name as `--root` reads it.
    pub name: String,
    /// A memory tile? Else a tile with cores.
    pub is_memory: bool,
    /// Does it take part in the collective?
    pub is_member: bool,
}

/// When an action of the schedule ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewAction {
    /// Kind of the action, in words.
    pub kind: String,
    /// Tiles that carry it out: indices into the tiles; at most 64 of them.
    pub tiles: Vec<u32>,
    /// First participant's start.
    pub start_cycle: u64,
    /// Last participant's end; absent in a run that was given up.
    pub finish_cycle: Option<u64>,
}

/// A run and what a picture of it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Version of this format: [`VIEW_FORMAT`].
    pub format: u32,
    /// What was asked for.
    pub request: ViewRequest,
    /// Name of the network.
    pub network: String,
    /// Columns and rows of the mesh, memory tiles included.
    pub mesh: [u16; 2],
    /// Tiles in the order of their numbers.
    pub tiles: Vec<ViewTile>,
    /// Participants.
    pub group: String,
    /// Root.
    pub root: String,
    /// Algorithm with its parameters.
    pub algorithm: String,
    /// Runtime; absent if the run was given up.
    pub cycles: Option<u64>,
    /// Cycle of the last event.
    pub last_event_cycle: u64,
    /// Clock of the network.
    pub clock_ghz: f64,
    /// No algorithm can be faster on this network; absent of a schedule that claims no collective.
    pub lower_bound_cycles: Option<u64>,
    /// Were the outputs compared with what they must be, and are they right?
    pub verified: Verified,
    /// Event counters.
    pub counters: Counters,
    /// Energy of the counted events; absent of networks without costs per event.
    pub energy_pj: Option<f64>,
    /// Actions in the order of the schedule.
    pub actions: Vec<ViewAction>,
    /// Flits per link over time.
    pub trace: LinkTrace,
    /// Why the run was given up: a deadlock, with who waits for whom.
    pub stall: Option<Diagnosis>,
}

/// Runs one collective and records what its picture needs.
///
/// # Errors
/// [`Error`] naming the field that is wrong, what is impossible and what would be accepted. A run that stalls is no error: its
/// view says who waits for whom.
pub fn view(request: &ViewRequest, watch: Watch<'_>) -> Result<View, Error> {
    let network = network_of(request)?;
    let (compared, bytes, algorithm) = compared(&network, request)?;
    let collective = collective_of(&network, &compared, bytes)?;
    let (choice, schedule) = best_of(&network, &collective, algorithm, &Tally::new(watch, 1))?;
    let bound = noccl_model::bounds(&network, &bounded(&network, &collective, choice)?)?;
    let subject = Subject {
        request: request.clone(),
        network: &network,
        schedule: &schedule,
        collective: Some(&collective),
        algorithm: choice.to_string(),
        lower_bound_cycles: Some(bound.lower_bound_cycles),
    };
    subject.view(compared.seed, watch)
}

/// Runs a schedule on the request's network and records what its picture needs.
///
/// # Errors
/// As [`view`], and what the checker says against the schedule.
pub fn view_schedule(
    request: &ViewRequest,
    schedule: &Schedule,
    watch: Watch<'_>,
) -> Result<View, Error> {
    let network = network_of(request)?;
    match noccl_workload::check(&network, schedule) {
        Err(error) if !matches!(error, CheckError::Deadlock(_)) => return Err(error.into()),
        Ok(_) | Err(_) => {}
    }
    let collective = schedule.collective.as_ref();
    let bound = collective.map(|collective| {
        let shortest = collective.lengths.as_ref().map(Lengths::shortest);
        let bounded = Collective {
            bytes: shortest.unwrap_or(collective.bytes),
            lengths: None,
            ..collective.clone()
        };
        noccl_model::bounds(&network, &bounded)
    });
    let subject = Subject {
        request: claimed(request, &network, collective),
        network: &network,
        schedule,
        collective,
        algorithm: schedule.algorithm.clone(),
        lower_bound_cycles: bound.transpose()?.map(|bound| bound.lower_bound_cycles),
    };
    subject.view(SEED, watch)
}

/// The request for what a schedule claims, so that a page can run other algorithms beside it.
fn claimed(
    request: &ViewRequest,
    network: &Network,
    collective: Option<&Collective>,
) -> ViewRequest {
    let Some(collective) = collective else {
        return request.clone();
    };
    ViewRequest {
        collective: word(&collective.kind),
        bytes: collective.bytes.to_string(),
        group: group_name(network, &collective.group),
        root: match collective.kind.has_root() {
            true => root_name(collective.root),
            false => String::new(),
        },
        operator: word(&collective.operator),
        element: word(&collective.element),
        ..request.clone()
    }
}

/// What is run and shown.
struct Subject<'a> {
    request: ViewRequest,
    network: &'a Network,
    schedule: &'a Schedule,
    collective: Option<&'a Collective>,
    algorithm: String,
    lower_bound_cycles: Option<u64>,
}

fn may_deadlock(error: &Error) -> bool {
    matches!(error, Error::Check(check) if matches!(**check, CheckError::Deadlock(_)))
}

fn network_of(request: &ViewRequest) -> Result<Network, Error> {
    let overrides = request.overrides.iter().map(|text| parse_override(text));
    let overrides: Vec<(String, String)> = overrides.collect::<Result<_, Error>>()?;
    if request.network.contains('\n') {
        return Ok(elaborate(&spec_of_text(&request.network, &overrides)?)?);
    }
    Ok(load(&request.network, &overrides)?.network)
}

/// The same request in the types of a comparison.
fn compared(
    network: &Network,
    request: &ViewRequest,
) -> Result<(CompareRequest, u64, AlgorithmRequest), Error> {
    let group = parse_group(network, &request.group)?;
    let bytes = parse_bytes(&request.bytes)?;
    let mut out = CompareRequest::new(parse_collective(&request.collective)?, group, vec![bytes]);
    if !request.root.is_empty() {
        out.root = Some(parse_root(network, &request.root)?);
    }
    out.operator = parse_operator(&request.operator)?;
    out.element = parse_element(&request.element)?;
    let algorithm = parse_one_algorithm("--algorithm", &request.algorithm)?;
    Ok((out, bytes, algorithm))
}

/// Runs a schedule step by step and records its links.
fn record(
    network: &Network,
    schedule: &Schedule,
    case: Option<&Case>,
    on_progress: OnProgress<'_>,
) -> Result<Recorded, Error> {
    let request = Request {
        network,
        schedule,
        inputs: case.map_or(&[], |case| &case.inputs),
        config: &RunConfig::new(Mode::Value),
    };
    let asked = RecordRequest {
        max_windows: MAX_WINDOWS,
        max_entries: 4 << 20,
        is_links_only: true,
    };
    let outputs: &[_] = case.map_or(&[], |case| &case.outputs);
    Ok(record_over_time(&request, outputs, asked, on_progress)?)
}

impl Subject<'_> {
    /// Runs it; a schedule that claims a collective has random inputs and verified outputs.
    fn view(self, seed: u64, watch: Watch<'_>) -> Result<View, Error> {
        let (network, schedule) = (self.network, self.schedule);
        let case = self.collective.map(|of| Case::new(network, of, seed));
        let case = case.transpose()?;
        let reference = match case.as_ref().map(|case| case.reference(network, schedule)) {
            // A schedule that may deadlock is run all the same: if it does, the picture shows who waits for whom.
            Some(Err(error)) if !may_deadlock(&error) => return Err(error),
            other => other,
        };
        let recorded = Tally::run_actions(watch, |on_progress| {
            record(network, schedule, case.as_ref(), on_progress)
        })?;
        let verified = match (case, reference) {
            (Some(case), Some(reference)) if recorded.stall.is_none() => {
                Verified::compared(case.verify(&reference?, &recorded.result.memory).is_right)
            }
            (Some(_) | None, Some(_) | None) => Verified::NotChecked,
        };
        self.shown(recorded, verified)
    }

    fn shown(self, recorded: Recorded, verified: Verified) -> Result<View, Error> {
        let (network, schedule) = (self.network, self.schedule);
        let Recorded {
            result,
            recording,
            stall,
        } = recorded;
        let cycles = || runtime_cycles(Some(schedule), &result.actions);
        let group = self.collective.map(|of| group_name(network, &of.group));
        Ok(View {
            format: VIEW_FORMAT,
            network: network.spec().label(),
            mesh: [network.width(), network.height()],
            tiles: tiles(network, &self.members()?),
            // 0: a schedule that claims no collective has neither group nor root.
            group: group.unwrap_or_default(),
            root: self
                .collective
                .map_or_else(String::new, |of| root_name(of.root)),
            request: self.request,
            algorithm: self.algorithm,
            cycles: stall.is_none().then(cycles),
            last_event_cycle: result.cycles,
            clock_ghz: network.spec().clock_ghz,
            lower_bound_cycles: self.lower_bound_cycles,
            verified,
            counters: result.counters,
            energy_pj: network
                .energy()
                .map(|energy| energy_pj(&result.counters, energy)),
            actions: actions(network, schedule, &result, stall.is_some()),
            trace: LinkTrace::of(network, &recording),
            stall,
        })
    }

    /// The group of a collective; of a schedule that claims none, whoever takes part in an action.
    fn members(&self) -> Result<HashSet<TileId>, Error> {
        let network = self.network;
        let Some(collective) = self.collective else {
            let actions = self.schedule.actions.iter();
            let tiles = actions.flat_map(|action| participants(network, &action.kind));
            return Ok(tiles.collect());
        };
        let members = network.members(&collective.group)?.into_iter();
        Ok(members
            .filter_map(|member| network.find(TileRef::Cluster(member)))
            .collect())
    }
}

fn tiles(network: &Network, members: &HashSet<TileId>) -> Vec<ViewTile> {
    let all = 0..network.num_tiles() as u32;
    all.map(TileId)
        .map(|tile| {
            let at = network.coord(tile);
            ViewTile {
                at: [at.x, at.y],
                name: root_name(network.tile_ref(tile)),
                is_memory: network.kind(tile) == TileKind::Memory,
                is_member: members.contains(&tile),
            }
        })
        .collect()
}

/// Most tiles that an action names: a barrier of a million tiles is drawn as one bar.
const MAX_NAMED_TILES: usize = 64;

pub(crate) fn actions(
    network: &Network,
    schedule: &Schedule,
    result: &RunResult,
    is_given_up: bool,
) -> Vec<ViewAction> {
    let timed = schedule.actions.iter().zip(&result.actions);
    timed
        .map(|(action, time)| {
            let mut tiles = participants(network, &action.kind);
            tiles.truncate(MAX_NAMED_TILES);
            // Of a run that was given up, an action that has not ended has no end after its start.
            let has_ended = !is_given_up || time.finish_cycle > time.start_cycle;
            ViewAction {
                kind: action.kind.words().to_owned(),
                tiles: tiles.into_iter().map(|tile| tile.0).collect(),
                start_cycle: time.start_cycle,
                finish_cycle: has_ended.then_some(time.finish_cycle),
            }
        })
        .collect()
}
