// SPDX-License-Identifier: Apache-2.0
//! Executes a program file on one core without a network. Standard output is the program's console.
//!
//! `cargo run --release -p noccl-riscv --example execute -- PROGRAM.elf [--memory-bytes N] [--registers FILE]
//! [--memory FILE]`
//!
//! The core has rank 0 of 1. `--registers` writes the final registers as JSON, `--memory` the memory as it is. How it ended, and instructions per
//! second, go to standard error. The exit code is the program's; 99 after a trap.

use noccl_riscv::{
    Access, AccessKind, Core, CostTable, Image, MEMORY_BASE, Port, Program, Stopped, Trap,
};
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// After a trap.
const TRAPPED: u8 = 99;

struct Options {
    program: String,
    memory_bytes: u64,
    registers: Option<String>,
    memory: Option<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        program: String::new(),
        memory_bytes: 16 << 20,
        registers: None,
        memory: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("an option without a value");
        match argument.as_str() {
            "--memory-bytes" => options.memory_bytes = value()?.parse()?,
            "--registers" => options.registers = Some(value()?),
            "--memory" => options.memory = Some(value()?),
            _ => options.program = argument,
        }
    }
    Ok(options)
}

/// Responds to a port access: what a load returns, or the code with which the program ends.
fn respond(access: &Access, console: &mut Vec<u8>) -> Result<Response, Box<dyn Error>> {
    let port =
        Port::at(access.address).ok_or_else(|| format!("no port at {:#x}", access.address))?;
    Ok(match (port, access.kind) {
        (Port::Console, AccessKind::Store { value }) => {
            console.push(value as u8);
            Response::Value(0)
        }
        (Port::End, AccessKind::Store { value }) => Response::End(value),
        // Nobody else's time passes.
        (Port::Pause, AccessKind::Store { .. }) => Response::Value(0),
        (Port::Rank | Port::Column | Port::Row | Port::Status, AccessKind::Load) => {
            Response::Value(0)
        }
        (Port::Ranks | Port::Columns | Port::Rows, AccessKind::Load) => Response::Value(1),
        (Port::Cycle, AccessKind::Load) => Response::Value(access.cycle),
        _ => return Err(format!("{port:?}: one core has no network").into()),
    })
}

enum Response {
    Value(u64),
    End(u64),
}

/// Executes up to the end; the program's exit code, none after a trap.
fn execute(
    core: &mut Core,
    program: &Program,
    console: &mut Vec<u8>,
) -> Result<Option<u64>, Box<dyn Error>> {
    loop {
        match core.run(program, u64::MAX) {
            Stopped::Port(access) => match respond(&access, console)? {
                Response::End(code) => return Ok(Some(code)),
                Response::Value(value) => {
                    if !core.finish_store(access.ready_cycle) {
                        core.finish_load(value, access.ready_cycle);
                    }
                }
            },
            Stopped::Exit { code } => return Ok(Some(code)),
            Stopped::CycleLimit => return Err("out of cycles".into()),
            Stopped::Trap(trap) => return trapped(program, &trap),
            Stopped::Call(call) => return trapped(program, &call.refused()),
        }
    }
}

fn trapped(program: &Program, trap: &Trap) -> Result<Option<u64>, Box<dyn Error>> {
    let place = program.image().symbol_at(trap.pc);
    let place = place.map_or(String::new(), |(symbol, distance)| {
        format!(" ({} + {distance})", symbol.name)
    });
    writeln!(std::io::stderr(), "trap {trap}{place}")?;
    Ok(None)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let options = options()?;
    let image = Image::from_elf(&std::fs::read(&options.program)?)?;
    let program = Program::new(image, &CostTable::uniform(1))?;
    let mut core = Core::new(&program, options.memory_bytes, 0)?;
    let mut console = Vec::new();
    let start = Instant::now();
    let code = execute(&mut core, &program, &mut console)?;
    let seconds = start.elapsed().as_secs_f64();
    std::io::stdout().write_all(&console)?;
    let instructions = core.retired_instructions;
    let millions = instructions as f64 / seconds / 1e6;
    writeln!(
        std::io::stderr(),
        "{instructions} instructions, {millions:.0} million per second"
    )?;
    if let Some(path) = options.registers {
        std::fs::write(path, serde_json::to_vec(&core.registers)?)?;
    }
    if let Some(path) = options.memory {
        let memory = core.memory.read(MEMORY_BASE, core.memory.len_bytes());
        std::fs::write(path, memory.unwrap_or_default())?;
    }
    Ok(ExitCode::from(code.map_or(TRAPPED, |code| code as u8)))
}
