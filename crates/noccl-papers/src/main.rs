// SPDX-License-Identifier: Apache-2.0
//! The `noccl-papers` command; the library of this crate has all of it.

use std::process::ExitCode;

fn main() -> ExitCode {
    noccl_cli::shell::process(noccl_papers::call)
}
