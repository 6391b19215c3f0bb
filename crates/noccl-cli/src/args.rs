// SPDX-License-Identifier: Apache-2.0
//! Arguments that several verbs share.

use crate::output;
use clap::Args;
use noccl::collective::{
    AlgorithmRequest, CheckpointRequest, CollectiveKind, CompareRequest, ElementType, Loaded,
    Operator,
};
use noccl::hardware::{Boundary, HardwareRequest};
use noccl::network::Network;
use noccl::program::NoiseRequest;
use noccl::study::{Calibration, StallConfig};
use noccl::{Backend, Error, RunConfig};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which network.
#[derive(Debug, Args)]
pub struct SpecArgs {
    /// Preset name (see `noccl doctor`) or TOML file
    #[arg(
        long,
        value_name = "PRESET_OR_FILE",
        default_value = "collective_noc_4x4"
    )]
    pub spec: String,
    #[command(flatten)]
    pub overrides: OverrideArgs,
}

/// Changes to a spec.
#[derive(Debug, Args)]
pub struct OverrideArgs {
    /// Override a field of the spec by its dotted path; may be repeated
    #[arg(short = 'P', value_name = "KEY=VALUE", value_parser = noccl::network::parse_override)]
    pub overrides: Vec<(String, String)>,
}

impl OverrideArgs {
    /// A line above a table whose rows do not name the network; empty without overrides.
    pub fn heading(&self) -> String {
        let settings: Vec<String> = (self.overrides.iter())
            .map(|(key, value)| format!("-P {key}={value}"))
            .collect();
        if settings.is_empty() {
            return String::new();
        }
        format!("with {}\n\n", settings.join(" "))
    }
}

impl SpecArgs {
    /// Loads the network; warnings go to stderr.
    pub fn load(&self) -> Result<Network, Error> {
        load(&self.spec, &self.overrides)
    }

    /// As it would be written on a command line again.
    pub fn as_arguments(&self) -> String {
        let overrides = self.overrides.overrides.iter();
        overrides.fold(self.spec.clone(), |text, (key, value)| {
            format!("{text} -P '{key}={value}'")
        })
    }
}

/// Loads a network; warnings go to stderr.
pub fn load(spec: &str, overrides: &OverrideArgs) -> Result<Network, Error> {
    Ok(load_with_warnings(spec, overrides)?.network)
}

/// The same with its warnings.
pub fn load_with_warnings(spec: &str, overrides: &OverrideArgs) -> Result<Loaded, Error> {
    let loaded = noccl::network::load(spec, &overrides.overrides)?;
    for note in &loaded.old_names {
        output::log(&format!("note: {note}"));
    }
    for warning in &loaded.warnings {
        output::log(&format!("warning: {warning}"));
    }
    Ok(loaded)
}

/// A list of sizes with commas between them; units that may mean something else elsewhere are noted on stderr.
pub fn sizes(text: &str) -> Result<Vec<u64>, Error> {
    text.split(',').map(size).collect()
}

/// One size.
pub fn size(text: &str) -> Result<u64, Error> {
    if text.contains(',') {
        let accepted = "accepted: one size here, e.g. 4KiB; `noccl compare` takes a list";
        return Err(Error::argument("--bytes", text, accepted));
    }
    let bytes = noccl::collective::parse_bytes(text)?;
    if let Some(note) = noccl::collective::size_note(text) {
        output::log(&format!("note: {note}"));
    }
    Ok(bytes)
}

/// A collective over a group.
#[derive(Debug, Args)]
pub struct CollectiveArgs {
    /// multicast, reduce, all_reduce, all_gather, reduce_scatter, all_to_all, scatter, gather, scan, barrier or custom (with --definition)
    #[arg(value_parser = noccl::collective::parse_collective)]
    pub collective: CollectiveKind,
    #[command(flatten)]
    options: CollectiveOptions,
}

