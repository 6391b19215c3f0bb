// SPDX-License-Identifier: Apache-2.0
//! The pinned compiler and C library: fetched, compared with their digests, unpacked. No root, nothing installed.

use crate::package::{ARCHIVE, LIBRARY, PACKAGES, Package};
use crate::{CompileError, CompileStep, OnStep, cache, process};
use noccl_files::{failed, hexadecimal};
use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Address of a mirror in place of Debian's archive.
const MIRROR: &str = "NOCCL_DEBIAN";
/// Debian's own client for single files.
const APT_HELPER: &str = "/usr/lib/apt/apt-helper";

/// Unpacks the package `$1` into the folder `$2`, all of it or the parts that follow.
const BY_DPKG: &str =
    "file=$1 folder=$2; shift 2; dpkg-deb --fsys-tarfile \"$file\" | tar -x -C \"$folder\" \"$@\"";
/// The same without Debian's tools.
const BY_AR: &str =
    "file=$1 folder=$2; shift 2; ar p \"$file\" data.tar.xz | tar -xJ -C \"$folder\" \"$@\"";

/// Folder of the unpacked compiler.
///
/// # Errors
/// [`CompileError::Machine`], [`CompileError::Fetch`], [`CompileError::Content`], [`CompileError::Unpack`],
/// [`CompileError::Interrupted`]; the cache is as before then.
pub(crate) fn compiler(on_step: OnStep<'_>) -> Result<PathBuf, CompileError> {
    if (env::consts::OS, env::consts::ARCH) != ("linux", "x86_64") {
        let machine = format!("{} with {}", env::consts::ARCH, env::consts::OS);
        return Err(CompileError::Machine { machine });
    }
    unpacked("riscv64-gcc", &PACKAGES, on_step)
}

/// Folder of the unpacked C library.
///
/// # Errors
/// As [`compiler`], on any machine.
pub(crate) fn library(on_step: OnStep<'_>) -> Result<PathBuf, CompileError> {
    unpacked("picolibc", &LIBRARY, on_step)
}

fn unpacked(
    name: &str,
    packages: &[Package],
    on_step: OnStep<'_>,
) -> Result<PathBuf, CompileError> {
    let key = cache::digest(packages.iter().map(|package| package.sha256));
    cache::folder(name, &key, |folder| fill(folder, packages, on_step))
}

fn fill(folder: &Path, packages: &[Package], on_step: OnStep<'_>) -> Result<(), CompileError> {
    let total_bytes = packages.iter().map(|package| package.bytes).sum();
    let mut there = 0;
    let mut files = Vec::new();
    for package in packages {
        let file = folder.join(format!("{}.deb", package.name));
        let report = || {
            // 0: a file that is not there has no bytes yet.
            let part = fs::metadata(&file).map_or(0, |data| data.len());
            on_step(&CompileStep::Fetching {
                package: package.name,
                bytes: there + part,
                total_bytes,
            })
        };
        fetch(package, &file, report)?;
        verify(package, &file)?;
        there += package.bytes;
        files.push(file);
    }
    for (package, file) in packages.iter().zip(&files) {
        let go_on = || on_step(&CompileStep::Unpacking);
        unpack(package, file, folder, go_on)?;
        fs::remove_file(file).map_err(|error| failed(file, "cannot be removed", &error))?;
    }
    Ok(())
}

/// Fetches one package by the first client that this machine has.
fn fetch(package: &Package, file: &Path, go_on: impl Fn() -> bool) -> Result<(), CompileError> {
    let archive = env::var(MIRROR).unwrap_or_else(|_| ARCHIVE.to_owned());
    let address = format!("{}/{}", archive.trim_end_matches('/'), package.path);
    let refused = |reason: String| CompileError::Fetch {
        package: package.name,
        address: address.clone(),
        reason,
    };
    let Some(mut client) = client(&address, file) else {
        let reason = "neither apt-helper nor curl nor wget is there".to_owned();
        return Err(refused(reason));
    };
    let said = process::run(&mut client, go_on)?;
    if said.status.success() && file.exists() {
        return Ok(());
    }
    Err(refused(reason(&said.text)))
}

fn client(address: &str, file: &Path) -> Option<Command> {
    if Path::new(APT_HELPER).exists() {
        let mut command = Command::new(APT_HELPER);
        // As root it would change to a user who may not write here.
        command.args(["-oAPT::Sandbox::User=", "-oAcquire::Retries=2"]);
        command.args(["-oAcquire::http::Timeout=60", "download-file"]);
        command.arg(address).arg(file);
        return Some(command);
    }
    let mut curl = Command::new("curl");
    curl.args(["--fail", "--silent", "--show-error", "--location"]);
    curl.args(["--retry", "2", "--connect-timeout", "60", "--output"]);
    curl.arg(file).arg(address);
    let mut wget = Command::new("wget");
    wget.args(["--quiet", "--tries", "3", "--timeout", "60", "-O"]);
    wget.arg(file).arg(address);
    [curl, wget].into_iter().find(|command| {
        // 0: without a search path no command is found.
        let paths = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&paths).any(|folder| folder.join(command.get_program()).exists())
    })
}

/// What a client said, in one line.
fn reason(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().find(|line| line.starts_with("E:") || line.starts_with("Err"));
    let line = error.or_else(|| lines().next_back());
    line.unwrap_or("the client says nothing").to_owned()
}

fn verify(package: &Package, file: &Path) -> Result<(), CompileError> {
    let bytes = fs::read(file).map_err(|error| failed(file, "cannot be read", &error))?;
    let found = hexadecimal(&Sha256::digest(&bytes));
    if found == package.sha256 {
        return Ok(());
    }
    Err(CompileError::Content {
        package: package.name,
        found,
        accepted: package.sha256,
    })
}

/// Unpacks by `dpkg-deb`, or where that is not there by the two archives that a package consists of; of some packages only parts.
fn unpack(
    package: &Package,
    file: &Path,
    folder: &Path,
    go_on: impl Fn() -> bool,
) -> Result<(), CompileError> {
    let mut dpkg = Command::new("sh");
    dpkg.args(["-c", BY_DPKG, "sh"]);
    dpkg.arg(file).arg(folder).args(package.parts);
    let by_dpkg = process::run(&mut dpkg, &go_on)?;
    let said = if by_dpkg.status.success() {
        by_dpkg
    } else {
        let mut both = Command::new("sh");
        both.args(["-c", BY_AR, "sh"]);
        process::run(both.arg(file).arg(folder).args(package.parts), &go_on)?
    };
    if said.status.success() {
        return Ok(());
    }
    Err(CompileError::Unpack {
        package: package.name,
        reason: reason(&said.text),
    })
}
