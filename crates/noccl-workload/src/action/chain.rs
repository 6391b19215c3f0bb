// SPDX-License-Identifier: Apache-2.0
//! A chain: endpoints hand data from destination to destination, and each keeps a copy (S3's Chainwrite).
//!
//! Unlike a multicast it needs nothing of the network, and unlike one it lets every destination place the data as it
//! likes: a stream of 64-byte beats leaves the source in the order of one pattern and is written in the order of
//! another.
//!
//! A chain writes at several tiles by patterns that may be anything. So it is refused before anything moves where a
//! pattern leaves its memory, writes a byte twice or writes what it reads.

use super::class::{Agent, Completion, Effect, Kind, Need, Waits};
use super::{AccessPattern, CHAIN_BEAT_BYTES, MAX_FIELD, MAX_LOOPS, WORD_BYTES};
use crate::CheckError;
use crate::check::At;
use noccl_net::counts::max_or_zero;
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Movement of one stream from a source through all destinations, each of which writes it to its own memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Cluster whose memory is read and whose endpoint begins the chain.
    pub initiator: TileRef,
    /// Where the stream is read.
    pub source: AccessPattern,
    /// Clusters in the order in which data reaches them. Two equal destinations count once; the initiator among them keeps a copy itself.
    #[serde(alias = "stops")]
    pub destinations: Vec<ChainDestination>,
    /// Bytes of the stream, a multiple of 64; zero is a no-op.
    pub bytes: u64,
}

/// One destination of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainDestination {
    /// Cluster.
    pub tile: TileRef,
    /// Where the stream is written.
    pub pattern: AccessPattern,
}

impl Chain {
    /// The destinations without those that are equal to an earlier one, the initiator's own left out.
    #[must_use]
    pub fn followers(&self) -> Vec<&ChainDestination> {
        let mut followers: Vec<&ChainDestination> = Vec::new();
        for destination in self
            .destinations
            .iter()
            .filter(|s| s.tile != self.initiator)
        {
            if !followers.contains(&destination) {
                followers.push(destination);
            }
        }
        followers
    }

    /// Where the initiator keeps a copy, if it is a destination itself.
    #[must_use]
    pub fn own_copy(&self) -> Option<&AccessPattern> {
        let own = self.destinations.iter().find(|s| s.tile == self.initiator);
        own.map(|s| &s.pattern)
    }

    /// Destinations that are equal to an earlier one, by index.
    #[must_use]
    pub fn duplicates(&self) -> Vec<usize> {
        let is_repeated = |i: &usize| self.destinations[..*i].contains(&self.destinations[*i]);
        (0..self.destinations.len()).filter(is_repeated).collect()
    }

    /// Beats of the stream.
    #[must_use]
    pub const fn beats(&self) -> u64 {
        self.bytes / CHAIN_BEAT_BYTES
    }
}

impl<'a> Kind<'a> for &'a Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn words(&self) -> &'static str {
        "chain"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        network.find(self.initiator).into_iter().collect()
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::Engine
    }

    fn waits(&self) -> Waits {
        Waits::Nobody
    }

    fn needs(&self) -> Need {
        Need::Chains
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Stream(self)
    }

    fn sent_bytes(&self, network: &Network) -> u64 {
        let followers = self.followers().into_iter();
        self.bytes * followers.filter_map(|s| network.find(s.tile)).count() as u64
    }

    fn work(&self, network: &Network) -> Option<Work> {
        if self.bytes == 0 {
            return None;
        }
        let followers = self.followers().into_iter();
        Some(Work::Chain {
            initiator: network.find(self.initiator)?,
            destinations: followers.filter_map(|s| network.find(s.tile)).collect(),
            is_safe: network.capabilities().are_chains_safe(),
        })
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let Some(endpoint) = at.network.capabilities().chains else {
            return at.fail(
                "initiator",
                self.initiator,
                "a network whose clusters have a Torrent endpoint: [cluster.torrent] in the spec, as in the \
                 preset torrent_4x5; elsewhere a multicast",
            );
        };
        let source = at.cluster("initiator", self.initiator)?;
        if !self.bytes.is_multiple_of(CHAIN_BEAT_BYTES) || self.beats() > MAX_FIELD {
            let accepted =
                format!("a multiple of {CHAIN_BEAT_BYTES}, at most {MAX_FIELD} times as much");
            return at.fail("bytes", self.bytes, &accepted);
        }
        if self.destinations.is_empty() {
            return at.fail("destinations", "[]", "at least one cluster");
        }
        let followers = self.followers().len();
        if followers > endpoint.max_followers as usize {
            let accepted = format!(
                "at most {}, cluster.torrent.max_destinations",
                endpoint.max_followers
            );
            return at.fail("destinations", format!("{followers} clusters"), &accepted);
        }
        if self.bytes > 0 && self.beats() < endpoint.min_beats && followers > 0 {
            let accepted = "two beats or more: an endpoint with cluster.torrent.mode = \"published\" never sends a burst of one";
            return at.fail("bytes", self.bytes, accepted);
        }
        pattern(at, "source", source, &self.source, self.bytes)?;
        for (i, destination) in self.destinations.iter().enumerate() {
            let tile = at.cluster(&format!("destinations[{i}].tile"), destination.tile)?;
            pattern(
                at,
                &format!("destinations[{i}].pattern"),
                tile,
                &destination.pattern,
                self.bytes,
            )?;
            writes_once(at, i, self)?;
        }
        Ok(())
    }
}

