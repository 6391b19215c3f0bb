// SPDX-License-Identifier: Apache-2.0
//! `noccl run`

use super::messages::MessagesArgs;
use super::program::{Asked, ProgramArgs};
use crate::args::{
    CheckpointArgs, CoreArgs, HardwareArgs, SpecArgs, StallArgs, parse_mode, parse_threads,
};
use crate::progress::{rate, watched};
use crate::table::grouped;
use crate::{Outcome, output};
use clap::Args;
use noccl::{Error, HardwareReport, Mode, NoiseStatistics, RunReport, RunRequest, Verified};
use std::path::PathBuf;

/// Run a schedule, a trace or a program, cycle by cycle
///
/// In value mode a schedule that claims a collective gets random inputs and its outputs are verified.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run reduce.json
  noccl run reduce.json --spec collective_noc_4x4_published --mode timing --json
  noccl run exchange.json --spec tilepro64_7x7 --lock-step
  noccl run transactions.json --trace --links --json
  noccl run ring.elf --program --ranks 16 --spec tilepro64_4x4
  noccl run jacobi.py --program --ranks 16 --spec collective_noc_4x4 -- 64
  noccl run solver.messages --messages --spec tilepro64_4x4 --compute-scale 4
  noccl run large.json --mode timing --checkpoint large.ckpt
  noccl run large.json --mode timing --resume large.ckpt
  noccl run solver.elf --program --ranks 64 --spec tilepro64_8x8 --checkpoint solver.ckpt
  noccl run reduce.json --backend rtl
  noccl run reduce.json --backend rtl --boundary dma
  noccl run transactions.json --trace --backend rtl --boundary axi --stalls 60,60 --stall-seed 7")]
pub struct Run {
    /// Schedule (JSON), or trace with --trace, program with --program, message trace with --messages
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    /// The file is a trace of AXI transactions
    #[arg(long, conflicts_with_all = ["checkpoint", "resume"])]
    trace: bool,
    /// value (bytes move and are checked) or timing (same cycles, faster)
    #[arg(long, default_value = "value", value_parser = parse_mode)]
    mode: Mode,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads of the simulator; the result does not depend on it (1 to 256)
    #[arg(long, default_value_t = 1, value_parser = parse_threads)]
    threads: usize,
    /// Give up with a diagnosis after this many cycles
    #[arg(long, value_name = "CYCLES")]
    max_cycles: Option<u64>,
    /// Report the load of every link (JSON only)
    #[arg(long, requires = "json")]
    links: bool,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    messages: MessagesArgs,
    #[command(flatten)]
    cores: CoreArgs,
    #[command(flatten)]
    stalls: StallArgs,
    #[command(flatten)]
    hardware: HardwareArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Run {
    pub fn run(&self) -> Result<Outcome, Error> {
        let asked = Asked {
            file: &self.file,
            max_cycles: self.max_cycles,
            noise_seed: self.cores.noise().map(|noise| noise.seed),
            is_json: self.json,
            checkpoint: self.checkpoint.request(),
            spec: &self.spec.spec,
            overrides: &self.spec.overrides.overrides,
        };
        let is_script = self.file.extension().is_some_and(|e| e == "py");
        if self.program.program && is_script {
            return self.program.run_script(&asked);
        }
        let network = self.spec.load()?;
        if self.program.program {
            return self.program.run(&network, &asked);
        }
        if self.messages.messages {
            return self.messages.run(&network, &self.program, &asked);
        }
        let mut request = RunRequest::new(self.mode);
        request.seed = self.seed;
        request.has_links = self.links;
        request.checkpoint = self.checkpoint.request();
        request.hardware = self.hardware.request()?;
        request.config.threads = self.threads;
        self.stalls.apply(&mut request.config);
        request.config.is_lock_step = self.cores.lock_step;
        request.noise = self.cores.noise();
        if let Some(cycles) = self.max_cycles {
            request.config.max_cycles = cycles;
        }
        let report = if self.trace {
            let trace = noccl::read_trace(&self.file)?;
            watched("transactions", |watch| {
                noccl::replay(&network, &trace, &request, watch)
            })?
        } else {
            let schedule = noccl::read_schedule(&self.file)?;
            watched("actions", |watch| {
                noccl::run(&network, &schedule, &request, watch)
            })?
        };
        if self.json {
            output::json(&report)?;
        } else {
            output::result(&summary(&report))?;
        }
        let is_wrong = report.verified.is_no() || report.wrong_transactions > 0;
        Ok(if is_wrong {
            Outcome::Failed
        } else {
            Outcome::Fine
        })
    }
}

fn summary(report: &RunReport) -> String {
    let verified = match report.verified {
        Verified::Yes if report.wrong_transactions == 0 => "yes",
        Verified::NotChecked if report.wrong_transactions == 0 => "not checked",
        Verified::Yes | Verified::No | Verified::NotChecked => "NO: outputs are wrong",
    };
    let link = report.busiest_link.as_ref().map_or_else(
        || "none".to_owned(),
        |l| {
            format!(
                "{} with {} flits (tiles: X,Y clusters, mem:N memories)",
                l.name(),
                grouped(l.flits)
            )
        },
    );
    format!(
        "network       {}\ncycles        {}\ntime          {}\nactions       {}\nflit-hops     {}\n\
         energy        {:.1} nJ\nbusiest link  {link}\nverified      {verified}\n",
        report.network,
        grouped(report.cycles),
        time(report),
        grouped(report.actions.len() as u64),
        grouped(report.counters.flit_hops),
        report.energy_pj / 1e3,
    ) + &report.noise.as_ref().map_or_else(String::new, noise)
        + &report.hardware.as_ref().map_or_else(String::new, course)
}

/// The runtime at the network's clock, and what it means for the payload of a collective.
fn time(report: &RunReport) -> String {
    let bandwidth = report
        .payload_gb_per_s
        .map_or_else(String::new, |gb| format!(", {gb:.1} GB/s of payload"));
    let (ns, clock) = (report.time_ns, report.clock_ghz);
    format!("{ns:.1} ns at {clock} GHz{bandwidth}")
}

/// The line of the runs under noise.
fn noise(found: &NoiseStatistics) -> String {
    format!(
        "noise         {} runs: mean {:.1} cycles ({} to {}), variance {:.4} us^2\n",
        grouped(found.runs.into()),
        found.mean_cycles,
        grouped(found.least_cycles),
        grouped(found.most_cycles),
        found.variance_us2,
    )
}

/// The line of the hardware that took the same course.
fn course(hardware: &HardwareReport) -> String {
    format!(
        "hardware      {} cycles, {} handshakes compared, no difference, {}\n",
        grouped(hardware.cycles),
        grouped(hardware.handshakes),
        rate(hardware.cycles_per_second),
    )
}
