// SPDX-License-Identifier: Apache-2.0
//! Takes the built page of `noccl view` into the library, if there is one: `make page` builds it.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .ok_or_else(|| io::Error::other(format!("cargo sets {name}")))
    };
    let folder = variable("CARGO_MANIFEST_DIR")?.join("../../page/dist");
    // The folder, which is always there: a missing file would be a change at every build.
    println!("cargo:rerun-if-changed={}", folder.display());
    let page = match fs::read(folder.join("noccl.html")) {
        Ok(page) => page,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    fs::write(variable("OUT_DIR")?.join("page.html"), page)
}
