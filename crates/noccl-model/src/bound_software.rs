// SPDX-License-Identifier: Apache-2.0
//! Lower bounds of software: what the best algorithm takes in which the network neither forks nor adds.
//!
//! Data move by transfers and deliveries from one place to one place, in beats, through the ports of the members (and of the root)
//! only; cores of members add with `local_reduce`. N members, n beats of a payload or block. Terms, of which the largest counts:
//!
//! **Ports.** A port takes a beat per cycle in each direction, and the first one arrives after a path of one hop, p.
//! Multicast and reduce n, all-gather, all-to-all and reduce-scatter (N - 1) n, as everybody's bound has it. *All-reduce*: all members
//! together take in 2 n (N - 1) beats, so some member takes in ⌈2 n (N - 1) / N⌉. For look at one beat of the
//! payload, and at the first moment at which some member has the sum of all. Each arrival joins what two tiles know, so N - 1 of them
//! at least have come before. The one that completed it told one member. Each of the others has yet to take in something
//! after that moment: N - 1 more.
//!
//! **Steps.** Without forks a tile sends a beat to one tile at a time. If it can pass a beat on q cycles after that left
//! the port before, then F(t) = F(t - 1) + F(t - q) tiles have it at most after t cycles, F = 1 before t = q (Bar-Noy and Kipnis' postal model).
//! Let s be the first t with F(t) ≥ N. *Multicast* and each block of an *all-gather*: the root's port emits the last of its n
//! different beats n - 1 cycles after the first, so n - 1 + s with q = p. *Reduce*, *all-reduce*, *reduce-scatter*: the same with time reversed. F(t) is
//! how many contributions a tile can have in a sum after t cycles, q = p + a, as what arrives must be added, which takes a core a cycles
//! at least. The n beats end at the root in n different cycles, so one is complete n - 1 cycles before the end. *Barrier*: each
//! member hears of all others, over three planes at a time: F(t) = F(t - 1) + 3 F(t - q).
//!
//! **Additions.** N contributions of n beats take n (N - 1) additions of a beat, whichever tile does them; N tiles share them, so some
//! core has ⌈n (N - 1) / N⌉ (reduce, all-reduce) or (N - 1) n (reduce-scatter: N results). Each needs something that has come: they begin after p.
//!
//! *Scatter*, *gather*: the root's port passes what it passes in everybody's bound, and each member hears of the root (the root of each
//! member) by some first beat: s with q = p. *Scan*: the last rank's output is a reduction of all, and each rank but the first
//! has a sum that no other has: N - 1 sums of n beats. *Custom*: ports alone.
//!
//! *Cuts* ask for no more than in everybody's bound: what lies beyond a line can be spread there. Where interfaces exchange messages,
//! p is a message over one path and no core adds; where cores pass words, `bound_cores.rs` has the bound.

use crate::bound::{core_addition_cycles, notice_cycles, path_cycles};
use crate::bound_class::{BoundClass, Steps};
use noccl_net::AxiNetwork;
use noccl_spec::{Cluster, Plane};
use noccl_workload::Collective;

/// Planes over which a member can hear of another one at a time.
const PLANES: u64 = 3;

/// A collective by software.
pub(crate) struct Software<'a> {
    pub network: AxiNetwork<'a>,
    pub collective: &'a Collective,
    pub num_members: u64,
    pub is_root_member: bool,
    /// Beats of its payload, or of a block.
    pub beats: u64,
}

