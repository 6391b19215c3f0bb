// SPDX-License-Identifier: Apache-2.0
//! The program that measures the message library's collectives: its source (`programs/calibrate`) is part of this program.

use crate::compiler::{CompileRequest, Compiled, Messages, Optimization, compile};
use crate::kernels::write;
use crate::{CompileError, OnStep, cache};
use noccl_files::Scratch;
use std::env;
use std::path::Path;

const NAME: &str = "collectives.c";
const SOURCE: &str = include_str!("../../../programs/calibrate/collectives.c");

/// Compiles it, over ports.
///
/// # Errors
/// As [`crate::compile`].
pub fn compile_calibration(output: &Path, on_step: OnStep<'_>) -> Result<Compiled, CompileError> {
    let name = output.to_string_lossy();
    let folder = format!(
        "noccl-calibration-{}-{}",
        std::process::id(),
        cache::digest([&*name])
    );
    let scratch = Scratch::new(env::temp_dir().join(folder));
    let source = scratch.path(NAME);
    write(&source, SOURCE)?;
    let request = CompileRequest {
        sources: vec![source],
        output: output.to_owned(),
        optimization: Optimization::Usual,
        messages: Messages::Ports,
        include: Vec::new(),
        define: Vec::new(),
        keep: None,
    };
    compile(&request, on_step)
}
