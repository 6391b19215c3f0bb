// SPDX-License-Identifier: Apache-2.0
//! Libraries of Verilated hardware, each under the hash of all that it is made from: made once, never stale, complete or absent.

use super::build_inputs::BuildInputs;
use super::verilator::{checkout, verilator};
use crate::verilated::LIBRARY_FILE;
use crate::{CosimError, HardwareError};
use noccl_files::{Scratch, failed, hexadecimal, not_written, write_file};
use noccl_rtl::{PACKAGE_FILE, SMART_PACKAGE_FILE};
use noccl_run::{RunError, Step, Watch, WorkStage};
use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// Names the folder of all libraries.
const VARIABLE: &str = "NOCCL_CACHE";
/// Digest of the library's file, beside it.
const DIGEST_FILE: &str = "sha256";
const LOG_FILE: &str = "build.log";
/// Where the tools work, and what of that is kept, in the folder that is being made.
const BUILD: &str = "build";
const MADE: &str = "made";
/// End of the names of folders that are being made.
const PARTIAL: &str = "partial";
/// After this time nobody makes a folder any more.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Held by the thread of this process that makes a library.
static MAKING: Mutex<()> = Mutex::new(());

/// Folder of a library, which is made if there is none.
///
/// # Errors
/// [`CosimError::Hardware`] if it cannot be made or is damaged, [`CosimError::File`], an interruption by the watcher.
pub fn find_or_build(
    name: &str,
    inputs: &BuildInputs,
    watch: Watch<'_>,
) -> Result<PathBuf, CosimError> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let plain = name
        .split('-')
        .map(|part| part.chars().map(plain).collect());
    let name = plain.collect::<Vec<String>>().join("-");
    let folder = cache().join(format!("{name}-{}", key(inputs)));
    // Two threads would make it in one folder.
    let _lock = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if !folder.exists() {
        make(&folder, inputs, watch)?;
    }
    check(&folder)?;
    Ok(folder)
}

/// Where libraries are kept: beside those of the tests in a checkout, else with the user's other caches.
fn cache() -> PathBuf {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    let of_user = || folder("HOME").map(|home| home.join(".cache"));
    folder(VARIABLE)
        .or_else(|| checkout().map(|root| root.join("out/cosim")))
        .unwrap_or_else(|| {
            let caches = folder("XDG_CACHE_HOME").or_else(of_user);
            caches.unwrap_or_else(env::temp_dir).join("noccl/cosim")
        })
}

/// Name of what a library is made from. The tool is the pinned one.
fn key(inputs: &BuildInputs) -> String {
    let mut hash = Sha256::new();
    let files = (inputs.files.iter()).flat_map(|file| [&file.path, &file.text]);
    for text in inputs.arguments.iter().chain(files) {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.update([env::consts::OS, env::consts::ARCH].concat());
    hexadecimal(&hash.finalize()[..12])
}

/// The library is the one that was made: to open a damaged one may end the process.
fn check(folder: &Path) -> Result<(), CosimError> {
    let broken = |reason: String| {
        let folder = folder.display().to_string();
        CosimError::Hardware(HardwareError::Library { folder, reason })
    };
    let unread = |e: io::Error| broken(format!("{LIBRARY_FILE}: {e}"));
    let library = fs::read(folder.join(LIBRARY_FILE)).map_err(unread)?;
    // 0: an empty digest is that of no library, which is then refused.
    let expected = fs::read_to_string(folder.join(DIGEST_FILE)).unwrap_or_default();
    if expected == hexadecimal(&Sha256::digest(&library)) {
        return Ok(());
    }
    Err(broken(format!("{LIBRARY_FILE} is not what was built")))
}

fn make(folder: &Path, inputs: &BuildInputs, watch: Watch<'_>) -> Result<(), CosimError> {
    let tool = verilator().map_err(CosimError::Hardware)?;
    remove_abandoned(&cache());
    let id = std::process::id();
    let partial = Scratch::new(folder.with_extension(format!("{id}.{PARTIAL}")));
    for file in &inputs.files {
        partial.write(Path::new(BUILD).join(&file.path), file.text.as_bytes())?;
    }
    let status = run(&tool, inputs, &partial, watch)?;
    if !status.success() {
        // 0: without a log an empty one is kept.
        let log = fs::read(partial.path(BUILD).join(LOG_FILE)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let kept = folder.with_extension("log");
        write_file(&kept, &log)?;
        return Err(CosimError::Hardware(HardwareError::Build {
            reason: reason(&log),
            log: kept.display().to_string(),
        }));
    }
    let is_package = |name: &&str| inputs.files.iter().any(|file| file.path == **name);
    let packages = [PACKAGE_FILE, SMART_PACKAGE_FILE]
        .into_iter()
        .filter(is_package);
    keep(&partial, folder, packages)
}

/// Moves what is needed later to its place, in one step.
fn keep<'p>(
    partial: &Scratch,
    folder: &Path,
    packages: impl Iterator<Item = &'p str>,
) -> Result<(), CosimError> {
    let io = |e: io::Error| CosimError::from(not_written(folder, &e));
    let names: Vec<&str> = [LIBRARY_FILE, LOG_FILE]
        .into_iter()
        .chain(packages)
        .collect();
    partial.collect(BUILD, MADE, &names).map_err(io)?;
    let library = fs::read(partial.path(MADE).join(LIBRARY_FILE)).map_err(io)?;
    let digest = hexadecimal(&Sha256::digest(&library));
    partial.write(Path::new(MADE).join(DIGEST_FILE), digest.as_bytes())?;
    partial.publish(MADE, folder).map_err(io)
}

/// Verilates and compiles. The tools are a group of processes, so that all of them can be stopped.
fn run(
    tool: &Path,
    inputs: &BuildInputs,
    partial: &Scratch,
    watch: Watch<'_>,
) -> Result<ExitStatus, CosimError> {
    let broken = |e: io::Error| CosimError::from(failed(tool, "cannot run", &e));
    let log = partial
        .create(Path::new(BUILD).join(LOG_FILE))
        .map_err(broken)?;
    let build = &partial.path(BUILD);
    let processes = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut command = Command::new(tool);
    command
        .args(["--Mdir", ".", "--build-jobs", &processes.to_string()])
        .args(&inputs.arguments)
        .current_dir(build)
        .env_remove("MAKEFLAGS")
        .envs(compiler_cache())
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(broken)?)
        .stderr(log);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(broken)?;
    loop {
        if let Some(status) = child.try_wait().map_err(broken)? {
            return Ok(status);
        }
        let activity = activity(build);
        let step = Step {
            done: 0,
            total: 0,
            simulated_cycles: 0,
            activity,
        };
        if !watch.report(step) {
            end(&mut child);
            return Err(RunError::Interrupted { cycle: 0 }.into());
        }
        sleep(Duration::from_millis(100));
    }
}

