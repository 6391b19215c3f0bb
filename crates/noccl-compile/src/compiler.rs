// SPDX-License-Identifier: Apache-2.0
//! Drives the compiler: sources and options in, one program file out.

use crate::missing::Missing;
use crate::package::{LIBRARY_ARCHIVE, LIBRARY_HEADERS};
use crate::runtime::{FLAGS, Runtime};
use crate::{CompileError, CompileStep, OnStep, cache, fetch, process};
use noccl_files::{Scratch, check_output, failed, write_bytes};
use std::env;
use std::fs;
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names a compiler in place of the pinned one.
const VARIABLE: &str = "NOCCL_RISCV_GCC";

/// How much the compiler optimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimization {
    /// Not at all: `-O0`.
    None,
    /// `-O1`.
    Some,
    /// `-O2`.
    #[default]
    Usual,
    /// `-O3`.
    Most,
    /// For short code: `-Os`.
    Size,
}

impl Optimization {
    /// Reads what stands behind `-O`: 0, 1, 2, 3 or s.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "0" => Some(Self::None),
            "1" => Some(Self::Some),
            "2" => Some(Self::Usual),
            "3" => Some(Self::Most),
            "s" => Some(Self::Size),
            _ => None,
        }
    }

    const fn option(self) -> &'static str {
        match self {
            Self::None => "-O0",
            Self::Some => "-O1",
            Self::Usual => "-O2",
            Self::Most => "-O3",
            Self::Size => "-Os",
        }
    }
}

/// Who carries the messages of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Messages {
    /// The message library, over the ports of core tiles.
    #[default]
    Ports,
    /// Whoever runs the program, call by call, on any network.
    Calls,
    /// A library among the sources.
    Sources,
}

/// Symbol by which a program of calls is known (`programs/calls/mpi.c`).
pub const CALLS_MARK: &str = "__noccl_calls";

/// Begin of names in `programs/calls/plain.h`.
const PLAIN: &str = "mpi_plain_";

/// Hint at functions that programs over ports do not have.
const WITH_CALLS: &str = "; accepted: noccl build --calls";

/// What is compiled, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileRequest {
    /// Files in C or assembler, and objects.
    pub sources: Vec<PathBuf>,
    /// The program file.
    pub output: PathBuf,
    /// How much is optimised.
    pub optimization: Optimization,
    /// Who carries its messages.
    pub messages: Messages,
    /// Units that the message library sends to a rank, which has not begun to read them, before it waits for credits; without, it has
    /// no flow control.
    pub credits: Option<NonZeroU8>,
    /// Folders of headers, searched before those of the runtime.
    pub include: Vec<PathBuf>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Folder for preprocessed sources, assembler, objects and the linker's map.
    pub keep: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The program file's content.
    pub program: Vec<u8>,
    /// Warnings of compiler and linker.
    pub warnings: String,
}

/// Compiles and writes the program file.
///
/// # Errors
/// [`CompileError`]; the output is as before then.
pub fn compile(request: &CompileRequest, on_step: OnStep<'_>) -> Result<Compiled, CompileError> {
    check_output(&request.output)?;
    request.sources.iter().try_for_each(|path| check(path))?;
    let tool = Tool::find(on_step)?;
    let runtime = Runtime::new(&tool, request.credits, on_step)?;
    let key = cache::digest([&*request.output.to_string_lossy()]);
    let scratch = Scratch::temporary("noccl-compile", &key);
    let linked = scratch.path("program");
    let io = |error| failed(&linked, "cannot be written", &error);
    fs::create_dir_all(scratch.path("")).map_err(io)?;
    let mut command = command(&tool, &runtime, request)?;
    command.args(runtime.objects(request.messages));
    // Each of the archives needs functions of the other.
    command.arg("-Wl,--start-group");
    command.args(runtime.archives(request.messages));
    command
        .arg(runtime.library())
        .args(["-lgcc", "-Wl,--end-group"]);
    command.arg("-o").arg(&linked);
    let compiled = tool.run(&mut command, on_step);
    let warnings = compiled.map_err(|error| tool.explained(error, &runtime, request))?;
    let program = fs::read(&linked).map_err(|error| failed(&linked, "cannot be read", &error))?;
    write_bytes(&request.output, &program)?;
    Ok(Compiled { program, warnings })
}

fn check(path: &Path) -> Result<(), CompileError> {
    let refused = |reason: &str| CompileError::Source {
        path: path.display().to_string(),
        reason: reason.to_owned(),
    };
    let end = path.extension().and_then(|end| end.to_str());
    if !matches!(end, Some("c" | "S" | "s" | "o")) {
        return Err(refused("it is none of these"));
    }
    match fs::metadata(path) {
        Ok(data) if data.is_file() => Ok(()),
        Ok(_) => Err(refused("it is no file")),
        Err(error) => Err(refused(&error.to_string())),
    }
}