/// What a collective is over, and of what.
#[derive(Debug, Args)]
pub struct CollectiveOptions {
    /// Participants: all, row, row:Y, column:X or X,Y,W,H (south-west cluster and size)
    #[arg(long, default_value = "all")]
    pub group: String,
    /// X,Y (a cluster) or mem:N; default: memory tile 0 for a multicast, else the group's
    /// south-west cluster
    #[arg(long, value_name = "X,Y|mem:N")]
    pub root: Option<String>,
    /// Operator of reduce, all_reduce, reduce_scatter, scan and reductions of custom: sum, min, max, and, or
    #[arg(long, default_value = "sum", value_parser = noccl::collective::parse_operator)]
    pub operator: Operator,
    /// Element: fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8, int16, int32 or int64
    #[arg(long, default_value = "fp64", value_parser = noccl::collective::parse_element)]
    pub element: ElementType,
    /// Core tiles, all_to_all: bytes that each rank sends to each rank, in place of --bytes: lists like 0,1KiB;8,0, or a JSON file
    /// {"sends": [[0, 1024], [8, 0]]}, which may have "receives" too
    #[arg(long, value_name = "FILE|N,...;...", conflicts_with = "bytes")]
    pub lengths: Option<String>,
    /// custom: what each rank wants, in chunks of --bytes: a JSON file {"name": "swap", "inputs": 1, "outputs": [[[1, 0]], [[0, 0]]]}, see
    /// docs/own_collectives.md
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
}

impl CollectiveArgs {
    /// The request for these sizes and algorithms.
    pub fn request(
        &self,
        network: &Network,
        bytes: &[u64],
        algorithms: &[AlgorithmRequest],
    ) -> Result<CompareRequest, Error> {
        self.options
            .request(self.collective, network, bytes, algorithms)
    }
}

impl CollectiveOptions {
    /// Ids of these options.
    pub const IDS: [&str; 6] = [
        "group",
        "root",
        "operator",
        "element",
        "lengths",
        "definition",
    ];

    /// The request for these sizes and algorithms.
    pub fn request(
        &self,
        collective: CollectiveKind,
        network: &Network,
        bytes: &[u64],
        algorithms: &[AlgorithmRequest],
    ) -> Result<CompareRequest, Error> {
        let group = noccl::network::parse_group(network, &self.group)?;
        let root = self.root.as_deref();
        let lengths = self
            .lengths
            .as_deref()
            .map(noccl::collective::parse_lengths)
            .transpose()?;
        // Blocks stand as if all had the length of the longest.
        let longest = lengths
            .as_ref()
            .map(|lengths| vec![lengths.longest().max(1)]);
        let definition = self.definition.as_deref();
        let definition = definition
            .map(noccl::collective::read_definition)
            .transpose()?;
        Ok(CompareRequest {
            lengths,
            definition: definition.map(Box::new),
            root: root
                .map(|r| noccl::network::parse_root(network, r))
                .transpose()?,
            algorithms: algorithms.to_vec(),
            operator: self.operator,
            element: self.element,
            ..CompareRequest::new(collective, group, longest.unwrap_or_else(|| bytes.to_vec()))
        })
    }
}

