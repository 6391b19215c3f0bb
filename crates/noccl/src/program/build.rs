// SPDX-License-Identifier: Apache-2.0
//! Programs in C for executed cores: compiled, and looked at as a core would load them.

use crate::Error;
use noccl_compile::{CompileError, CompileRequest, OnStep};
use noccl_riscv::Image;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program file that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildRow {
    /// The file.
    pub output: String,
    /// Its length.
    pub file_bytes: u64,
    /// Code in memory.
    pub code_bytes: u64,
    /// Data with initial values, constants too.
    pub data_bytes: u64,
    /// Data that begin as zero.
    pub zero_bytes: u64,
    /// Address of the first instruction.
    pub entry: u64,
    /// Named functions and data.
    pub symbols: u64,
    /// What compiler and linker warn of.
    pub warnings: String,
}

/// Compiles C for executed cores, with the runtime; the compiler is fetched the first time.
///
/// # Errors
/// [`Error::Compile`]: no compiler, or it refuses the program. [`Error::Program`] if a compiler that somebody named makes
/// what no core can load.
pub fn build(request: &CompileRequest, on_step: OnStep<'_>) -> Result<BuildRow, Error> {
    let compiled = noccl_compile::compile(request, on_step).map_err(hinted)?;
    let image = Image::from_elf(&compiled.program)?;
    let of_code = |is_code: bool| {
        let segments = image
            .segments
            .iter()
            .filter(move |s| s.is_executable == is_code);
        segments.fold((0, 0), |(filled, all), segment| {
            let bytes = segment.bytes.len() as u64;
            (filled + bytes, all + segment.memory_bytes)
        })
    };
    let (data_bytes, all_data_bytes) = of_code(false);
    Ok(BuildRow {
        output: request.output.display().to_string(),
        file_bytes: compiled.program.len() as u64,
        code_bytes: of_code(true).1,
        data_bytes,
        zero_bytes: all_data_bytes - data_bytes,
        entry: image.entry,
        symbols: image.symbols.len() as u64,
        warnings: compiled.warnings,
    })
}

/// Names that are defined nowhere get the closest ones that are.
fn hinted(mut error: CompileError) -> CompileError {
    if let CompileError::Missing(missing) = &mut error {
        let names = missing.names.iter_mut();
        for name in names.filter(|name| name.hint.is_empty()) {
            let provided = missing.provided.iter().map(String::as_str);
            name.hint = noccl_spec::nearest(&name.name, provided);
        }
    }
    error
}