fn pattern(
    at: &At<'_>,
    name: &str,
    tile: TileId,
    pattern: &AccessPattern,
    bytes: u64,
) -> Result<(), CheckError> {
    let within = |part: &str| format!("{name}.{part}");
    if pattern.loops.len() > MAX_LOOPS {
        let accepted = format!("at most {MAX_LOOPS}");
        return at.fail(&within("loops"), pattern.loops.len(), &accepted);
    }
    let strides = pattern.loops.iter().enumerate();
    let strides = strides.map(|(i, l)| (format!("loops[{i}].stride"), l.stride));
    for (part, stride) in strides.chain([("word_stride".to_owned(), pattern.word_stride)]) {
        if !stride.is_multiple_of(WORD_BYTES) || stride / WORD_BYTES > MAX_FIELD {
            let accepted = format!("a multiple of {WORD_BYTES}, at most {MAX_FIELD} times as much");
            return at.fail(&within(&part), stride, &accepted);
        }
    }
    if !pattern.offset.is_multiple_of(WORD_BYTES) {
        return at.fail(&within("offset"), pattern.offset, "a multiple of 8");
    }
    let counts = pattern.loops.iter().map(|l| l.count);
    if pattern.beats() != bytes / CHAIN_BEAT_BYTES || max_or_zero(counts) > MAX_FIELD {
        let accepted = format!(
            "counts whose product is {}, the beats of `bytes`",
            bytes / CHAIN_BEAT_BYTES
        );
        return at.fail(
            &within("loops"),
            format!("{} beats", pattern.beats()),
            &accepted,
        );
    }
    at.fits(&within("offset"), tile, pattern.end())
}

/// A destination's own bytes, the initiator's source, and a second visit of the same cluster.
fn writes_once(at: &At<'_>, destination: usize, chain: &Chain) -> Result<(), CheckError> {
    let now = &chain.destinations[destination];
    let name = format!("destinations[{destination}].pattern");
    let mut before = chain.destinations[..destination]
        .iter()
        .filter(|s| s.tile == now.tile);
    match before.next() {
        Some(first) if first == now => return Ok(()),
        Some(_) => {
            return at.fail(
                &format!("destinations[{destination}].tile"),
                now.tile,
                "each cluster once, or twice with equal patterns; a second range there is a chain of its own",
            );
        }
        None => {}
    }
    let Some(written) = now.pattern.ranges() else {
        return at.fail(
            &name,
            "a pattern that writes a byte twice",
            "one whose words do not overlap",
        );
    };
    if now.tile == chain.initiator {
        let mut read = chain.source.extents();
        read.sort_unstable();
        if meet(&written, &read) {
            return at.fail(
                &name,
                "bytes that the chain reads",
                "bytes apart from its source",
            );
        }
    }
    Ok(())
}

/// Do two sorted lists of ranges share a byte?
fn meet(left: &[(u64, u64)], right: &[(u64, u64)]) -> bool {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some((a, a_bytes)), Some((b, b_bytes))) = (left.peek(), right.peek()) {
        if a + a_bytes <= *b {
            left.next();
        } else if b + b_bytes <= *a {
            right.next();
        } else {
            return true;
        }
    }
    false
}