/// Saving long runs, and going on with them.
#[derive(Debug, Args)]
pub struct CheckpointArgs {
    /// Save the whole run in this file at intervals, and when Ctrl-C or SIGTERM interrupts it; the message names the command that resumes it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Wall time from one save to the next
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    checkpoint_every: Duration,
    /// Go on from this checkpoint, with all other arguments as they were; without --checkpoint it is kept up to date
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl CheckpointArgs {
    /// The request, if one of the files is named.
    pub fn request(&self) -> Option<CheckpointRequest> {
        let file = self.checkpoint.as_ref().or(self.resume.as_ref())?;
        Some(CheckpointRequest {
            file: file.clone(),
            every: self.checkpoint_every,
            resume: self.resume.clone(),
        })
    }
}

fn parse_seconds(text: &str) -> Result<Duration, Error> {
    let seconds = text.parse().ok();
    let duration = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let above_zero = duration.filter(|d| !d.is_zero());
    above_zero.ok_or_else(|| {
        Error::argument(
            "--checkpoint-every",
            text,
            "accepted: seconds above 0, e.g. 300 or 0.5",
        )
    })
}

/// Hardware beside a run.
#[derive(Debug, Args)]
pub struct HardwareArgs {
    /// sim, or rtl: the hardware of this network follows the simulator cycle by cycle, and the first difference ends the
    /// run with exit code 1
    ///
    /// The first run on a network translates its hardware to a library (20 CPU seconds, of routers with bypass 100; needs Verilator), which
    /// later runs open again.
    #[arg(long, value_name = "sim|rtl", default_value = "sim")]
    backend: String,
    /// Where hardware and simulator meet: router (Local ports, everything that a schedule does; default), axi
    /// (ports of the network interfaces; no chains, and of faults only memories that fail), or dma (registers of the
    /// DMA engines; schedules only). With routers with bypass (smart_WxH) router, and schedules only
    #[arg(long, value_name = "router|axi|dma", value_parser = noccl::hardware::parse_boundary)]
    boundary: Option<Boundary>,
    /// Folder rtl of a checkout, to be Verilated instead of the hardware in this program
    #[arg(long, value_name = "DIR")]
    hardware: Option<PathBuf>,
}

impl HardwareArgs {
    /// The request, if hardware is asked for.
    pub fn request(&self) -> Result<Option<HardwareRequest>, Error> {
        HardwareRequest::parse(&self.backend, self.boundary, self.hardware.clone())
    }
}

/// Random stalls of endpoints.
#[derive(Debug, Args)]
pub struct StallArgs {
    /// How often, in 1/256, a target does not accept what it could and an initiator does not offer what it could
    #[arg(long, value_name = "TARGET,INITIATOR", value_parser = parse_stalls)]
    stalls: Option<StallConfig>,
    /// Seed of the stalls
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "stalls")]
    stall_seed: u64,
}

impl StallArgs {
    /// Puts them into the options of a run.
    pub const fn apply(&self, config: &mut RunConfig) {
        config.stalls = self.stalls;
        config.stall_seed = self.stall_seed;
    }
}

fn parse_stalls(text: &str) -> Result<StallConfig, Error> {
    let rate = |part: &str| part.trim().parse().ok().filter(|rate| *rate < 256);
    let rates = text.split_once(',').and_then(|(target, initiator)| {
        Some(StallConfig {
            target_stall_per_256: rate(target)?,
            initiator_stall_per_256: rate(initiator)?,
        })
    });
    rates.ok_or_else(|| {
        let accepted = "accepted: two numbers from 0 to 255, e.g. 60,60";
        Error::argument("--stalls", text, accepted)
    })
}

/// What core tiles alone have.
#[derive(Debug, Args)]
pub struct CoreArgs {
    /// Core tiles: no message of a round begins before those of all earlier rounds have come, as on an ideal machine
    #[arg(long)]
    pub lock_step: bool,
    /// Core tiles: run under the noise of the spec (core.noise_cycles) too, with seeds from this one on: mean and variance
    #[arg(long, value_name = "SEED")]
    noise: Option<u64>,
    /// How many runs under noise
    #[arg(long, value_name = "N", default_value_t = 100, requires = "noise")]
    repeat: u32,
    /// Core tiles: in runs under noise each core begins late by a random number of cycles, at most this one
    #[arg(long, value_name = "CYCLES", default_value_t = 0, requires = "noise")]
    start_skew: u64,
}

impl CoreArgs {
    /// The runs under noise, if they are asked for.
    pub fn noise(&self) -> Option<NoiseRequest> {
        self.noise.map(|seed| NoiseRequest {
            seed,
            runs: self.repeat,
            start_skew_cycles: self.start_skew,
        })
    }
}

/// `sim` or `model`.
pub fn parse_backend(text: &str) -> Result<Backend, Error> {
    match text {
        "sim" => Ok(Backend::Sim),
        "model" => Ok(Backend::Model),
        _ => Err(Error::argument("--backend", text, "accepted: sim, model")),
    }
}

/// Constants of the model: from a file, or those that ship with it.
pub fn load_calibration(file: Option<&Path>) -> Result<Calibration, Error> {
    match file {
        Some(path) => noccl::study::read_calibration(path),
        None => Ok(Calibration::shipped()?),
    }
}
