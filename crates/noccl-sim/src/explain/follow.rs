// SPDX-License-Identifier: Apache-2.0
//! One flit on its path: where it is in each cycle, and whether it has moved since the last one.

use super::wait::Fifo;
use crate::machine::Machine;
use crate::transport::flit::Flit;
use noccl_net::{AxiNetwork, Coord, Port};
use noccl_spec::Plane;

/// What has become of a followed flit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlitStep {
    /// It is in another FIFO than in the last cycle.
    Moved,
    /// It has not moved.
    Stands,
    /// No FIFO of its path has it: it is on a link, at a merge point, has not entered or has arrived.
    Nowhere,
}

/// The FIFOs of a path.
#[derive(Debug)]
pub(super) struct FlitPath {
    pub plane: Plane,
    pub fifos: Vec<Fifo>,
    at: usize,
    has_entered: bool,
    /// Has it been in the Local input for a cycle? The switch moves it at the end of the next one.
    has_passed_entry: bool,
    /// Cycles in which it has moved.
    moves: u64,
    /// Cycles since it was in a FIFO.
    out_of_sight: u64,
    /// Cycles from an output to the next input.
    link_cycles: u64,
    /// May it pass routers without being in one of their FIFOs?
    passes_routers: bool,
}

impl FlitPath {
    /// The path of dimension-ordered routing.
    pub(super) fn new(network: AxiNetwork<'_>, plane: Plane, from: Coord, to: Coord) -> Self {
        let (mut fifos, mut entry) = (Vec::new(), Port::Local);
        for (at, out) in network.path(from, to) {
            let router = network.tile_at(at).idx();
            let fifo = |is_input, port: Port| Fifo {
                router,
                is_input,
                port: port.idx(),
            };
            fifos.extend([fifo(true, entry), fifo(false, out)]);
            entry = out.opposite();
        }
        Self {
            plane,
            fifos,
            at: 0,
            has_entered: false,
            has_passed_entry: false,
            moves: 0,
            out_of_sight: 0,
            link_cycles: link_cycles(network, plane),
            passes_routers: network.path_links() > 1,
        }
    }

    /// Looks for the flit from where it was seen last.
    pub(super) fn look(
        &mut self,
        machine: &Machine<'_>,
        is_it: impl Fn(&Flit) -> bool,
    ) -> FlitStep {
        let state = &machine.mesh.planes[self.plane.idx()];
        let ahead = self.fifos[self.at..].iter();
        let found = ahead.enumerate().find(|(_, at)| {
            state
                .fifo(at.router, at.is_input, at.port)
                .any(|f| is_it(&f))
        });
        let Some((step, _)) = found else {
            self.out_of_sight += u64::from(self.has_entered);
            self.moves += u64::from(self.is_on_link());
            return FlitStep::Nowhere;
        };
        self.out_of_sight = 0;
        let is_at_entry = self.has_entered && !self.has_passed_entry;
        let has_moved = step > 0 || !self.has_entered || is_at_entry;
        self.has_passed_entry |= is_at_entry;
        (self.at, self.has_entered) = (self.at + step, true);
        if has_moved {
            self.moves += 1;
            FlitStep::Moved
        } else {
            FlitStep::Stands
        }
    }

    /// Where it was seen last.
    pub(super) fn fifo(&self) -> Option<Fifo> {
        let at = self.fifos.get(self.at).copied();
        at.filter(|_| self.has_entered)
    }

    /// Has it moved in more cycles than one that nothing holds up, which is in each FIFO of an idle path for a cycle? A flit that has waited is
    /// seen to move when it comes to the head of a FIFO, too.
    pub(super) fn has_waited(&self) -> bool {
        let fifos = self.fifos.len() as u64;
        let links = (fifos / 2).saturating_sub(1);
        self.moves > fifos + links * (self.link_cycles - 1)
    }

    /// Has it been seen?
    pub(super) const fn has_entered(&self) -> bool {
        self.has_entered
    }

    /// May it be on the link behind the output in which it was seen last?
    pub(super) const fn is_on_link(&self) -> bool {
        self.has_entered && self.out_of_sight <= self.link_cycles
    }

    /// Routers where it may be when no FIFO has it and it is on no link.
    pub(super) fn routers_around(&self) -> impl Iterator<Item = usize> + '_ {
        let is_output = self.fifos.get(self.at).is_some_and(|fifo| !fifo.is_input);
        let all = if self.passes_routers { usize::MAX } else { 1 };
        self.routers_ahead().skip(usize::from(is_output)).take(all)
    }

    /// Routers of the path from where it was seen last.
    pub(super) fn routers_ahead(&self) -> impl Iterator<Item = usize> + '_ {
        let ahead = self.fifos[self.at..].iter();
        let mut last = None;
        ahead
            .map(|fifo| fifo.router)
            .filter(move |router| last.replace(*router) != Some(*router))
    }
}

fn link_cycles(network: AxiNetwork<'_>, plane: Plane) -> u64 {
    let router = &network.axi().router;
    let cycles = &router.link_cycles;
    let of_plane = match plane {
        Plane::Req => cycles.req,
        Plane::Rsp => cycles.rsp,
        Plane::Wide => cycles.wide,
    };
    // 0: without bypass nothing is set up.
    u64::from(of_plane + router.bypass.map_or(0, |bypass| bypass.setup_cycles))
}
