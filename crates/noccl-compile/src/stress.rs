// SPDX-License-Identifier: Apache-2.0
//! The random program of `noccl stress`: its sources (`programs/stress`) are part of this program.

use crate::compiler::{CompileRequest, Compiled, Messages, Optimization, compile};
use crate::kernels::{Sources, write};
use crate::{CompileError, OnStep, cache};
use noccl_files::Scratch;
use std::env;
use std::path::Path;

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../programs/stress/", $path)))),*]
    };
}

const SOURCES: Sources = sources!("draw.h", "stress.c", "messages.c", "collectives.c");

/// What whoever runs the program writes over: numbers of 64 bits.
pub const STRESS_SEED: &str = "stress_seed";
/// The same of the number of its steps.
pub const STRESS_STEPS: &str = "stress_steps";

/// Compiles the random program, over ports.
///
/// # Errors
/// As [`crate::compile`].
pub fn compile_stress(output: &Path, on_step: OnStep<'_>) -> Result<Compiled, CompileError> {
    let name = output.to_string_lossy();
    let scratch = Scratch::new(env::temp_dir().join(format!(
        "noccl-stress-sources-{}-{}",
        std::process::id(),
        cache::digest([&*name])
    )));
    let mut sources = Vec::new();
    for (path, text) in SOURCES {
        let place = scratch.path(path);
        write(&place, text)?;
        if path.ends_with(".c") {
            sources.push(place);
        }
    }
    let request = CompileRequest {
        sources,
        output: output.to_owned(),
        optimization: Optimization::Usual,
        messages: Messages::Ports,
        include: Vec::new(),
        define: Vec::new(),
        keep: None,
    };
    compile(&request, on_step)
}
