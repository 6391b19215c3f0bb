// SPDX-License-Identifier: Apache-2.0
//! What leaves the endpoint and what arrives at it: messages, bursts of the two lanes, the data window's buffer
//! (`noccl_torrent_messages`, `noccl_torrent_send`, `noccl_torrent_receive`).

use crate::endpoint::torrent::contract::{Arrived, Settings};
use crate::endpoint::torrent::narrow::NarrowMessage;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Address and beat, each with a handshake of its own: the address of a burst is offered with its first beat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Pair {
    gone: [bool; 2],
}

impl Pair {
    const fn offers(self, begins: bool) -> [bool; 2] {
        [begins && !self.gone[0], !self.gone[1]]
    }

    /// Is everything gone once these have been taken?
    const fn ends(self, begins: bool, taken: [bool; 2]) -> bool {
        let [address, beat] = self.offers(begins);
        (!address || taken[0]) && (!beat || taken[1])
    }

    fn take(&mut self, begins: bool, taken: [bool; 2]) {
        self.gone = match self.ends(begins, taken) {
            true => [false; 2],
            false => [self.gone[0] || taken[0], self.gone[1] || taken[1]],
        };
    }
}

/// A word of a message at the narrow port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordOffer {
    pub to: u32,
    pub message: NarrowMessage,
    pub word: u64,
    /// Address, word.
    pub valid: [bool; 2],
}

impl WordOffer {
    pub const fn is_last(&self) -> bool {
        self.word + 1 == self.message.beats()
    }
}

/// The message that is leaving.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MessagePort {
    message: Option<(u32, NarrowMessage)>,
    word: u64,
    pair: Pair,
}

impl MessagePort {
    pub(crate) fn offers(&self) -> Option<WordOffer> {
        let (to, message) = self.message?;
        Some(WordOffer {
            to,
            message,
            word: self.word,
            valid: self.pair.offers(self.word == 0),
        })
    }

    /// Can it take a message in this cycle?
    pub(crate) fn is_free(&self, taken: [bool; 2]) -> bool {
        let offer = self.offers();
        offer.is_none_or(|o| o.is_last() && self.pair.ends(self.word == 0, taken))
    }

    pub(crate) const fn is_idle(&self) -> bool {
        self.message.is_none()
    }

    pub(crate) fn step(&mut self, taken: [bool; 2], next: Option<(u32, NarrowMessage)>) {
        if let Some(offer) = self.offers() {
            let begins = self.word == 0;
            let ends = self.pair.ends(begins, taken);
            self.pair.take(begins, taken);
            if ends && offer.is_last() {
                self.message = None;
                self.word = 0;
            } else if ends {
                self.word += 1;
            }
        }
        if next.is_some() {
            self.message = next;
        }
    }
}

/// A beat of a lane at its wide port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeatOffer {
    pub to: u32,
    /// Of its burst.
    pub beats: u16,
    pub is_last: bool,
    /// Address, beat.
    pub valid: [bool; 2],
}

/// Beats of a task that are still to be sent, and bursts without a response.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outgoing {
    to: u32,
    sent: u64,
    beats: u64,
    open: u32,
    pair: Pair,
}

impl Outgoing {
    pub(crate) fn start(&mut self, to: u32, beats: u64) {
        (self.to, self.sent, self.beats) = (to, 0, beats);
    }

    pub(crate) const fn has_sent(&self) -> bool {
        self.sent == self.beats
    }

    /// A beat is there: what the port offers.
    pub(crate) fn offers(&self, settings: &Settings) -> Option<BeatOffer> {
        let begins = settings.begins_burst(self.sent);
        if self.has_sent() || begins && self.open == settings.buffer_bursts {
            return None;
        }
        Some(BeatOffer {
            to: self.to,
            beats: settings.burst_of(self.sent, self.beats),
            is_last: self.sent + 1 == self.beats || settings.begins_burst(self.sent + 1),
            valid: self.pair.offers(begins),
        })
    }

    /// Is the beat gone once these have been taken?
    pub(crate) const fn ends(&self, settings: &Settings, taken: [bool; 2]) -> bool {
        self.pair.ends(settings.begins_burst(self.sent), taken)
    }

    pub(crate) fn take(&mut self, settings: &Settings, taken: [bool; 2]) {
        let begins = settings.begins_burst(self.sent);
        let ends = self.pair.ends(begins, taken);
        self.pair.take(begins, taken);
        if ends {
            self.sent += 1;
            self.open += u32::from(begins);
        }
    }

    pub(crate) const fn responded(&mut self) {
        self.open -= 1;
    }
}

/// The data window: a memory, and the beat that was read from it last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Buffer {
    unread: VecDeque<Arrived>,
    head: Option<Arrived>,
}

impl Buffer {
    pub(crate) fn takes_beat(&self, settings: &Settings) -> bool {
        let capacity = settings.buffer_bursts as usize * settings.burst_beats as usize;
        self.unread.len() < capacity
    }

    pub(crate) const fn head(&self) -> Option<Arrived> {
        self.head
    }

    /// The head leaves or stays; the next beat is read. Returns whether something moves.
    pub(crate) fn step(&mut self, leaves: bool) -> bool {
        if leaves {
            self.head = None;
        }
        let reads = self.head.is_none() && !self.unread.is_empty();
        if reads {
            self.head = self.unread.pop_front();
        }
        leaves || reads
    }

    pub(crate) fn arrive(&mut self, beat: Arrived) {
        self.unread.push_back(beat);
    }
}
