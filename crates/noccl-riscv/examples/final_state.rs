// SPDX-License-Identifier: Apache-2.0
//! Executes code from an initial state and prints the final one, a JSON object per line in and out: what the comparison
//! with another implementation (`python/tests/test_executed_cores.py`) runs.

use noccl_riscv::{Core, CostTable, Image, MEMORY_BASE, Program, Registers, Segment, Stopped};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{BufRead, Write};

/// A state, and what to execute from it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Hexadecimal bytes at the start of memory; executed from the first one.
    code: String,
    /// The same of data, at this distance from the start of memory.
    data: String,
    data_offset: u64,
    registers: Registers,
    memory_bytes: u64,
    /// Most instructions.
    instructions: u64,
}

#[derive(Serialize)]
struct Outcome {
    registers: Registers,
    pc: u64,
    retired_instructions: u64,
    /// Hexadecimal, as long as it was given.
    data: String,
    /// Empty at the limit.
    trap: String,
}

fn bytes(hexadecimal: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits
        .map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?))
        .collect()
}

fn outcome(case: &Case) -> Result<Outcome, Box<dyn Error>> {
    let code = bytes(&case.code)?;
    let data = bytes(&case.data)?;
    let data_address = MEMORY_BASE + case.data_offset;
    let segment = |address, bytes: &[u8], is_executable| Segment {
        address,
        memory_bytes: bytes.len() as u64,
        bytes: bytes.to_vec(),
        is_executable,
    };
    let image = Image {
        entry: MEMORY_BASE,
        segments: vec![
            segment(MEMORY_BASE, &code, true),
            segment(data_address, &data, false),
        ],
        symbols: Vec::new(),
        arguments: Vec::new(),
        surroundings: noccl_riscv::Surroundings::default(),
    };
    // One cycle each, so the limit of cycles is one of instructions.
    let program = Program::new(image, &CostTable::uniform(1))?;
    let mut core = Core::new(&program, case.memory_bytes, 0)?;
    core.registers = case.registers.clone();
    let trap = match core.run(&program, case.instructions) {
        Stopped::CycleLimit => String::new(),
        Stopped::Trap(trap) => trap.to_string(),
        Stopped::Call(call) => call.refused().to_string(),
        other @ (Stopped::Port(_) | Stopped::Exit { .. }) => format!("{other:?}"),
    };
    let data = core.memory.read(data_address, data.len() as u64);
    let data = data.ok_or("data outside the memory")?;
    Ok(Outcome {
        pc: core.pc,
        retired_instructions: core.retired_instructions,
        data: data.iter().map(|byte| format!("{byte:02x}")).collect(),
        registers: core.registers,
        trap,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: Case = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut output, &outcome(&case)?)?;
        output.write_all(b"\n")?;
    }
    Ok(())
}
