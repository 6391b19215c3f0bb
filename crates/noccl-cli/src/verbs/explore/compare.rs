// SPDX-License-Identifier: Apache-2.0
//! `noccl compare`

use crate::args::{CollectiveArgs, CoreArgs, SpecArgs, load_calibration, parse_backend};
use crate::effects::{self, Idle};
use crate::forms::FormArgs;
use crate::progress::watched;
use crate::verbs::Verb;
use crate::verbs::rows::{self, none_wrong};
use crate::{Outcome, args};
use clap::Args;
use noccl::collective::Extent;
use noccl::{Backend, Error};
use std::path::PathBuf;

/// Compare algorithms for one collective, each verified
///
/// Reports cycles, bounds and energy. The simulator verifies every result.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl compare multicast --bytes 1KiB,32KiB
  noccl compare reduce --group row --root 0,0 --bytes 4KiB --algorithms chain,in_network --json
  noccl compare all_reduce --spec collective_noc_8x8 --group 0,0,4,4 --bytes 8KiB --element fp32
  noccl compare reduce --bytes 4KiB --columns algorithm,cycles,energy_nj --format csv
  noccl compare barrier --group row
  noccl compare all_to_all --spec tilepro64_7x7 --bytes 128,1KiB
  noccl compare all_to_all --spec tilepro64_7x7 --bytes 128 --algorithms rounds:split --lock-step --json
  noccl compare all_to_all --spec tilepro64_2x1 --lengths '0,1KiB;8,0'
  noccl compare scatter --group 0,0,4,4 --root 1,2 --bytes 64,1KiB
  noccl compare custom --definition swap.json --group 0,0,2,1 --bytes 1KiB
  noccl compare multicast --spec collective_noc_64x64 --bytes 32KiB --backend model")]
pub struct Compare {
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    collective: CollectiveArgs,
    #[command(flatten)]
    cores: CoreArgs,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Payload sizes per participant, e.g. 1KiB,32KiB; of all_gather, reduce_scatter, all_to_all, scatter and gather:
    /// bytes of one block; of custom: of one chunk; a barrier has none
    #[arg(long, value_name = "SIZE,...", default_value = "1KiB")]
    bytes: String,
    /// all, auto (what the model expects to be fastest), or names such as chain,tree,row_column,
    /// in_network; parameters fix what is searched else: chain:8 has 8 chunks
    #[arg(long, value_name = "all|auto|NAME,...", default_value = "all")]
    algorithms: String,
    /// sim (cycle by cycle, bytes verified) or model (analytic; schedules proved, no bytes move: not checked)
    #[arg(long, default_value = "sim", value_parser = parse_backend)]
    backend: Backend,
    /// Constants of the model, from `noccl calibrate -o`; default: those that ship with it
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Simulate every algorithm; by default software that is too slow to be the fastest, and costly to simulate, has an estimate
    #[arg(long)]
    all: bool,
    /// Report the load of every link (JSON only)
    #[arg(long)]
    links: bool,
    #[command(flatten)]
    form: FormArgs,
}

impl Verb for Compare {
    fn idle(&self) -> Vec<Idle> {
        let kind = self.collective.collective;
        let is_model = self.backend == Backend::Model;
        let (sim, model) = ("--backend sim", "--backend model");
        [
            effects::of_payload(kind, &["bytes", "seed"]),
            effects::of_sums(kind),
            effects::idle(!is_model, &["calibration"], sim, model),
            effects::idle(is_model, &["seed"], model, sim),
            effects::idle(
                self.algorithms != "all",
                &["all"],
                "algorithms that are named, which are simulated",
                "--algorithms all",
            ),
            self.form.idle(),
            effects::idle(!self.form.is_json(), &["links"], "a table", "--json"),
        ]
        .concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&rows::TABLE)?;
        let network = self.spec.load()?;
        let bytes = args::sizes(&self.bytes)?;
        let algorithms = noccl::collective::parse_algorithms(&self.algorithms)?;
        let mut request = self.collective.request(&network, &bytes, &algorithms)?;
        request.seed = self.seed;
        request.has_links = self.links;
        request.is_lock_step = self.cores.lock_step;
        request.noise = self.cores.noise();
        request.extent = if self.all {
            Extent::All
        } else {
            Extent::MayWin
        };
        let comparison = match self.backend {
            Backend::Sim => watched("rows", |watch| {
                noccl::collective::compare(&network, &request, watch)
            })?,
            Backend::Model => {
                let calibration = load_calibration(self.calibration.as_deref())?;
                noccl::collective::compare_by_model(&network, &request, &calibration)?
            }
        };
        rows::print(&comparison, &self.form)?;
        Ok(if none_wrong(&comparison.rows) {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}
