// SPDX-License-Identifier: Apache-2.0
//! Global allocation with priority `bypass`: who wins the links of a line for which several ask (S2 §II; `docs/design/0010-smart.md`).
//!
//! A request covers all links that its flit could cross in the cycle, also those at which the flit will not come because its path has
//! ended before: nobody there knows. At each link the request from farthest away wins among those that could go on there. Where its flit
//! does not come, the link idles, and so does the crossbar input that it would have used.

use super::channels::NOBODY;
use super::numbers::{LOCAL, Numbers, PORTS, opposite, ports};
use super::plane::{Grant, SmartPlane};
use super::traverse::Path;
use noccl_net::counts::max_or_zero;

/// In every so many cycles the order is that of priority `local`. All routers know when; so nobody waits for ever.
pub(super) const LOCAL_EVERY: u64 = 16;

/// What local allocation has chosen: a channel of an input, and outputs for its next flit.
#[derive(Debug, Clone, Copy)]
struct Choice {
    tile: u32,
    channel: u32,
    port: u8,
    outs: u8,
    /// Links that each output's request has won, one after the other from its own on.
    won: [u8; LOCAL],
}

/// A request for links of a line.
#[derive(Debug, Clone, Copy)]
struct Request {
    /// Output and line, and the first link on it.
    line: u16,
    bit: u8,
    choice: u32,
    won: u8,
    path: Path,
}

/// Choices that have not been granted yet, and what they ask for.
#[derive(Debug)]
pub(super) struct Contention {
    choices: Vec<Choice>,
    requests: Vec<Request>,
    /// By output and line: tiles at which a request from farther away has won the output.
    passed: Vec<u64>,
    pub(super) local_every: u64,
    #[cfg(test)]
    pub(super) variant: study::Variant,
}

impl Default for Contention {
    fn default() -> Self {
        Self {
            choices: Vec::new(),
            requests: Vec::new(),
            passed: vec![0; LOCAL * 64],
            local_every: LOCAL_EVERY,
            #[cfg(test)]
            variant: study::Variant::PUBLISHED,
        }
    }
}

impl Contention {
    /// Local allocation gives outputs to a channel.
    pub(super) fn choose(&mut self, tile: usize, port: usize, channel: usize, outs: u8) {
        self.choices.push(Choice {
            tile: tile as u32,
            channel: channel as u32,
            port: port as u8,
            outs,
            won: [0; LOCAL],
        });
    }

    /// What links know, which in routers that can be built is nothing.
    #[cfg(not(test))]
    #[allow(clippy::unused_self)]
    const fn known(&self) -> Known {
        Known::Nothing
    }

    #[cfg(test)]
    const fn known(&self) -> Known {
        self.variant.known
    }
}

/// What a link knows of requests that have been ended before it. The published routers know nothing; the others say what that costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Such a request wins links and inputs all the same.
    Nothing,
    /// It wins links, and the inputs are free.
    #[cfg(test)]
    Inputs,
    /// It wins neither.
    #[cfg(test)]
    All,
}

impl Known {
    /// Does a request that has been ended win links?
    fn has_idle_links(self) -> bool {
        match self {
            Self::Nothing => true,
            #[cfg(test)]
            Self::Inputs => true,
            #[cfg(test)]
            Self::All => false,
        }
    }
}

impl SmartPlane {
    /// Grants what has been chosen and wins its links, with its path; in the order of `local` paths are found as usual. What loses stays
    /// as it is, and so do the orders of round robin.
    pub(super) fn contend(&mut self) {
        let Some(mut contention) = self.contention.take() else {
            return;
        };
        let mut choices = std::mem::take(&mut contention.choices);
        let is_local = self.cycle.is_multiple_of(contention.local_every);
        if !is_local {
            self.request(&choices, &mut contention.requests);
            self.share_lines(&mut contention, &mut choices);
            #[cfg(test)]
            self.withdraw_ended(&mut contention, &mut choices);
        }
        for choice in choices.drain(..) {
            if is_local {
                self.grant_choice(&choice, choice.outs);
                continue;
            }
            let outs = self.won(&choice, &contention.passed);
            #[cfg(test)]
            self.pass_over(contention.variant, &choice, outs);
            if outs != 0 {
                self.grant_choice(&choice, outs);
                while let Some(grant) = self.grants.pop() {
                    let won = choice.won[usize::from(grant.out)];
                    self.traverse_won(grant, won.into());
                }
            }
        }
        for request in contention.requests.drain(..) {
            contention.passed[usize::from(request.line)] = 0;
        }
        contention.choices = choices;
        self.contention = Some(contention);
    }

