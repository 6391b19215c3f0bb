// SPDX-License-Identifier: Apache-2.0
//! When links of the dynamic network are busy in a plan: X first, then Y, one word per cycle, and the port of the core at the end.

use noccl_net::Coord;
use noccl_net::counts::max_or_zero;
use noccl_spec::UdnRouter;

/// East, west, north, south, and the core's own port.
const OUTPUTS: usize = 5;
/// The core's own port.
const CORE: usize = OUTPUTS - 1;

/// A message on its path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) from: Coord,
    pub(super) to: Coord,
    /// When the core writes the first word.
    pub(super) first_word: u64,
    /// From the first word to the last.
    pub(super) cycles: u64,
}

/// A step of a path: out of a FIFO, through an output.
#[derive(Debug, Clone, Copy)]
struct Hop {
    output: usize,
    /// The FIFO before it, by the output that fills it; the core's own by that of the core.
    from: usize,
    /// From the first word's writing to its passing.
    offset: u64,
    corner_cycles: u64,
}

/// Until when each output of each tile of a rectangle is busy, and the FIFO behind it is not empty.
#[derive(Debug)]
pub(super) struct Links {
    hop_cycles: u64,
    corner_cycles: u64,
    rows: usize,
    busy_until: Vec<u64>,
    drained_at: Vec<u64>,
}

impl Links {
    pub(super) fn new(udn: &UdnRouter, members: &[Coord]) -> Self {
        let columns = max_or_zero(members.iter().map(|c| usize::from(c.x) + 1));
        let rows = max_or_zero(members.iter().map(|c| usize::from(c.y) + 1));
        let outputs = columns * rows * OUTPUTS;
        Self {
            hop_cycles: u64::from(udn.hop_cycles),
            corner_cycles: u64::from(udn.turn_cycles),
            rows,
            busy_until: vec![0; outputs],
            drained_at: vec![0; outputs],
        }
    }

    /// Steps of a path, the core's port at its end; true if `visit` is for all.
    fn path(&self, (from, to): (Coord, Coord), mut visit: impl FnMut(Hop) -> bool) -> bool {
        let mut at = from;
        let output = |at: Coord, port: usize| {
            (usize::from(at.x) * self.rows + usize::from(at.y)) * OUTPUTS + port
        };
        let mut hop = Hop {
            output: 0,
            from: output(at, CORE),
            offset: 0,
            corner_cycles: 0,
        };
        loop {
            let port = if at.x != to.x {
                usize::from(at.x > to.x)
            } else if at.y != to.y {
                2 + usize::from(at.y > to.y)
            } else {
                CORE
            };
            // The corner: the first step along the column, behind one along the row.
            let is_corner = at.x == to.x && at.y == from.y && at.x != from.x && port != CORE;
            hop.corner_cycles = if is_corner { self.corner_cycles } else { 0 };
            hop.offset += self.hop_cycles + hop.corner_cycles;
            hop.output = output(at, port);
            if !visit(hop) {
                return false;
            }
            match port {
                0 => at.x += 1,
                1 => at.x -= 1,
                2 => at.y += 1,
                3 => at.y -= 1,
                _ => return true,
            }
            hop.from = hop.output;
        }
    }

    /// Outputs of routers on a path, without the port of the core at its end.
    pub(super) fn outputs(&self, ends: (Coord, Coord)) -> Vec<usize> {
        let mut outputs = Vec::new();
        self.path(ends, |hop| {
            if hop.output % OUTPUTS != CORE {
                outputs.push(hop.output);
            }
            true
        });
        outputs
    }

    /// Is every output free when the words pass? A head that changes direction waits at the front of its FIFO.
    pub(super) fn are_free(&self, passage: &Passage) -> bool {
        self.path((passage.from, passage.to), |hop| {
            let passes = passage.first_word + hop.offset;
            self.busy_until[hop.output] <= passes
                && self.drained_at[hop.from] + hop.corner_cycles <= passes
        })
    }

    /// Takes the outputs of a path.
    pub(super) fn take(&mut self, passage: Passage) {
        let mut taken = Vec::new();
        self.path((passage.from, passage.to), |hop| {
            taken.push(hop);
            true
        });
        for hop in taken {
            let until = passage.first_word + hop.offset + passage.cycles;
            self.busy_until[hop.output] = until;
            self.drained_at[hop.from] = until;
        }
    }

    /// When the core at the end can read the first word.
    pub(super) fn arrival(&self, passage: &Passage) -> u64 {
        let hops = u64::from(passage.from.hops_to(passage.to));
        let corners = u64::from(passage.from.x != passage.to.x && passage.from.y != passage.to.y);
        passage.first_word + (hops + 1) * self.hop_cycles + corners * self.corner_cycles + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links() -> Links {
        let udn = UdnRouter {
            input_fifo_flits: 3,
            hop_cycles: 1,
            turn_cycles: 1,
            flit_bits: 32,
        };
        Links::new(&udn, &[Coord::new(3, 3)])
    }

    fn passage(from: (u16, u16), to: (u16, u16), first_word: u64) -> Passage {
        Passage {
            from: Coord::new(from.0, from.1),
            to: Coord::new(to.0, to.1),
            first_word,
            cycles: 34,
        }
    }

    #[test]
    fn a_path_goes_along_the_row_first_and_ends_at_the_core() {
        let links = links();
        let mut ports = Vec::new();
        links.path((Coord::new(0, 0), Coord::new(2, 3)), |hop| {
            ports.push(hop.output % OUTPUTS);
            true
        });
        assert_eq!(ports, [0, 0, 2, 2, 2, CORE]);
        // Six routers and a corner, and the core reads a cycle later.
        assert_eq!(links.arrival(&passage((0, 0), (2, 3), 100)), 108);
    }

    #[test]
    fn words_that_would_meet_on_a_link_or_at_a_core_are_no_passage() {
        let mut links = links();
        links.take(passage((0, 0), (2, 0), 0));
        // The link into column 2 is busy in the cycles 2 to 35.
        assert!(!links.are_free(&passage((1, 0), (3, 0), 34)));
        assert!(links.are_free(&passage((1, 0), (3, 0), 35)));
        // Opposite links and other rows are free, the core at the end is not.
        assert!(links.are_free(&passage((2, 0), (0, 0), 0)));
        assert!(links.are_free(&passage((0, 1), (3, 1), 0)));
        assert!(!links.are_free(&passage((2, 1), (2, 0), 34)));
        assert!(links.are_free(&passage((2, 1), (2, 0), 35)));
    }

    #[test]
    fn a_head_that_changes_direction_waits_at_the_front_of_its_fifo() {
        let mut links = links();
        links.take(passage((0, 0), (1, 2), 0));
        // Straight behind it on the link: the FIFO at the corner is emptied a cycle later than words come, and the head waits one more.
        assert!(!links.are_free(&passage((0, 0), (1, 1), 34)));
        assert!(links.are_free(&passage((0, 0), (1, 1), 35)));
    }
}
