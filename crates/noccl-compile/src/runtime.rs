// SPDX-License-Identifier: Apache-2.0
//! The runtime: its sources are part of this program, its objects are made once per compiler and kept.

use crate::compiler::{Messages, Tool};
use crate::sources::{is_code, write};
use crate::{CompileError, OnStep, cache, process};
use std::collections::BTreeSet;
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::process::Command;

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../../programs/", $path)))),*]
    };
}

/// All files of `programs/runtime`, of the message library, `programs/nocmsg`, of MPI over calls, `programs/calls`, and of MPI over
/// either, `programs/mpi`.
const FILES: [(&str, &str); 103] = sources!(
    "runtime/memory.ld",
    "runtime/include/assert.h",
    "runtime/include/math.h",
    "runtime/include/netdb.h",
    "runtime/include/noccl.h",
    "runtime/include/noccl_ports.h",
    "runtime/include/stdio.h",
    "runtime/include/stdlib.h",
    "runtime/include/time.h",
    "runtime/src/decimal.c",
    "runtime/src/decimal.h",
    "runtime/src/exit.c",
    "runtime/src/files.c",
    "runtime/src/files.h",
    "runtime/src/math_circular.c",
    "runtime/src/math_constants.h",
    "runtime/src/math_exact.c",
    "runtime/src/math_exponential.c",
    "runtime/src/math_names.c",
    "runtime/src/memory.c",
    "runtime/src/numbers.c",
    "runtime/src/pairs.h",
    "runtime/src/printf.c",
    "runtime/src/printf_double.c",
    "runtime/src/printf_long.c",
    "runtime/src/start.S",
    "runtime/src/start.c",
    "runtime/src/streams.c",
    "runtime/src/string.c",
    "runtime/src/system.c",
    "runtime/src/text.h",
    "runtime/src/time.c",
    "runtime/README.md",
    "nocmsg/collectives.c",
    "nocmsg/cost.h",
    "nocmsg/counts.c",
    "nocmsg/credits.c",
    "nocmsg/credits.h",
    "nocmsg/exchanges.c",
    "nocmsg/meanwhile.S",
    "nocmsg/mpi.c",
    "nocmsg/mpi.h",
    "nocmsg/mpi_collectives.c",
    "nocmsg/mpi_composed.c",
    "nocmsg/mpi_composed.h",
    "nocmsg/mpi_groups.c",
    "nocmsg/mpi_messages.c",
    "nocmsg/mpi_parts.h",
    "nocmsg/mpi_probes.c",
    "nocmsg/mpi_requests.c",
    "nocmsg/mpi_shared.c",
    "nocmsg/nocmsg.h",
    "nocmsg/operators.h",
    "nocmsg/place.c",
    "nocmsg/place.h",
    "nocmsg/plain.c",
    "nocmsg/receive_credits.h",
    "nocmsg/receive_direct.h",
    "nocmsg/send.c",
    "nocmsg/shared.c",
    "nocmsg/streams.c",
    "nocmsg/units.c",
    "nocmsg/words.h",
    "calls/blocks.c",
    "calls/calls.h",
    "calls/collectives.c",
    "calls/combine.S",
    "calls/composed.h",
    "calls/kinds.ld",
    "calls/messages.c",
    "calls/mpi.c",
    "calls/numbers.h",
    "calls/operators.c",
    "calls/pairs_of.h",
    "calls/plain.h",
    "calls/requests.c",
    "calls/shared.c",
    "calls/types.c",
    "mpi/attributes.c",
    "mpi/attributes.h",
    "mpi/blocks.c",
    "mpi/blocks.h",
    "mpi/cart.c",
    "mpi/errors.c",
    "mpi/graph.c",
    "mpi/groups.c",
    "mpi/info.c",
    "mpi/layout.c",
    "mpi/matched.c",
    "mpi/names.c",
    "mpi/nonblocking.c",
    "mpi/processes.c",
    "mpi/requests.c",
    "mpi/sends.c",
    "mpi/shared.h",
    "mpi/typed_collectives.c",
    "mpi/typed_messages.c",
    "mpi/types.c",
    "mpi/types.h",
    "mpi/window_access.c",
    "mpi/window_epochs.c",
    "mpi/windows.c",
    "mpi/windows.h",
);

/// Another library of collectives, for who compiles the message library anew.
const NOT_COMPILED: &str = "nocmsg/plain.c";

