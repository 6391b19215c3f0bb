// SPDX-License-Identifier: Apache-2.0
//! `noccl coherence`

use crate::args::OverrideArgs;
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::{Args, ValueEnum};
use noccl::Error;
use noccl::study::{
    CoherenceProgram, CoherenceProtocol, CoherenceRequest, CoherenceRow, KernelSize,
};
use std::path::PathBuf;

/// Compare networks under a coherence protocol
///
/// Designs of S2's network. Cores with private caches run kernels or recordings.
///
/// A substitute for S2's full-system runs (docs/coherence.md): 64 in-order cores with private caches of 1 MiB, one reference per cycle; locks and
/// barriers are taken on the machine. Every load is compared with the last store to its line. The other designs are compared with the first.
///
/// Designs: baseline, collective, unicast, greedy, complete, private, slots, connected, or any preset smart_WxH or file. Kernels: fft, lu,
/// radix, ocean, water, barnes-hut, or all; their results are checked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl coherence
  noccl coherence --protocol ht --kernel fft,radix --design collective,greedy,complete,connected
  noccl coherence --protocol token --kernel all --design baseline,complete --size standard --json
  noccl coherence --kernel water --design complete,private -P router.smart.vcs=8
  noccl coherence --kernel lu --threads 16 --design smart_4x4 --save lu.refs
  noccl coherence --recording lu.refs --design complete")]
pub struct Coherence {
    /// Protocols: ht (homes ask all caches), token (requesters do), or both
    #[arg(long, value_name = "LIST", default_value = "ht,token")]
    protocol: String,
    /// Kernels [default: fft without --recording]
    #[arg(long, value_name = "LIST")]
    kernel: Option<String>,
    /// Recording of a program's references; may be repeated
    #[arg(long, value_name = "FILE")]
    recording: Vec<PathBuf>,
    /// Designs, of which the others are compared with the first
    #[arg(
        long,
        value_name = "LIST",
        default_value = "collective,greedy,complete,connected"
    )]
    design: String,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Threads of kernels, a core each (1 to 64)
    #[arg(long, value_name = "N", default_value_t = 64)]
    threads: u32,
    /// Size of kernels
    #[arg(long, value_enum, default_value_t = SizeArg::Small)]
    size: SizeArg,
    /// Write the recording of the one kernel, before it runs
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

/// Size of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SizeArg {
    /// 50,000 to 200,000 references
    Small,
    /// 350,000 to 1,300,000
    Standard,
}

impl Verb for Coherence {
    fn idle(&self) -> Vec<Idle> {
        let has_kernel = self.kernel.is_some() || self.recording.is_empty();
        effects::idle(!has_kernel, &["threads", "size"], "recordings", "--kernel")
    }

    fn run(&self) -> Result<Outcome, Error> {
        if let Some(path) = &self.save {
            noccl::files::check_output(path)?;
        }
        let request = CoherenceRequest {
            protocols: noccl::study::parse_protocols(&self.protocol)?,
            programs: self.programs()?,
            designs: noccl::study::parse_designs(&self.design)?,
            overrides: self.overrides.overrides.clone(),
        };
        let rows = watched("runs", |watch| noccl::study::coherence(&request, watch))?;
        if self.json {
            output::json(&rows)?;
        } else {
            output::result(&(self.overrides.heading() + &text(&rows)))?;
        }
        Ok(Outcome::Fine)
    }
}

impl Coherence {
    fn programs(&self) -> Result<Vec<CoherenceProgram>, Error> {
        let kernels = match &self.kernel {
            Some(names) => noccl::study::parse_kernels(names)?,
            None if self.recording.is_empty() => noccl::study::parse_kernels("fft")?,
            None => Vec::new(),
        };
        let size = match self.size {
            SizeArg::Small => KernelSize::Small,
            SizeArg::Standard => KernelSize::Standard,
        };
        let mut programs = Vec::new();
        for kernel in &kernels {
            programs.push(CoherenceProgram::kernel(*kernel, self.threads, size)?);
        }
        if let Some(path) = &self.save {
            let [program] = &programs[..] else {
                let accepted = "accepted: with one kernel";
                return Err(Error::argument("--save", path.display(), accepted));
            };
            program.save(path)?;
        }
        for path in &self.recording {
            programs.push(noccl::study::read_recording(path)?);
        }
        Ok(programs)
    }
}

fn text(rows: &[CoherenceRow]) -> String {
    use Align::{Left, Right};
    let header = [
        ("program", Left),
        ("protocol", Left),
        ("design", Left),
        ("cycles", Right),
        ("of the first", Right),
        ("misses", Right),
        ("cycles per miss", Right),
        ("broadcasts", Right),
        ("acknowledgements", Right),
        ("received per flow", Right),
        ("table entries", Right),
        ("energy of the first", Right),
    ];
    let dash = || "-".to_owned();
    let tenths = |number: f64| format!("{number:.1}");
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let energy = |row: &CoherenceRow| {
        let text = |(ratio, [least, most]): (f64, [f64; 2])| {
            format!("{ratio:.2} ({least:.2} to {most:.2})")
        };
        let energy = row.relative_energy.zip(row.relative_energy_range);
        energy.map_or_else(dash, text)
    };
    let line = |row: &CoherenceRow| {
        let received = row.received_per_flow;
        vec![
            row.program.clone(),
            protocol(row.protocol).to_owned(),
            row.design.clone(),
            grouped(row.cycles),
            format!("{:.3}", row.relative_cycles),
            grouped(row.misses),
            row.mean_miss_cycles.map_or_else(dash, tenths),
            percent(row.broadcast_share),
            percent(row.acknowledgement_share),
            received.map_or_else(dash, |number| format!("{number:.2}")),
            row.mean_table_entries.map_or_else(dash, tenths),
            energy(row),
        ]
    };
    let body: Vec<Vec<String>> = rows.iter().map(line).collect();
    format!(
        "{}\nA substitute for full-system runs: a protocol engine and kernels of our own (docs/coherence.md). Shares are of flows; energy in brackets \
         with one unit half or twice as large\n",
        table(&header, &body)
    )
}

const fn protocol(protocol: CoherenceProtocol) -> &'static str {
    match protocol {
        CoherenceProtocol::Ht => "ht",
        CoherenceProtocol::Token => "token",
    }
}
