// SPDX-License-Identifier: Apache-2.0
//! Reduces the equal parts of its input from the left: the reference arithmetic as a filter, for the tests of the hardware.
//!
//! Usage: `fold_file ELEMENT OPERATOR OPERANDS < operands > results`. The input holds the first operands of all
//! reductions, then the second ones, and so on.

use noccl_workload::number::fold_into;
use std::error::Error;
use std::io::{Read, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [element, operator, operands] = &arguments[..] else {
        return Err("usage: fold_file ELEMENT OPERATOR OPERANDS".into());
    };
    let (element, operator) = (element.parse()?, operator.parse()?);
    let mut bytes = Vec::new();
    stdin().lock().read_to_end(&mut bytes)?;
    let (first, others) = bytes.split_at(bytes.len() / operands.parse::<usize>()?.max(1));
    let mut results = first.to_vec();
    for operand in others.chunks_exact(results.len().max(1)) {
        fold_into(&mut results, operand, operator, element);
    }
    stdout().lock().write_all(&results)?;
    Ok(())
}
