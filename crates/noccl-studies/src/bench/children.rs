// SPDX-License-Identifier: Apache-2.0
//! Every benchmark in a process of its own.

use super::{BenchRow, Benchmark, Part};
use crate::{Error, Step, parse_json};
use noccl_files::FileError;
use noccl_run::{Watch, WorkStage};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Measured runs are this much shorter when instructions are counted, which slows them 50 times.
const COUNTING_DIVISOR: u64 = 20;

/// Runs benchmarks one after the other; `program` is the `noccl` command, which each child runs with
/// `bench --here`. With `has_instructions` two shorter ones run under callgrind.
///
/// # Errors
/// [`Error::File`] if a child cannot be started or fails.
pub fn bench(
    program: &Path,
    benchmarks: &[Benchmark],
    has_instructions: bool,
    watch: Watch<'_>,
) -> Result<Vec<BenchRow>, Error> {
    let mut order = benchmarks.to_vec();
    let base = Benchmark::Uniform4;
    if !order.contains(&base) {
        order.insert(0, base);
    }
    let mut rows = Vec::new();
    let total = order.len() as u64;
    for benchmark in &order {
        let now = Step {
            done: rows.len() as u64,
            total,
            simulated_cycles: rows.iter().map(|r: &BenchRow| r.cycles).sum(),
            activity: WorkStage::Simulating,
        };
        let is_wanted = || watch.report(now);
        let child = |part: Part| child_row(&run(child(program, *benchmark, part), &is_wanted)?);
        let load = child(Part::Probe)?.offered_beats_per_cycle;
        let mut row = child(Part::Measure { load, divisor: 1 })?;
        // A million tiles would take hours under valgrind.
        if has_instructions && !matches!(benchmark, Benchmark::Wafer(_)) {
            row.instructions = Some(instructions(program, *benchmark, &row, &is_wanted)?);
        }
        rows.push(row);
        let step = Step {
            done: rows.len() as u64,
            total,
            simulated_cycles: rows.iter().map(|r| r.cycles).sum(),
            activity: WorkStage::Simulating,
        };
        if !watch.report(step) {
            let cycle = step.simulated_cycles;
            return Err(Error::Run(noccl_run::RunError::Interrupted { cycle }));
        }
    }
    let base_row = rows.iter().find(|r| r.name == base.name());
    let base_bytes = base_row.and_then(|row| row.peak_resident_bytes);
    for row in rows.iter_mut().filter(|r| r.name != base.name()) {
        row.bytes_per_tile = above_base(row.peak_resident_bytes, base_bytes, row.tiles);
    }
    rows.retain(|r| benchmarks.iter().any(|b| b.name() == r.name));
    Ok(rows)
}

/// Peak memory above the base's per tile. Both must have been measured: 0 bytes would meet any goal.
fn above_base(peak_bytes: Option<u64>, base_bytes: Option<u64>, tiles: u64) -> Option<f64> {
    let above = peak_bytes?.saturating_sub(base_bytes?);
    Some(above as f64 / tiles.max(1) as f64)
}

/// The command that runs one part; `noccl bench --here` reads these options.
fn child(program: &Path, benchmark: Benchmark, part: Part) -> Command {
    let mut command = Command::new(program);
    command.args(["bench", "--only", benchmark.name(), "--here", "--json"]);
    match part {
        Part::Probe => command.arg("--probe"),
        Part::Measure { load, divisor } => command
            .args(["--load", &load.to_string()])
            .args(["--divisor", &divisor.to_string()]),
    };
    command
}

/// Instructions and flit-hops of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counted {
    instructions: u64,
    flit_hops: u64,
}

/// Instructions of the measured run without the start of its process, from two shorter runs.
fn instructions(
    program: &Path,
    benchmark: Benchmark,
    full: &BenchRow,
    is_wanted: &dyn Fn() -> bool,
) -> Result<u64, Error> {
    let count = |divisor: u64| {
        let load = full.offered_beats_per_cycle;
        let part = Part::Measure { load, divisor };
        counted(program, child(program, benchmark, part), is_wanted)
    };
    let long = count(COUNTING_DIVISOR)?;
    let short = count(2 * COUNTING_DIVISOR)?;
    Ok(extrapolated(long, short, full.flit_hops))
}

/// What a run of `flit_hops` takes, by the difference of two runs. Two runs of the same length do not tell the
/// start of the process, so it stays in.
fn extrapolated(long: Counted, short: Counted, flit_hops: u64) -> u64 {
    let more = long.flit_hops.saturating_sub(short.flit_hops);
    let (instructions, of) = if more == 0 {
        (long.instructions, long.flit_hops.max(1))
    } else {
        (long.instructions.saturating_sub(short.instructions), more)
    };
    (instructions as f64 / of as f64 * flit_hops as f64) as u64
}

/// Runs a benchmark's process under callgrind.
fn counted(
    program: &Path,
    benchmark: Command,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Counted, Error> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(benchmark.get_args());
    let output = run(command, is_wanted)?;
    let log = String::from_utf8_lossy(&output.stderr);
    let instructions = log
        .lines()
        .find_map(|line| line.split("Collected :").nth(1)?.trim().parse::<u64>().ok())
        .ok_or_else(|| {
            Error::File(FileError::Content {
                path: "valgrind".to_owned(),
                expected: "callgrind log",
                reason: "no line 'Collected : N'".to_owned(),
            })
        })?;
    let flit_hops = child_row(&output)?.flit_hops;
    Ok(Counted {
        instructions,
        flit_hops,
    })
}

fn child_row(output: &Output) -> Result<BenchRow, Error> {
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<BenchRow> = parse_json("benchmark process", &text, "list of benchmark rows")?;
    rows.into_iter().next().ok_or_else(|| {
        Error::File(FileError::Content {
            path: "benchmark process".to_owned(),
            expected: "list of benchmark rows",
            reason: "the list is empty".to_owned(),
        })
    })
}

/// Runs a child to its end, or ends it when nobody wants it any more. It prints less than a pipe holds.
fn run(mut command: Command, is_wanted: &dyn Fn() -> bool) -> Result<Output, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |reason: String| {
        Error::File(FileError::File {
            path: name.clone(),
            reason,
        })
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("cannot be started: {e}")))?;
    let io = |e: std::io::Error| failed(format!("cannot be waited for: {e}"));
    while child.try_wait().map_err(io)?.is_none() {
        if !is_wanted() {
            child.kill().and_then(|()| child.wait()).map_err(io)?;
            return Err(Error::Run(noccl_run::RunError::Interrupted { cycle: 0 }));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().map_err(io)?;
    if output.status.success() {
        Ok(output)
    } else {
        let log = String::from_utf8_lossy(&output.stderr);
        Err(failed(format!("{}: {}", output.status, log.trim())))
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, above_base, extrapolated};

    #[test]
    fn memory_per_tile_is_unknown_without_both_peaks() {
        assert_eq!(above_base(Some(900), Some(100), 4), Some(200.0));
        assert_eq!(above_base(None, Some(100), 4), None);
        assert_eq!(above_base(Some(900), None, 4), None);
    }

    #[test]
    fn the_start_of_the_process_is_not_scaled() {
        let of = |flit_hops| Counted {
            instructions: 1_000_000 + 300 * flit_hops,
            flit_hops,
        };
        assert_eq!(extrapolated(of(500), of(250), 10_000), 3_000_000);
    }

    #[test]
    fn runs_of_one_length_keep_it() {
        let run = Counted {
            instructions: 5_000,
            flit_hops: 10,
        };
        assert_eq!(extrapolated(run, run, 20), 10_000);
    }
}
