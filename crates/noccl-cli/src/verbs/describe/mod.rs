// SPDX-License-Identifier: Apache-2.0
//! Networks and schedules, without running them.

mod check;
mod elaborate;
mod order;
mod schedule;
mod synth;

use super::{Verb, group};

group! {
    /// Verbs of this group, in the order of the help.
    pub enum Describe {
        Elaborate(elaborate::Elaborate),
        Order(order::Order),
        Schedule(schedule::Schedule),
        Check(check::Check),
        Synth(synth::Synth),
    }
}
