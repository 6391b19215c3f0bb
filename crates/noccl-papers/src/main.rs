// SPDX-License-Identifier: Apache-2.0
//! The `noccl-papers` command; all of it is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    noccl_cli::shell::process(noccl_papers::call)
}
