// SPDX-License-Identifier: Apache-2.0
//! The `noccl` command; all of it is in the library beside it, which tests call too.

use std::process::ExitCode;

fn main() -> ExitCode {
    noccl_cli::main()
}
