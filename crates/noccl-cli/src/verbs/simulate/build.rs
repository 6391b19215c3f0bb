// SPDX-License-Identifier: Apache-2.0
//! `noccl build`

use crate::verbs::Verb;
use crate::{Outcome, output, progress};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use noccl::Error;
use noccl::program::{BuildRow, CompileRequest, CompileStep, Messages, Optimization};
use std::io::IsTerminal;
use std::num::NonZeroU8;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Compile a C program for executed cores
///
/// A pinned RISC-V compiler, the runtime, one file.
///
/// The first call fetches the compiler (Debian's gcc 12.2 for RISC-V, 42 MB, 210 MB unpacked) and the C library (picolibc 1.8, 115 MB, of which 18 MB
/// are unpacked) into the user's cache. NOCCL_CACHE names another folder, NOCCL_DEBIAN a mirror of Debian's archive, NOCCL_RISCV_GCC a compiler of
/// your own. Files are in memory.
///
/// Functions of mpi.h go through the ports of core tiles. With --calls, `noccl run` carries them out, and the program runs on every network that
/// runs programs; then there are no ports of the network and no nocmsg.h.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl build sort.c -o sort.elf
  noccl build main.c solver.c -O3 -I include -D CLASS=1 -o solver.elf
  noccl build ring.c -o ring.elf --calls
  noccl build ring.c -o ring.elf --credits 4
  noccl build sort.c -o sort.elf --keep out/sort --verbose
  noccl build sort.c -o sort.elf --json")]
pub struct Build {
    /// Files in C (.c) or assembler (.S, .s), and objects (.o)
    #[arg(required = true, value_name = "FILE")]
    sources: Vec<PathBuf>,
    /// Write the program here
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Optimise: 0, 1, 2, 3, or s for short code
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = parse_optimization)]
    optimization: Optimization,
    /// Search headers here, before the runtime's; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a macro; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Hand each call of MPI to the runtime of programs: the program runs on every network
    #[arg(long)]
    calls: bool,
    /// Let the message library wait for credits when the receiver has not begun to read so many units (of 128 bytes) of a
    /// rank, 1 to 255; without, it has no flow control
    #[arg(long, value_name = "UNITS", conflicts_with = "calls")]
    credits: Option<NonZeroU8>,
    /// Keep preprocessed sources, assembler, objects and the linker's map in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Show the commands
    #[arg(short, long)]
    verbose: bool,
    /// Print sizes and warnings as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Build {
    fn run(&self) -> Result<Outcome, Error> {
        let request = CompileRequest {
            sources: self.sources.clone(),
            output: self.output.clone(),
            optimization: self.optimization,
            messages: if self.calls {
                Messages::Calls
            } else {
                Messages::Ports
            },
            credits: self.credits,
            include: self.include.clone(),
            define: self.define.clone(),
            keep: self.keep.clone(),
        };
        let display = StepDisplay::new(self.verbose);
        let row = noccl::program::build(&request, &|step| {
            display.show(step);
            !progress::is_asked()
        });
        display.bar.finish_and_clear();
        let row = row?;
        if self.json {
            output::json(&row)?;
        } else {
            self.report(&row);
        }
        Ok(Outcome::Fine)
    }
}

impl Build {
    fn report(&self, row: &BuildRow) {
        if !row.warnings.is_empty() {
            output::log(row.warnings.trim_end());
        }
        output::log(&format!(
            "{}: {} bytes of code, {} of data, {} that begin as zero",
            self.output.display(),
            row.code_bytes,
            row.data_bytes,
            row.zero_bytes
        ));
    }
}

fn parse_optimization(text: &str) -> Result<Optimization, Error> {
    let accepted = "accepted: 0, 1, 2, 3, s";
    Optimization::parse(text).ok_or_else(|| Error::argument("-O", text, accepted))
}

/// What is shown of the work: a bar while the compiler is fetched, commands if somebody wants to see them.
struct StepDisplay {
    bar: ProgressBar,
    is_verbose: bool,
    /// What was told last, so that it is told once.
    told: Mutex<String>,
}

impl StepDisplay {
    fn new(is_verbose: bool) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        let template = "{bar:30} {bytes}/{total_bytes}  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            is_verbose,
            told: Mutex::new(String::new()),
        }
    }

    fn show(&self, step: &CompileStep) {
        match step {
            CompileStep::Fetching {
                package,
                bytes,
                total_bytes,
            } => {
                self.bar.set_length(*total_bytes);
                self.bar.set_position(*bytes);
                self.bar.set_message(*package);
                let millions = total_bytes / 1_000_000;
                let what = match package.starts_with("picolibc") {
                    true => "the C library",
                    false => "the compiler",
                };
                self.tell(format!("fetching {what}, {millions} MB, once"));
            }
            CompileStep::Unpacking => self.bar.set_message("unpacking"),
            CompileStep::Compiling { command } if self.is_verbose => self.tell(command.clone()),
            CompileStep::Compiling { .. } => {}
        }
    }

    fn tell(&self, text: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told != text {
            self.bar.suspend(|| output::log(&text));
            *told = text;
        }
    }
}
