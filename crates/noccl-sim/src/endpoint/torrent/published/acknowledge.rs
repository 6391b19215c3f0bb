// SPDX-License-Identifier: Apache-2.0
//! Acknowledgements in parallel: every destination responds to its configuration at once, straight to the initiator.
//!
//! An attempt never waits while it holds: a destination that serves another task, or that has a grant waiting, says so. If
//! all are free, data leaves. If not, the initiator keeps those destinations that stand before the first busy one in the
//! order of grants, lets the others go, and sends the grant to the busy one; from there it goes in the order of
//! `docs/design/0005-torrent.md`.

use crate::endpoint::torrent::cfg::Key;
use crate::endpoint::torrent::narrow::{NarrowMessage, Response};
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::lead::{OwnResponse, Responses};
use crate::endpoint::torrent::unit::{Effects, GRANT_CYCLES};

impl Endpoint {
    /// The task whose grant came first, of those that wait.
    pub(crate) fn first_waiting(&self) -> Option<Key> {
        let known = |key: &Key| self.followers.iter().any(|f| f.cfg.key == *key);
        let mut grants = self.grants.iter().map(|(key, _)| *key);
        grants.find(known)
    }

    /// Responds to every configuration that has come.
    pub(crate) fn response(&mut self, now: u64, effects: &mut Effects) {
        for follower in &mut self.followers {
            if follower.response != OwnResponse::Due {
                continue;
            }
            let key = follower.cfg.key;
            let is_free = self.serving.is_none() && self.grants.is_empty();
            follower.response = if is_free {
                self.serving = Some(key);
                follower.granted = true;
                OwnResponse::Free
            } else {
                OwnResponse::Waits
            };
            let destination = follower.cfg.destination;
            let response = NarrowMessage::Response(Response {
                key,
                destination,
                is_free,
            });
            self.narrow.ask(now + GRANT_CYCLES, key.initiator, response);
            effects.has_moved = true;
        }
    }

    /// A destination has responded; the last response decides.
    pub(crate) fn take_response(&mut self, now: u64, response: Response) {
        let Some(head) = self.heads.iter_mut().find(|h| h.key() == response.key) else {
            self.strays += 1;
            return;
        };
        let Responses { free, busy } = &mut head.responses;
        if response.is_free {
            free.push(response.destination);
        } else {
            busy.push(response.destination);
        }
        if free.len() + busy.len() < head.task.cfgs.len() {
            return;
        }
        let grants = &head.task.grants;
        let Some(at) = grants
            .iter()
            .position(|destination| busy.contains(destination))
        else {
            head.granted = true;
            return;
        };
        let ready_cycle = now + GRANT_CYCLES;
        let tile = |destination: u16| {
            head.task
                .cfgs
                .get(usize::from(destination))
                .map(|(to, _)| *to)
        };
        if let Some(to) = tile(grants[at]) {
            self.narrow
                .ask(ready_cycle, to, NarrowMessage::Grant(response.key));
        }
        let held = grants[at + 1..]
            .iter()
            .filter(|destination| free.contains(destination));
        for to in held.filter_map(|destination| tile(*destination)) {
            self.narrow
                .ask(ready_cycle, to, NarrowMessage::Release(response.key));
        }
    }

