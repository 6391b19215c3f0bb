// SPDX-License-Identifier: Apache-2.0
//! The runtime: its sources are part of this program, its objects are made once per compiler and kept.

use crate::compiler::Tool;
use crate::{CompileError, OnStep, cache};
use noccl_files::not_written;
use std::fs;
use std::path::{Path, PathBuf};

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../../programs/runtime/", $path)))),*]
    };
}

/// All files of `programs/runtime`.
const FILES: [(&str, &str); 24] = sources!(
    "memory.ld",
    "include/assert.h",
    "include/math.h",
    "include/noccl.h",
    "include/noccl_ports.h",
    "include/stdio.h",
    "include/stdlib.h",
    "include/string.h",
    "src/decimal.c",
    "src/decimal.h",
    "src/math_circular.c",
    "src/math_constants.h",
    "src/math_exact.c",
    "src/math_exponential.c",
    "src/memory.c",
    "src/numbers.c",
    "src/pairs.h",
    "src/printf.c",
    "src/printf_double.c",
    "src/start.S",
    "src/start.c",
    "src/string.c",
    "src/text.h",
    "README.md",
);

/// Options of every compilation. Contraction would change the last bits, relaxation needs a register that is not set up.
pub(crate) const FLAGS: [&str; 9] = [
    "-march=rv64imafdc",
    "-mabi=lp64d",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-ffreestanding",
    "-fno-common",
    "-ffunction-sections",
    "-fdata-sections",
    "-std=gnu11",
];

/// The runtime on disk.
pub(crate) struct Runtime {
    folder: PathBuf,
}

impl Runtime {
    /// The runtime, compiled by this compiler.
    ///
    /// # Errors
    /// Those of the cache and of the compiler.
    pub fn new(tool: &Tool, on_step: OnStep<'_>) -> Result<Self, CompileError> {
        let files = FILES.iter().flat_map(|(path, text)| [*path, *text]);
        let key = cache::digest(files.chain(FLAGS).chain([tool.key()]));
        let folder = cache::folder("runtime", &key, |folder| make(folder, tool, on_step))?;
        Ok(Self { folder })
    }

    /// Folder of the headers.
    pub fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// The linker script.
    pub fn linker_script(&self) -> PathBuf {
        self.folder.join("memory.ld")
    }

    /// All objects.
    pub fn objects(&self) -> Vec<PathBuf> {
        compiled()
            .map(|path| self.folder.join(object(path)))
            .collect()
    }
}

fn compiled() -> impl Iterator<Item = &'static str> {
    let is_compiled = |path: &&str| path.ends_with(".c") || path.ends_with(".S");
    FILES.iter().map(|(path, _)| *path).filter(is_compiled)
}

/// `src/start.c` and `src/start.S` both are there, so the end stays in the name.
fn object(path: &str) -> String {
    format!("{}.o", path.replace('/', "_"))
}

fn make(folder: &Path, tool: &Tool, on_step: OnStep<'_>) -> Result<(), CompileError> {
    for (path, text) in FILES {
        let place = folder.join(path);
        let above = place.parent().unwrap_or(folder);
        let written = fs::create_dir_all(above).and_then(|()| fs::write(&place, text));
        written.map_err(|error| not_written(&place, &error))?;
    }
    for path in compiled() {
        let mut command = tool.command();
        command.args(FLAGS).arg("-O2").arg("-c");
        command.arg("-I").arg(folder.join("include"));
        command
            .arg(folder.join(path))
            .arg("-o")
            .arg(folder.join(object(path)));
        tool.run(&mut command, on_step)?;
    }
    Ok(())
}
