// SPDX-License-Identifier: Apache-2.0
//! Choices as users write them.

use super::{BLOCKS, CENTRE, Choice, Forwarding, Inner, default_forwarding};
use crate::chain::order::ChainOrder;
use crate::entry::Stages;
use crate::{Algorithm, BarrierShape, CollError};
use noccl_workload::BarrierMechanism;
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Choice {
    /// `NAME[:CHUNKS][:tree][:pull|:push][:software]`; what is absent is as in [`Choice::new`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm.name())?;
        if self.has_forwarding() || (self.has_chunks() && self.chunks > 1) {
            write!(f, ":{}", self.chunks)?;
        }
        let has = self.has();
        if has.has_chains && self.chains > 1 {
            write!(f, ":{}", self.chains)?;
        }
        if has.stages == Stages::Chosen && self.inner == Inner::Tree {
            f.write_str(":tree")?;
        }
        let usual = default_forwarding(self.algorithm, self.inner);
        if self.has_forwarding() && self.forwarding != usual {
            write!(f, ":{}", self.forwarding.name())?;
        }
        if self.has_steps() && self.barrier == BarrierMechanism::Software {
            f.write_str(":software")?;
        }
        if has.has_chains && self.order != ChainOrder::Latency {
            write!(f, ":{}", self.order)?;
        }
        if self.by_blocks {
            write!(f, ":{BLOCKS}")?;
        }
        if self.is_central {
            write!(f, ":{CENTRE}")?;
        }
        for word in self.point_word().into_iter().chain(self.message_words()) {
            write!(f, ":{word}")?;
        }
        let mut words = self.shape.into_iter().flat_map(BarrierShape::words);
        words.try_for_each(|(_, word)| write!(f, ":{word}"))
    }
}

impl FromStr for Choice {
    type Err = CollError;

    fn from_str(text: &str) -> Result<Self, CollError> {
        let unknown = |part: &str| CollError::UnknownName {
            what: "parameter",
            found: format!("{part} in {text}"),
            accepted: accepted(),
        };
        let mut parts = text.split(':');
        let algorithm: Algorithm = parts.next().unwrap_or(text).parse()?;
        let mut choice = Choice::new(algorithm, 1);
        let has = choice.has();
        for part in parts {
            let number = part.parse::<u32>().ok().filter(|n| *n >= 1);
            if choice.take_message_word(part) || choice.take_point_word(part) {
                continue;
            }
            match (part, number) {
                (_, Some(chunks)) if choice.has_chunks() => choice.chunks = chunks,
                (_, Some(chains)) if has.has_chains => choice.chains = chains,
                ("tree", None) if has.stages == Stages::Chosen => {
                    choice.inner = Inner::Tree;
                    choice.forwarding = default_forwarding(algorithm, Inner::Tree);
                }
                ("pull", None) if choice.has_forwarding() => choice.forwarding = Forwarding::Pull,
                ("push", None) if choice.has_forwarding() => choice.forwarding = Forwarding::Push,
                ("software", None) if choice.has_steps() => {
                    choice.barrier = BarrierMechanism::Software;
                }
                (CENTRE, None) if has.has_centre => {
                    choice.is_central = true;
                }
                (BLOCKS, None) if has.has_chains => choice.by_blocks = true,
                (word, None) if has.has_chains => {
                    choice.order = word.parse()?;
                }
                (word, None) if choice.is_barrier() => {
                    let shape = BarrierShape::with(choice.shape, word);
                    choice.shape = Some(shape.ok_or_else(|| unknown(part))?);
                }
                (_, _) => return Err(unknown(part)),
            }
        }
        Ok(choice)
    }
}

/// What parameters a choice may have.
fn accepted() -> String {
    let bare = Algorithm::ALL.into_iter().filter(|algorithm| {
        let entry = algorithm.entry();
        entry.on_clusters.is_some() && entry.parameters.is_none_on_clusters()
    });
    let mut bare: Vec<&str> = bare.map(Algorithm::name).collect();
    let last = bare.pop().unwrap_or("none");
    format!(
        "NAME[:CHUNKS][:tree][:pull|:push][:software], CHUNKS at least 1; `:tree` \
         only after row_column; after ring only `:software`, after in_network only \
         CHUNKS, after in_network_once only `:centre`, after chainwrite only a number of chains, an order (`noccl order`) and `:blocks`, after \
         point_to_point [:CHUNKS] and one of :ring, :rings, :both, :halving, :swing, :bine, :direct (two of them for both dimensions as :rings+direct), :radix=COUNT, :combine=COUNT, :trees=COUNT, after \
         {} and {last} nothing; for a barrier \
         counter and in_network with [:row_column|:quads|:pairwise][:centre]; on core tiles rounds \
         with [:split|:literal], row_column with [:direct|:chain], tree of a barrier with \
         [:neighbour|:ternary][:root], unicast, pairwise, torus, rounds and row_column with \
         [:barrier][:lag=STEPS][:receive|:send], planned with [:barrier]",
        bare.join(", ")
    )
}
