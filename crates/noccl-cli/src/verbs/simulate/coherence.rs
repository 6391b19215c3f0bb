// SPDX-License-Identifier: Apache-2.0
//! `noccl coherence`

use crate::Outcome;
use crate::args::OverrideArgs;
use crate::effects::{self, Idle};
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use clap::{Args, ValueEnum};
use noccl::Error;
use noccl::study::{
    CoherenceProgram, CoherenceProtocol, CoherenceRequest, CoherenceRow, KernelSize,
};
use std::path::PathBuf;

const LEGEND: &str = "
A substitute for full-system runs: a protocol engine and kernels of our own (docs/coherence.md). Shares are of flows; energy in brackets \
with one unit half or twice as large
";

/// Compare networks under a coherence protocol
///
/// Designs of S2's network, and networks of core tiles. Cores with private caches run kernels or recordings.
///
/// A substitute for S2's full-system runs (docs/coherence.md): 64 in-order cores with private caches of 1 MiB, one reference per cycle; locks and
/// barriers are taken on the machine. Every load is compared with the last store to its line. The other designs are compared with the first.
///
/// Designs: baseline, collective, unicast, greedy, complete, private, slots, connected, any preset smart_WxH or tilepro64_WxH, or a file.
/// Kernels: fft, lu, radix, ocean, water, barnes-hut, or all; their results are checked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl coherence
  noccl coherence --protocol ht --kernel fft,radix --design collective,greedy,complete,connected
  noccl coherence --protocol token --kernel all --design baseline,complete --size standard --json
  noccl coherence --kernel water --design complete,private -P router.smart.vcs=8
  noccl coherence --kernel lu --threads 16 --design smart_4x4 --save lu.refs
  noccl coherence --threads 16 --design smart_4x4,tilepro64_4x4
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
    #[command(flatten)]
    form: FormArgs,
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
        let of_kernels = effects::idle(!has_kernel, &["threads", "size"], "recordings", "--kernel");
        [of_kernels, self.form.idle()].concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
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
        let above = self.overrides.heading();
        self.form.print(&TABLE, &rows, &rows, (&above, LEGEND))?;
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

static TABLE: RowTable<CoherenceRow> = RowTable {
    columns: &[
        RowColumn::words("program", "program", |row| Value::words(&row.program)),
        RowColumn::words("protocol", "protocol", |row| {
            Value::words(protocol(row.protocol))
        }),
        RowColumn::words("design", "design", |row| Value::words(&row.design)),
        RowColumn::number("cycles", "cycles", |row| Value::count(row.cycles)),
        RowColumn::number("relative_cycles", "of the first", |row| {
            Value::fixed(row.relative_cycles, 3)
        }),
        RowColumn::number("misses", "misses", |row| Value::count(row.misses)),
        RowColumn::number("miss_cycles", "cycles per miss", |row| {
            Value::of(row.mean_miss_cycles, tenths)
        }),
        RowColumn::number("broadcast_percent", "broadcasts", |row| {
            Value::percent(row.broadcast_share)
        }),
        RowColumn::number("acknowledgement_percent", "acknowledgements", |row| {
            Value::percent(row.acknowledgement_share)
        }),
        RowColumn::number("received_per_flow", "received per flow", |row| {
            Value::of(row.received_per_flow, |number| Value::fixed(number, 2))
        }),
        RowColumn::number("table_entries", "table entries", |row| {
            Value::of(row.mean_table_entries, tenths)
        }),
        RowColumn::number("relative_energy", "energy of the first", |row| {
            let energy = row.relative_energy.zip(row.relative_energy_range);
            Value::of(energy, |(ratio, [least, most])| {
                Value::fixed(ratio, 2).signed("", &format!(" ({least:.2} to {most:.2})"))
            })
        }),
    ],
    dropped_first: &[
        "table_entries",
        "received_per_flow",
        "acknowledgement_percent",
    ],
};

fn tenths(number: f64) -> Value {
    Value::fixed(number, 1)
}

const fn protocol(protocol: CoherenceProtocol) -> &'static str {
    match protocol {
        CoherenceProtocol::Ht => "ht",
        CoherenceProtocol::Token => "token",
    }
}
