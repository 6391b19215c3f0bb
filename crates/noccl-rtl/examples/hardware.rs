// SPDX-License-Identifier: Apache-2.0
//! Prints the package or the routing vectors of a preset, for tests that need nothing else of the project:
//! `cargo run -p noccl-rtl --example hardware -- collective_noc_8x8 vectors`.
#![allow(clippy::print_stdout)]

use noccl_net::elaborate;
use noccl_rtl::{Package, RtlNumbers, vectors_text};
use noccl_spec::{parse_spec, preset_text};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [preset, what] = arguments.as_slice() else {
        return Err("usage: hardware PRESET package|vectors".into());
    };
    let text = preset_text(preset)?;
    let network = elaborate(&parse_spec(preset, &text, &[])?)?;
    match what.as_str() {
        "package" => print!("{}", RtlNumbers::new(&network)?.package().text),
        "vectors" => print!("{}", vectors_text(&network)),
        _ => return Err(format!("{what}: accepted: package, vectors").into()),
    }
    Ok(())
}
