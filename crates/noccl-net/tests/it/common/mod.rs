// SPDX-License-Identifier: Apache-2.0
//! Named networks for the tests of this crate.

pub mod flows;

use noccl_net::{NetError, elaborate};
use noccl_spec::Spec;
pub use noccl_testkit::{mesh, network, preset as spec};

/// The error of a 4x4 preset after a change.
pub fn refused(change: impl FnOnce(&mut Spec)) -> NetError {
    let mut spec = spec("collective_noc_4x4");
    change(&mut spec);
    elaborate(&spec).unwrap_err()
}