/// Sources whose objects are in an archive: a program has only those that it needs. The linker script asks whether it has `exit.c`.
const ON_DEMAND: [&str; 11] = [
    "runtime/src/exit.c",
    "runtime/src/files.c",
    "runtime/src/streams.c",
    "runtime/src/system.c",
    "runtime/src/time.c",
    "mpi/cart.c",
    "mpi/errors.c",
    "mpi/groups.c",
    "mpi/info.c",
    "mpi/names.c",
    "mpi/processes.c",
];

/// The same, for programs of calls; `calls/kinds.ld` asks whether they have these.
const CALLS_ON_DEMAND: [&str; 14] = [
    "mpi/attributes.c",
    "mpi/blocks.c",
    "mpi/graph.c",
    "mpi/layout.c",
    "mpi/matched.c",
    "mpi/nonblocking.c",
    "mpi/requests.c",
    "mpi/sends.c",
    "mpi/typed_collectives.c",
    "mpi/typed_messages.c",
    "mpi/types.c",
    "mpi/window_access.c",
    "mpi/window_epochs.c",
    "mpi/windows.c",
];

/// The archives.
const ARCHIVE: &str = "libnoccl.a";
const CALLS_ARCHIVE: &str = "libcalls.a";

/// The C library without what the runtime has: its own functions would refer to one another.
const LIBRARY_ARCHIVE: &str = "libc.a";

/// Which of two functions a program of calls has.
const CALLS_SCRIPT: &str = "calls/kinds.ld";

/// Folders of headers.
const INCLUDES: [&str; 2] = ["runtime/include", "nocmsg"];

/// Options of every compilation. Contraction would change the last bits, relaxation needs a register that is not set up.
pub(crate) const FLAGS: [&str; 9] = [
    "-march=rv64imafdc",
    "-mabi=lp64d",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-builtin",
    "-fno-common",
    "-ffunction-sections",
    "-fdata-sections",
    "-std=gnu11",
];

/// Folder of the message library, of which there is one for each number of credits.
const LIBRARY: &str = "nocmsg/";

/// The runtime on disk.
pub(crate) struct Runtime {
    folder: PathBuf,
    /// Where the objects of the message library are.
    library: PathBuf,
}

impl Runtime {
    /// The runtime, compiled by this compiler, with the message library of so many credits if there are any.
    ///
    /// # Errors
    /// Those of the cache and of the compiler.
    pub fn new(
        tool: &Tool,
        credits: Option<NonZeroU8>,
        on_step: OnStep<'_>,
    ) -> Result<Self, CompileError> {
        let files = FILES.iter().flat_map(|(path, text)| [*path, *text]);
        let key = cache::digest(files.chain(FLAGS).chain([tool.key()]));
        let folder = cache::folder("runtime", &key, |folder| {
            make(folder, None, |_| true, tool, on_step)
        })?;
        let library = match credits {
            None => folder.clone(),
            Some(credits) => {
                let define = format!("-DNM_CREDITS={credits}");
                let is_library = |path: &str| path.starts_with(LIBRARY);
                cache::folder("runtime", &cache::digest([&*key, &define]), |folder| {
                    make(folder, Some(&define), is_library, tool, on_step)
                })?
            }
        };
        Ok(Self { folder, library })
    }

    /// Folders of the headers.
    pub fn includes(&self) -> [PathBuf; 2] {
        INCLUDES.map(|folder| self.folder.join(folder))
    }

    /// The linker script.
    pub fn linker_script(&self) -> PathBuf {
        self.folder.join("runtime/memory.ld")
    }

    /// All objects for programs with one of the two libraries of messages, or with their own.
    pub fn objects(&self, messages: Messages) -> Vec<PathBuf> {
        let left_out: &[&str] = match messages {
            Messages::Ports => &["calls/"],
            Messages::Calls => &["nocmsg/"],
            Messages::Sources => &["calls/", "nocmsg/"],
        };
        compiled()
            .filter(|path| !left_out.iter().any(|folder| path.starts_with(folder)))
            .filter(|path| !ON_DEMAND.contains(path) && !CALLS_ON_DEMAND.contains(path))
            .map(|path| self.folder_of(path).join(object(path)))
            .collect()
    }

    /// What programs have on demand.
    pub fn archives(&self, messages: Messages) -> Vec<PathBuf> {
        let names: &[&str] = match messages {
            Messages::Calls => &[CALLS_SCRIPT, CALLS_ARCHIVE, ARCHIVE],
            Messages::Ports | Messages::Sources => &[ARCHIVE],
        };
        names.iter().map(|name| self.folder.join(name)).collect()
    }