fn command(
    tool: &Tool,
    runtime: &Runtime,
    request: &CompileRequest,
) -> Result<Command, CompileError> {
    let mut command = tool.command();
    command.args(FLAGS).arg(request.optimization.option());
    command.args(["-g", "-Wall", "-nostdlib", "-nostartfiles"]);
    for folder in request.include.iter().chain(&runtime.includes()) {
        command.arg("-I").arg(folder);
    }
    command.args(tool.headers());
    for name in &request.define {
        command.arg("-D").arg(name);
    }
    command.arg("-T").arg(runtime.linker_script());
    command.args(["-Wl,--no-relax", "-Wl,--gc-sections"]);
    if let Some(folder) = &request.keep {
        fs::create_dir_all(folder).map_err(|error| failed(folder, "cannot be made", &error))?;
        let prefix = format!("{}/", folder.display());
        command.args(["-save-temps", "-dumpdir", &prefix]);
        command.arg(format!("-Wl,-Map={prefix}program.map"));
    }
    // A file whose name begins with a hyphen would be an option.
    let named = |path: &PathBuf| match path.to_string_lossy().starts_with('-') {
        true => Path::new(".").join(path),
        false => path.clone(),
    };
    command.args(request.sources.iter().map(named));
    if request.messages == Messages::Calls {
        // Nobody refers to it.
        command.arg(format!("-Wl,-u,{CALLS_MARK}"));
    }
    Ok(command)
}

/// A compiler.
pub(crate) struct Tool {
    program: PathBuf,
    /// Where the pinned one is unpacked.
    folder: Option<PathBuf>,
    /// Where the C library is unpacked.
    library: PathBuf,
    key: String,
}

impl Tool {
    /// The pinned compiler, fetched if it is not there, or the one that the variable names; and the C library.
    ///
    /// # Errors
    /// Those of fetching.
    fn find(on_step: OnStep<'_>) -> Result<Self, CompileError> {
        if let Some(program) = env::var_os(VARIABLE) {
            // One that is not there is named before anything is fetched for it.
            process::run(Command::new(&program).arg("-dumpversion"), || true)?;
            return Ok(Self {
                key: program.to_string_lossy().into_owned(),
                program: program.into(),
                folder: None,
                library: fetch::library(on_step)?,
            });
        }
        let folder = fetch::compiler(on_step)?;
        Ok(Self {
            program: folder.join("usr/bin/riscv64-unknown-elf-gcc"),
            key: "pinned".to_owned(),
            folder: Some(folder),
            library: fetch::library(on_step)?,
        })
    }

    /// Options for the headers of the C library, behind all others.
    pub fn headers(&self) -> [PathBuf; 2] {
        ["-isystem".into(), self.library.join(LIBRARY_HEADERS)]
    }

    /// The C library.
    pub fn archive(&self) -> PathBuf {
        self.library.join(LIBRARY_ARCHIVE)
    }

    /// A refusal in words: names that are defined nowhere, with all that programs can call.
    fn explained(
        &self,
        error: CompileError,
        runtime: &Runtime,
        request: &CompileRequest,
    ) -> CompileError {
        let CompileError::Refused { messages } = &error else {
            return error;
        };
        let Some(mut names) = Missing::in_messages(messages) else {
            return error;
        };
        let provided = self.provided(runtime, request.messages);
        let with_calls = match request.messages {
            Messages::Ports => self.provided(runtime, Messages::Calls),
            Messages::Calls | Messages::Sources => Vec::new(),
        };
        for missing in &mut names {
            if with_calls.contains(&missing.name) {
                missing.hint = WITH_CALLS.to_owned();
            }
        }
        CompileError::Missing(Missing { names, provided })
    }

    /// Functions that programs can call; none if the compiler has no program that lists them.
    fn provided(&self, runtime: &Runtime, messages: Messages) -> Vec<String> {
        let mut command = Command::new(self.part("nm"));
        let archives = runtime.archives(messages);
        let is_archive = |path: &&PathBuf| path.extension().is_some_and(|end| end == "a");
        command
            .args(["-g", "--defined-only", "--format=just-symbols"])
            .args(runtime.objects(messages))
            .args(archives.iter().filter(is_archive))
            .arg(self.archive());
        // 0: without a list there are no hints.
        let listed = process::output(&mut command).unwrap_or_default();
        let names = listed.lines().map(|name| match name.strip_prefix(PLAIN) {
            Some(name) => format!("MPI_{name}"),
            None => name.to_owned(),
        });
        let is_public = |name: &String| !name.starts_with('_') && !name.ends_with(':');
        names.filter(is_public).collect()
    }

    /// A program that belongs to the compiler; by its name alone if the compiler does not say where it is.
    pub fn part(&self, name: &str) -> PathBuf {
        let asked = process::output(self.command().arg(format!("-print-prog-name={name}")));
        asked.map_or_else(|| name.into(), |said| said.trim().into())
    }

    /// Tells compilers apart.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The start of a command: the compiler finds its own parts wherever it is unpacked.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Messages are read by programs too.
        command.env("LC_ALL", "C");
        if let Some(folder) = &self.folder {
            let tools = folder.join("usr/bin/riscv64-unknown-elf-");
            command.arg(format!("-B{}", tools.display()));
            command.env("LD_LIBRARY_PATH", folder.join("usr/lib/x86_64-linux-gnu"));
        }
        command
    }

    /// Runs a command of the compiler; its warnings.
    ///
    /// # Errors
    /// [`CompileError::Refused`] with its messages, [`CompileError::Program`], [`CompileError::Interrupted`].
    pub fn run(&self, command: &mut Command, on_step: OnStep<'_>) -> Result<String, CompileError> {
        let step = CompileStep::Compiling {
            command: process::shown(command),
        };
        let said = process::run(command, || on_step(&step))?;
        if said.status.success() {
            return Ok(said.text);
        }
        let messages = said.text.trim_end().to_owned();
        Err(CompileError::Refused { messages })
    }
}
