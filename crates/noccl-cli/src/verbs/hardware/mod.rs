// SPDX-License-Identifier: Apache-2.0
//! SystemVerilog of a network.

mod rtl;

use super::{Verb, group};

group! {
    /// Verbs of this group, in the order of the help.
    pub enum Hardware {
        Rtl(rtl::Rtl),
    }
}