    /// The C library for these objects.
    pub fn library(&self) -> PathBuf {
        self.folder.join(LIBRARY_ARCHIVE)
    }

    fn folder_of(&self, path: &str) -> &Path {
        if path.starts_with(LIBRARY) {
            &self.library
        } else {
            &self.folder
        }
    }
}

/// Files of MPI over calls that a file of the message library includes.
const INCLUDED: [&str; 5] = [
    "calls/blocks.c",
    "calls/calls.h",
    "calls/collectives.c",
    "calls/composed.h",
    "calls/numbers.h",
];

/// Files of the message library, and those that they include.
pub(crate) fn library() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES
        .iter()
        .copied()
        .filter(|(path, _)| path.starts_with("nocmsg/") || INCLUDED.contains(path))
}

/// Is it a source that is compiled with the message library and a program?
pub(crate) fn is_compiled(path: &str) -> bool {
    !INCLUDED.contains(&path) && is_code(path)
}

fn compiled() -> impl Iterator<Item = &'static str> {
    let is_compiled = |path: &&str| *path != NOT_COMPILED && is_code(path);
    FILES.iter().map(|(path, _)| *path).filter(is_compiled)
}

/// `start.c` and `start.S` both are there, so the end stays in the name.
fn object(path: &str) -> String {
    format!("{}.o", path.replace('/', "_"))
}

/// Writes all files and compiles some of them.
fn make(
    folder: &Path,
    define: Option<&str>,
    is_wanted: fn(&str) -> bool,
    tool: &Tool,
    on_step: OnStep<'_>,
) -> Result<(), CompileError> {
    for (path, text) in FILES {
        write(&folder.join(path), text)?;
    }
    for path in compiled().filter(|path| is_wanted(path)) {
        let mut command = tool.command();
        command.args(FLAGS).args(define).arg("-O2").arg("-c");
        for include in INCLUDES {
            command.arg("-I").arg(folder.join(include));
        }
        command.args(tool.headers());
        command
            .arg(folder.join(path))
            .arg("-o")
            .arg(folder.join(object(path)));
        tool.run(&mut command, on_step)?;
    }
    if ON_DEMAND.into_iter().all(is_wanted) {
        archive(folder, ARCHIVE, &ON_DEMAND, tool, on_step)?;
        archive(folder, CALLS_ARCHIVE, &CALLS_ON_DEMAND, tool, on_step)?;
        trim_library(folder, tool, on_step)?;
    }
    Ok(())
}

/// Puts objects into an archive.
fn archive(
    folder: &Path,
    name: &str,
    sources: &[&str],
    tool: &Tool,
    on_step: OnStep<'_>,
) -> Result<(), CompileError> {
    let mut command = Command::new(tool.part("ar"));
    command.arg("rcs").arg(folder.join(name));
    command.args(sources.iter().map(|path| folder.join(object(path))));
    tool.run(&mut command, on_step)?;
    Ok(())
}

/// The C library without members that define functions of the runtime: with both, a program would have two of them.
fn trim_library(folder: &Path, tool: &Tool, on_step: OnStep<'_>) -> Result<(), CompileError> {
    let made = folder.join(LIBRARY_ARCHIVE);
    let mut command = Command::new(tool.part("objcopy"));
    command.arg("--strip-debug").arg(tool.archive()).arg(&made);
    tool.run(&mut command, on_step)?;
    let sources = compiled().filter(|path| path.starts_with("runtime/"));
    let objects: Vec<PathBuf> = sources.map(|path| folder.join(object(path))).collect();
    let mut names = Command::new(tool.part("nm"));
    names.args(["-g", "--defined-only", "--format=just-symbols"]);
    let own = process::output(names.args(&objects));
    let mut members = Command::new(tool.part("nm"));
    members.args(["-g", "--defined-only", "--print-file-name"]);
    let (Some(own), Some(listed)) = (own, process::output(members.arg(&made))) else {
        // A compiler without a program that lists them.
        return Ok(());
    };
    let own: BTreeSet<&str> = own.lines().collect();
    let twice: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| {
            let (place, symbol) = line.rsplit_once(' ')?;
            let (_, member) = place.rsplit_once(':')?.0.rsplit_once(':')?;
            own.contains(symbol).then_some(member)
        })
        .collect();
    let mut command = Command::new(tool.part("ar"));
    command.arg("d").arg(&made).args(twice);
    tool.run(&mut command, on_step)?;
    Ok(())
}
