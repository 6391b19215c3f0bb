// SPDX-License-Identifier: Apache-2.0
//! The simulation as the diagnosis sees it.

use crate::diagnose::graph::Node;
use crate::driver::trace::replay::TraceDriver;
use crate::endpoint::core::Agents;
use crate::machine::Machine;
use std::collections::HashMap;

/// Members named in a summary; further ones are counted.
pub(crate) const MAX_NAMED: usize = 4;

/// Who issued the transactions.
pub(crate) enum Driver<'a> {
    Trace(&'a TraceDriver<'a>),
    Agents(&'a Agents<'a>),
    Traffic,
}

/// The simulation as the diagnosis sees it.
pub(crate) struct View<'a, 'n> {
    pub machine: &'a Machine<'n>,
    pub driver: Driver<'a>,
    /// FIFOs, tables and queues that hold something of a transaction.
    pub places: HashMap<u32, Vec<Node>>,
}

impl<'a, 'n> View<'a, 'n> {
    pub(crate) fn new(machine: &'a Machine<'n>, driver: Driver<'a>) -> Self {
        let mut view = Self {
            machine,
            driver,
            places: HashMap::new(),
        };
        view.places = view.find_places();
        view
    }
}
