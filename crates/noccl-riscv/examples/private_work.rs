// SPDX-License-Identifier: Apache-2.0
//! Executes a program on 64 cores without messages, a slice of cycles each in their order, and prints instructions per
//! CPU-second.
//!
//! `noccl build programs/bench/private_work.c -o out/private_work.elf`, then
//! `cargo run --release -p noccl-riscv --example private_work -- out/private_work.elf`.

use noccl_riscv::{Core, CostTable, Image, Program, Stopped};
use std::error::Error;
use std::io::Write;

const CORES: u64 = 64;
const MEMORY_BYTES: u64 = 1 << 18;
/// Of each core, at one cycle an instruction.
const CYCLES: u64 = 4_000_000;
/// Cycles that a core executes before the next one does.
const SLICE_CYCLES: u64 = 1000;
/// Of `utime` and `stime` in Linux.
const TICKS_PER_S: f64 = 100.0;

/// User and system time of this process so far.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("no name in /proc/self/stat")?.1;
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next().ok_or("too few fields in /proc/self/stat");
    let (user, system): (f64, f64) = (ticks()?.parse()?, ticks()?.parse()?);
    Ok((user + system) / TICKS_PER_S)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which program file?")?;
    let image = Image::from_elf(&std::fs::read(path)?)?;
    let program = Program::new(image, &CostTable::uniform(1))?;
    let cores = (0..CORES).map(|hart| Core::new(&program, MEMORY_BYTES, hart));
    let mut cores = cores.collect::<Result<Vec<Core>, _>>()?;
    let start = cpu_seconds()?;
    for limit in (SLICE_CYCLES..=CYCLES).step_by(SLICE_CYCLES as usize) {
        for core in &mut cores {
            let stopped = core.run(&program, limit);
            if stopped != Stopped::CycleLimit {
                return Err(format!("core {} ended: {stopped:?}", core.hart).into());
            }
        }
    }
    let seconds = cpu_seconds()? - start;
    let instructions: u64 = cores.iter().map(|core| core.retired_instructions).sum();
    let millions = instructions as f64 / seconds / 1e6;
    let report = format!(
        "{instructions} instructions, {seconds:.2} CPU-seconds, {millions:.0} million per CPU-second"
    );
    writeln!(std::io::stdout(), "{report}")?;
    Ok(())
}
