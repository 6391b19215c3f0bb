// SPDX-License-Identifier: Apache-2.0
//! `noccl attention`

use crate::args::{OverrideArgs, parse_mode, parse_threads};
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::table::grouped;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::collective::{ElementType, Verified};
use noccl::study::gemm::parse_mesh;
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
    /// Columns and rows of clusters, powers of two
    #[arg(long, value_name = "WxH", value_parser = parse_mesh, default_value = "32x32")]
    mesh: (u32, u32),
    /// Rows of Q, K and V; a multiple of both sides of the mesh
    #[arg(long, default_value_t = 4096)]
    tokens: u32,
    /// Columns of Q, K and V of a head
    #[arg(long, value_name = "COLUMNS", default_value_t = 128)]
    head_columns: u32,
    /// Heads, each with its own keys and values
    #[arg(long, default_value_t = 32)]
    heads: u32,
    /// Element of Q, K, V and of the softmax: fp64, fp32, fp16 or bf16; sums are fp64 or fp32
    #[arg(long, default_value = "fp16", value_parser = noccl::collective::parse_element)]
    element: ElementType,
    /// Share of the FPUs' peak that products reach
    #[arg(long, value_name = "SHARE")]
    utilisation: Option<f64>,
    /// FPU operations of one exponential
    #[arg(long, value_name = "OPERATIONS", default_value_t = 8)]
    exponential_operations: u32,
    /// value (computes, and compares with the reference) or timing (same cycles, faster)
    #[arg(long, default_value = "timing", value_parser = parse_mode)]
    mode: Mode,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads (1 to 256); the result does not depend on it
    #[arg(long, default_value_t = 1, value_parser = parse_threads)]
    threads: usize,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Print the row as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Attention {
    fn idle(&self) -> Vec<Idle> {
        let is_timed = self.mode == Mode::Timing;
        effects::idle(is_timed, &["seed"], "--mode timing", "--mode value")
    }

    fn run(&self) -> Result<Outcome, Error> {
        let mut request = AttentionRequest::new(self.mesh);
        let layer = &mut request.attention;
        layer.tokens = self.tokens;
        layer.head_columns = self.head_columns;
        layer.heads = self.heads;
        layer.element = self.element;
        layer.utilisation = self.utilisation.unwrap_or(layer.utilisation);
        layer.exponential_operations = self.exponential_operations;
        request.mode = self.mode;
        request.seed = self.seed;
        request.threads = self.threads;
        request.overrides.clone_from(&self.overrides.overrides);
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
