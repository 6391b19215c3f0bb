// SPDX-License-Identifier: Apache-2.0
//! Named networks for the tests of this crate.
#![allow(clippy::unwrap_used, dead_code)]

pub mod flows;
pub mod sides;

use noccl_net::{NetError, Network, elaborate};
use noccl_spec::{Spec, parse_spec, preset_text};

/// A preset as a spec.
pub fn spec(preset: &str) -> Spec {
    parse_spec(preset, &preset_text(preset).unwrap(), &[]).unwrap()
}

/// A preset as a network.
pub fn network(preset: &str) -> Network {
    elaborate(&spec(preset)).unwrap()
}

/// A preset of this size.
pub fn mesh(width: u16, height: u16) -> Network {
    network(&format!("collective_noc_{width}x{height}"))
}

/// The error of a 4x4 preset after a change.
pub fn refused(change: impl FnOnce(&mut Spec)) -> NetError {
    let mut spec = spec("collective_noc_4x4");
    change(&mut spec);
    elaborate(&spec).unwrap_err()
}
