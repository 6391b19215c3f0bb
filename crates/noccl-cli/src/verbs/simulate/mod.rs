// SPDX-License-Identifier: Apache-2.0
//! Simulate workloads and programs.

mod build;
mod coherence;
mod npb;
mod run;
mod stress;
mod sweep;
mod traffic;

pub use run::with_form;

use super::{Verb, group};

group! {
    /// Verbs of this group, in the order of the help.
    pub enum Simulate {
        Run(run::Run),
        Build(build::Build),
        Npb(npb::Npb),
        Traffic(traffic::Traffic),
        Stress(stress::Stress),
        Sweep(sweep::Sweep),
        Coherence(coherence::Coherence),
    }
}