    /// Requests of all choices, by line, and on a line those from farthest away first.
    fn request(&self, choices: &[Choice], requests: &mut Vec<Request>) {
        for (index, choice) in (0..).zip(choices) {
            for out in ports(choice.outs & !(1 << LOCAL)) {
                let path = self.asked(choice, out);
                let place = self.channels.places[choice.tile as usize];
                requests.push(Request {
                    line: (out * 64 + Numbers::line(place, out)) as u16,
                    bit: Numbers::bit(place, out) as u8,
                    choice: index,
                    won: 0,
                    path,
                });
            }
        }
        requests.sort_unstable_by_key(|request| (request.line, request.bit));
    }

    /// The path for which a choice asks over an output.
    fn asked(&self, choice: &Choice, out: usize) -> Path {
        let channel = choice.channel as usize;
        let held = &self.channels.held[channel];
        debug_assert_ne!(held.packet, NOBODY, "an empty channel asks for an output");
        self.path(Grant {
            channel: choice.channel,
            packet: held.packet,
            flit: held.next_flit[out],
            out: out as u8,
            follow: held.follow[out],
        })
    }

    fn share_lines(&self, contention: &mut Contention, choices: &mut [Choice]) {
        let known = contention.known();
        let requests = &mut contention.requests;
        for line in requests.chunk_by_mut(|one, next| one.line == next.line) {
            contention.passed[usize::from(line[0].line)] = self.share_line(line, known);
            for request in line {
                choices[request.choice as usize].won[request.path.out] = request.won;
            }
        }
    }

    /// Gives each link of a line to the request from farthest away that could go on there. Returns the tiles that somebody passes.
    fn share_line(&self, requests: &mut [Request], known: Known) -> u64 {
        let Path { mut tile, out, .. } = requests[0].path;
        let mut passed = 0;
        let covers = |request: &Request| u32::from(request.bit) + request.path.most;
        let end = max_or_zero(requests.iter().map(covers));
        let edge = self.edge(out);
        for bit in u32::from(requests[0].bit)..end.min(edge) {
            let winner = requests
                .iter_mut()
                .take_while(|request| u32::from(request.bit) <= bit)
                .find(|request| {
                    let hops = bit - u32::from(request.bit);
                    hops < request.path.most
                        && (hops == 0 || self.passes(request.path, tile, hops))
                        && (known.has_idle_links() || u32::from(request.won) == hops)
                });
            if let Some(request) = winner {
                let hops = bit - u32::from(request.bit);
                let comes = u32::from(request.won) == hops;
                passed |= u64::from(hops > 0 && (comes || known == Known::Nothing)) << bit;
                request.won += u8::from(comes);
            }
            if bit + 1 < edge {
                tile = self.n.next(tile, out);
            }
        }
        passed
    }

    /// Bit behind the last link of a line.
    const fn edge(&self, out: usize) -> u32 {
        match out {
            0 => self.n.height - 1,
            1 => self.n.tiles as u32 / self.n.height - 1,
            _ => 63,
        }
    }

    /// Outputs that a choice keeps: those whose first link it has won, unless a flit that passes takes its input.
    fn won(&self, choice: &Choice, passed: &[u64]) -> u8 {
        let place = self.channels.places[choice.tile as usize];
        let port = usize::from(choice.port);
        if port != LOCAL {
            let out = opposite(port);
            let line = out * 64 + Numbers::line(place, out);
            if passed[line] >> Numbers::bit(place, out) & 1 == 1 {
                return 0;
            }
        }
        let links = (0..LOCAL).filter(|out| choice.won[*out] > 0);
        let links = links.fold(0, |outs, out| outs | 1 << out);
        choice.outs & (links | 1 << LOCAL)
    }