    /// The initiator has found another destination busy.
    pub(crate) fn take_release(&mut self, key: Key) {
        let follower = self.followers.iter_mut().find(|f| f.cfg.key == key);
        let Some(follower) = follower else {
            self.strays += 1;
            return;
        };
        if follower.response == OwnResponse::Free {
            follower.granted = false;
            self.serving = None;
        }
        follower.response = OwnResponse::Waits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::torrent::cfg::Cfg;
    use crate::endpoint::torrent::pattern::Addresses;
    use crate::endpoint::torrent::unit::{Arrived, Bytes, Settings};
    use noccl_spec::{TorrentAcknowledgement, TorrentDispatch, TorrentMode};
    use noccl_workload::AccessPattern;

    struct Nowhere;

    impl Bytes for Nowhere {
        fn load(&mut self, _words: &[u64; 8]) -> u32 {
            0
        }

        fn store(&mut self, _words: &[u64; 8], _payload: u32) {}

        fn share(&mut self, _payload: u32) {}

        fn release(&mut self, _payload: u32) {}
    }

    const SETTINGS: Settings = Settings {
        mode: TorrentMode::Safe,
        cycles: noccl_spec::EndpointCycles::Published,
        dispatch: TorrentDispatch::ChainOrder,
        acknowledgement: TorrentAcknowledgement::Parallel,
        open_tasks: 1,
        path_cycles: 0,
        burst_beats: 64,
        buffer_bursts: 2,
        fifo_words: 8,
        num_banks: 32,
    };

    /// The only destination of a chain of one beat.
    fn cfg(initiator: u32) -> Cfg {
        Cfg {
            key: Key { initiator, task: 0 },
            previous: initiator,
            next: None,
            grant_to: initiator,
            starts_grant: true,
            destination: 0,
            beats: 1,
            addresses: Addresses::of(&AccessPattern::linear(0, 64)),
        }
    }

    /// What leaves the endpoint in a while.
    fn leaves(destination: &mut Endpoint, now: &mut u64) -> Vec<(u32, NarrowMessage)> {
        let cycles = *now..*now + 30;
        *now = cycles.end;
        let effects = cycles.map(|cycle| destination.tick(cycle, &SETTINGS, &mut Nowhere));
        let leaving = effects.filter_map(|e| e.leaving);
        leaving.map(|l| (l.to, l.message)).collect()
    }

    fn response(initiator: u32, is_free: bool) -> (u32, NarrowMessage) {
        let key = Key { initiator, task: 0 };
        let destination = 0;
        let response = Response {
            key,
            destination,
            is_free,
        };
        (initiator, NarrowMessage::Response(response))
    }

    const BEAT: Arrived = Arrived {
        payload: 0,
        closes: None,
    };

    /// A release could otherwise outlive its task and meet another one of the same name.
    #[test]
    fn a_destination_whose_grant_is_ahead_of_the_release_ends_after_both() {
        let (mut destination, mut now, key) = (Endpoint::new(9), 0, cfg(3).key);
        destination.receive(now, NarrowMessage::Cfg(cfg(3)));
        assert_eq!(leaves(&mut destination, &mut now), [response(3, true)]);
        destination.receive(now, NarrowMessage::Grant(key));
        assert_eq!(
            leaves(&mut destination, &mut now),
            [(3, NarrowMessage::Grant(key))]
        );
        destination.arrived.push_back(BEAT);
        assert_eq!(leaves(&mut destination, &mut now), []);
        destination.receive(now, NarrowMessage::Release(key));
        assert_eq!(
            leaves(&mut destination, &mut now),
            [(3, NarrowMessage::Finish(key))]
        );
        assert!(destination.is_idle() && destination.strays == 0);
    }

    /// Whoever comes while a grant waits is told that the destination is busy: nobody passes a grant for ever.
    #[test]
    fn a_destination_that_is_released_serves_the_grant_that_waits_first() {
        let (mut destination, mut now) = (Endpoint::new(9), 0);
        for initiator in [3, 4] {
            destination.receive(now, NarrowMessage::Cfg(cfg(initiator)));
        }
        let responses = [response(3, true), response(4, false)];
        assert_eq!(leaves(&mut destination, &mut now), responses);
        destination.receive(now, NarrowMessage::Grant(cfg(4).key));
        destination.receive(now, NarrowMessage::Cfg(cfg(5)));
        assert_eq!(leaves(&mut destination, &mut now), [response(5, false)]);
        destination.receive(now, NarrowMessage::Release(cfg(3).key));
        let grant = (4, NarrowMessage::Grant(cfg(4).key));
        assert_eq!(leaves(&mut destination, &mut now), [grant]);
        destination.receive(now, NarrowMessage::Grant(cfg(3).key));
        destination.arrived.push_back(BEAT);
        let finish = (4, NarrowMessage::Finish(cfg(4).key));
        let next = (3, NarrowMessage::Grant(cfg(3).key));
        let mut left = leaves(&mut destination, &mut now);
        left.sort_unstable_by_key(|(to, _)| *to);
        assert_eq!(left, [next, finish]);
    }
}
