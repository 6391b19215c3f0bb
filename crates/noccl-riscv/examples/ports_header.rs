// SPDX-License-Identifier: Apache-2.0
//! Prints `programs/runtime/include/noccl_ports.h`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(noccl_riscv::c_header().as_bytes())
}