    /// Grants outputs of a choice, and moves the orders of round robin.
    fn grant_choice(&mut self, choice: &Choice, outs: u8) {
        let (tile, port) = (choice.tile as usize, usize::from(choice.port));
        for out in ports(outs) {
            self.input_order[tile * PORTS + out] = Self::behind(choice.port);
        }
        self.grant(tile, port, choice.channel as usize, outs);
    }
}

/// What the published rules cost: the same without requests that go on after their flit has been stopped, and with losers that give up
/// their place. No router could know the first.
#[cfg(test)]
pub(super) mod study {
    use super::{
        Choice, Contention, Known, LOCAL, Numbers, PORTS, Request, SmartPlane, opposite, ports,
    };

    /// Which rules are left out.
    #[derive(Debug, Clone, Copy)]
    pub(in super::super) struct Variant {
        /// What everybody knows of flits that will not come.
        pub known: Known,
        /// Do the orders of round robin move on from what loses?
        pub passes_over: bool,
    }

    impl Variant {
        pub(in super::super) const PUBLISHED: Self = Self {
            known: Known::Nothing,
            passes_over: false,
        };
    }

    impl SmartPlane {
        /// Takes requests back until every link and input is won by a flit that comes.
        pub(super) fn withdraw_ended(&self, contention: &mut Contention, choices: &mut [Choice]) {
            while contention.variant.known == Known::All && self.withdraw_one(contention, choices) {
                for choice in choices.iter_mut() {
                    choice.won = [0; LOCAL];
                }
                for request in &mut contention.requests {
                    contention.passed[usize::from(request.line)] = 0;
                    request.won = 0;
                }
                self.share_lines(contention, choices);
            }
        }

        /// A choice whose input another flit takes, if possible one that keeps its own. False if there is none.
        fn withdraw_one(&self, contention: &mut Contention, choices: &[Choice]) -> bool {
            let requests = &mut contention.requests;
            let lost = |choice: &Choice| self.taker(choice, requests);
            let taken: Vec<Option<u32>> = choices.iter().map(lost).collect();
            let is_alive = |request: &&Request| request.path.most > 0;
            let mut candidates = requests.iter().filter(is_alive).map(|r| r.choice);
            let of_winner = |index: &u32| {
                taken[*index as usize].is_some_and(|taker| taken[taker as usize].is_none())
            };
            let first = candidates.clone().find(of_winner);
            let any = || candidates.find(|index| taken[*index as usize].is_some());
            let Some(withdrawn) = first.or_else(any) else {
                return false;
            };
            for request in requests.iter_mut().filter(|r| r.choice == withdrawn) {
                request.path.most = 0;
            }
            true
        }

        /// The choice whose flit takes the input of another one.
        fn taker(&self, choice: &Choice, requests: &[Request]) -> Option<u32> {
            let port = usize::from(choice.port);
            if port == LOCAL {
                return None;
            }
            let place = self.channels.places[choice.tile as usize];
            let line = (opposite(port) * 64 + Numbers::line(place, opposite(port))) as u16;
            let bit = Numbers::bit(place, opposite(port)) as u8;
            let passes = |r: &&Request| r.line == line && r.bit < bit && bit < r.bit + r.won;
            requests.iter().find(passes).map(|request| request.choice)
        }

        /// The orders go on from a choice that has lost outputs, as if it had got them.
        pub(super) fn pass_over(&mut self, variant: Variant, choice: &Choice, won: u8) {
            if !variant.passes_over || won == choice.outs {
                return;
            }
            let input = choice.tile as usize * PORTS + usize::from(choice.port);
            let after = self.n.channel_bit(choice.channel as usize) + 1;
            self.channel_order[input] = (after & (self.n.channels() - 1)) as u8;
            for out in ports(choice.outs & !won) {
                let order = choice.tile as usize * PORTS + out;
                self.input_order[order] = Self::behind(choice.port);
            }
        }
    }
}