/// Ends the tools. Those that are gone already cannot be.
fn end(child: &mut Child) {
    // Of the forms of this command the one that every shell has.
    let group = format!("kill -s TERM -- -{}", child.id());
    let told = Command::new("sh").args(["-c", &group]).status();
    if !told.is_ok_and(|status| status.success()) {
        let _ = child.kill();
    }
    let _ = child.wait();
}

/// What the tools are at: they write the rules of the compilation after all that is to be compiled.
fn activity(build: &Path) -> WorkStage {
    let entries = fs::read_dir(build).into_iter().flatten().flatten();
    let (mut is_cpp_written, mut files) = (false, 0);
    for entry in entries {
        let path = entry.path();
        is_cpp_written |= path.extension().is_some_and(|end| end == "mk");
        files += u64::from(path.extension().is_some_and(|end| end == "o"));
    }
    if is_cpp_written {
        WorkStage::Compiling { files }
    } else {
        WorkStage::Translating
    }
}

/// The checkout's cache of compiled files, if it has one.
fn compiler_cache() -> Vec<(&'static str, String)> {
    let Some(root) = checkout() else {
        return Vec::new();
    };
    let ccache = root.join(".tools/bin/ccache");
    if !ccache.exists() {
        return Vec::new();
    }
    let shown = |path: &Path| path.display().to_string();
    let named = env::var("CCACHE_DIR").ok();
    vec![
        ("OBJCACHE", shown(&ccache)),
        (
            "CCACHE_DIR",
            named.unwrap_or_else(|| shown(&root.join(".tools/ccache"))),
        ),
        ("CCACHE_BASEDIR", shown(&root)),
        ("CCACHE_NOHASHDIR", "1".to_owned()),
        // Generated code includes a precompiled header.
        ("CCACHE_SLOPPINESS", "pch_defines,time_macros".to_owned()),
    ]
}

/// The first message that says why.
fn reason(log: &str) -> String {
    let is_error = |line: &&str| line.contains("%Error") || line.contains("rror: ");
    let line = log.lines().find(is_error).or_else(|| log.lines().last());
    line.unwrap_or("no message").trim().to_owned()
}

/// What somebody has left who was ended from outside.
fn remove_abandoned(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|m| m.modified());
        let age = changed.ok().and_then(|at| at.elapsed().ok());
        let is_partial = entry.path().extension().is_some_and(|end| end == PARTIAL);
        if is_partial && age.is_some_and(|age| age > ABANDONED) {
            drop(Scratch::new(entry.path()));
        }
    }
}