impl Software<'_> {
    /// With so many beats at the busiest port or cut of any algorithm.
    pub(crate) fn bound(&self, payload_bound_cycles: u64) -> u64 {
        if !self.is_serial() {
            return 0;
        }
        self.ports(payload_bound_cycles)
            .max(self.steps())
            .max(self.additions())
    }

    const fn class(&self) -> &'static BoundClass {
        BoundClass::of(self.collective.kind)
    }

    /// Does an interface pass one beat at a time?
    fn is_serial(&self) -> bool {
        self.network.message_cycles().is_none_or(|of| of.is_serial)
    }

    /// From one tile to the next.
    fn hop(&self) -> u64 {
        match self.network.message_cycles() {
            Some(of) => {
                u64::from(of.interface_cycles + of.path_cycles.min(of.multicast_path_cycles))
            }
            None if !self.collective.kind.has_payload() => notice_cycles(self.network, 1),
            None => path_cycles(self.network, Plane::Wide, 1),
        }
    }

    fn ports(&self, payload_bound_cycles: u64) -> u64 {
        let others = self.num_members.saturating_sub(1);
        let beats = match self.class().shares_sum {
            true => (2 * self.beats * others).div_ceil(self.num_members.max(1)),
            false => payload_bound_cycles,
        };
        match beats {
            0 => 0,
            _ => self.hop() + beats - 1,
        }
    }

    fn steps(&self) -> u64 {
        let tiles = self.num_members + u64::from(!self.is_root_member);
        let behind = self.beats.saturating_sub(1);
        let adding = self.hop() + self.addition();
        match self.class().steps {
            Steps::Copy => behind + cycles_to_reach(tiles, self.hop(), 1),
            // A root that is no member counts as a contributor of nothing, and need not add what comes last.
            Steps::SumAtRoot if !self.is_root_member => {
                behind + cycles_to_reach(tiles, adding, 1) - self.addition()
            }
            Steps::SumAtRoot => behind + cycles_to_reach(tiles, adding, 1),
            Steps::CopyOfMember => behind + cycles_to_reach(self.num_members, self.hop(), 1),
            Steps::SumAtMember => behind + cycles_to_reach(self.num_members, adding, 1),
            Steps::Notices => cycles_to_reach(self.num_members, self.hop(), PLANES),
            // What the last one hears is the first beat of its block.
            Steps::FirstBeat => cycles_to_reach(tiles, self.hop(), 1),
            Steps::Unknown => 0,
        }
    }

    /// One addition, where cores add.
    fn addition(&self) -> u64 {
        match self.network.message_cycles() {
            Some(_) => 0,
            None => core_addition_cycles(self.network.axi()),
        }
    }

    fn additions(&self) -> u64 {
        if self.network.message_cycles().is_some() {
            return 0;
        }
        let kind = self.collective.kind;
        if !kind.reduces() {
            return 0;
        }
        let results = match kind.gives_blocks() {
            true => self.num_members,
            false => 1,
        };
        let others = self.num_members.saturating_sub(1);
        if others == 0 {
            return 0;
        }
        // The root's cores may help if it is no member.
        let cores = self.num_members + u64::from(!self.is_root_member);
        let bytes = u128::from(self.collective.bytes) * u128::from(results * others);
        let millicycles = u128::from(self.network.axi().cluster.compute_millicycles_per_beat);
        let of_all = bytes * millicycles / u128::from(1000 * Cluster::COMPUTE_BEAT_BYTES);
        self.hop() + (of_all / u128::from(cores)) as u64
    }
}

/// The first t with F(t) ≥ `tiles`: F(t) = F(t - 1) + `ports` F(t - `cycles`), F = 1 before `cycles`.
fn cycles_to_reach(tiles: u64, cycles: u64, ports: u64) -> u64 {
    let delay = cycles.max(1) as usize;
    let mut reached = vec![1_u64; delay];
    while reached[reached.len() - 1] < tiles {
        let now = reached.len();
        let more = ports.saturating_mul(reached[now - delay]);
        reached.push(reached[now - 1].saturating_add(more));
    }
    if tiles <= 1 {
        0
    } else {
        reached.len() as u64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::cycles_to_reach;

    #[test]
    fn holders_double_where_a_step_takes_one_cycle_and_grow_slower_where_it_takes_more() {
        let of = |tiles, cycles| cycles_to_reach(tiles, cycles, 1);
        assert_eq!(
            [1, 2, 3, 4, 5, 16].map(|tiles| of(tiles, 1)),
            [0, 1, 2, 2, 3, 4]
        );
        // Two cycles: 1, 1, 2, 3, 5, 8, 13, 21 after 0 to 7.
        assert_eq!(
            [2, 3, 5, 6, 13, 14].map(|tiles| of(tiles, 2)),
            [2, 3, 4, 5, 6, 7]
        );
        // The root alone sends until four cycles have passed.
        assert_eq!([2, 3, 5, 6, 8].map(|tiles| of(tiles, 4)), [4, 5, 7, 8, 9]);
        assert_eq!(cycles_to_reach(4, 1, 3), 1);
    }
}
