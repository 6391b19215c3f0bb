// SPDX-License-Identifier: Apache-2.0
//! Prints `programs/calls/numbers.h`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(noccl_execute::c_header().as_bytes())
}
