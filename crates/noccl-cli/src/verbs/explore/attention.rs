// SPDX-License-Identifier: Apache-2.0
//! `noccl attention`

use crate::args::OverrideArgs;
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::table::grouped;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::collective::Verified;
use noccl::study::{AttentionRequest, AttentionRow};
use noccl::{Error, Mode};

/// One attention layer over a whole mesh
///
/// Multicasts of queries, keys and values; row maxima and row sums by in-network reductions.
#[derive(Debug, Args)]
#[command(after_help = "\
Clusters have an L1 of 1 MiB (preset collective_noc_WxH_large).

Examples:
  noccl attention --mesh 32x32
  noccl attention --mesh 16x16 --tokens 2048 --heads 4 --json
  noccl attention --mesh 4x4 --tokens 64 --head-columns 16 --heads 2 --element fp64 --mode value")]
pub struct Attention {
    #[command(flatten)]
    request: AttentionRequest,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Print the row as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Attention {
    fn idle(&self) -> Vec<Idle> {
        let is_timed = self.request.mode == Mode::Timing;
        effects::idle(is_timed, &["seed"], "--mode timing", "--mode value")
    }

    fn run(&self) -> Result<Outcome, Error> {
        let request = AttentionRequest {
            overrides: self.overrides.overrides.clone(),
            ..self.request.clone()
        };
        let row = watched("actions", |watch| noccl::study::attention(&request, watch))?;
        if self.json {
            output::json(&row)?;
        } else {
            output::result(&(self.overrides.heading() + &summary(&row)))?;
        }
        let is_right = !row.verified.is_no();
        Ok(if is_right {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

fn summary(row: &AttentionRow) -> String {
    let conclusion = match row.verified {
        Verified::Yes => "\noutput             right, bit by bit\n",
        Verified::No => "\noutput             WRONG\n",
        Verified::NotChecked => "\noutput             not checked\n",
    };
    let exposed = row.head_cycles - row.compute_cycles as f64;
    format!(
        "{} clusters, {} tokens, {} heads of {} columns, {}\n\n\
         cycles             {}\n\
         per head           {:.1}\n\
         its kernels        {}\n\
         not hidden         {exposed:.1}\n\
         FPU utilisation    {:.1} %{conclusion}",
        row.mesh,
        row.tokens,
        row.heads,
        row.head_columns,
        row.element,
        grouped(row.cycles),
        row.head_cycles,
        grouped(row.compute_cycles),
        100.0 * row.utilisation,
    )
}
