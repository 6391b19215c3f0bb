// SPDX-License-Identifier: Apache-2.0
//! Options of runs that are simulated action by action.

use crate::args::{HardwareArgs, StallArgs};
use crate::effects::{self, Idle};
use clap::Args;
use noccl::collective::RunRequest;
use noccl::{Error, Mode};

/// How a schedule or a trace is simulated.
#[derive(Debug, Args)]
pub struct SimulationArgs {
    /// value (bytes move and are checked) or timing (same cycles, faster)
    #[arg(long, default_value = "value", value_parser = noccl::parse_mode)]
    mode: Mode,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads of the simulator; the result does not depend on it (1 to 256)
    #[arg(long, default_value_t = 1, value_parser = noccl::parse_threads)]
    threads: usize,
    /// Give up with a diagnosis after this many cycles
    #[arg(long, value_name = "CYCLES")]
    max_cycles: Option<u64>,
    /// Report the load of every link (JSON only)
    #[arg(long, requires = "json")]
    links: bool,
    #[command(flatten)]
    stalls: StallArgs,
    #[command(flatten)]
    hardware: HardwareArgs,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

impl SimulationArgs {
    /// Options without an effect.
    pub fn idle(&self) -> Vec<Idle> {
        let is_timed = self.mode == Mode::Timing;
        effects::idle(is_timed, &["seed"], "--mode timing", "--mode value")
    }

    pub fn request(&self) -> Result<RunRequest, Error> {
        let mut request = RunRequest::new(self.mode);
        request.seed = self.seed;
        request.has_links = self.links;
        request.hardware = self.hardware.request()?;
        request.config.threads = self.threads;
        self.stalls.apply(&mut request.config);
        if let Some(cycles) = self.max_cycles {
            request.config.max_cycles = cycles;
        }
        Ok(request)
    }
}
