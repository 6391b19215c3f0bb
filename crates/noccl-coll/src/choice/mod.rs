// SPDX-License-Identifier: Apache-2.0
//! Parameters of algorithms, with stable names.

mod messages;
mod points;

use crate::chain::order::ChainOrder;
use crate::entry::{Parameters, Stages};
use crate::{Algorithm, BarrierShape, CollError};
use noccl_workload::BarrierMechanism;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

pub use messages::{MessageForm, RoundForm, RoundSync, TreeForm};
pub use points::{LineForm, PointForm};

/// Word of a root in the centre.
const CENTRE: &str = "centre";
/// Word of chains over blocks.
const BLOCKS: &str = "blocks";

/// Which structure a `row_column` algorithm uses within one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Inner {
    /// Neighbour to neighbour.
    Chain,
    /// Binary tree.
    Tree,
}

/// Who moves the data of a software algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Forwarding {
    /// The receiver's DMA reads from the neighbour that holds the data.
    Pull,
    /// The holder's DMA writes to the neighbour that needs the data.
    Push,
}

/// An algorithm with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Choice {
    /// Algorithm.
    pub algorithm: Algorithm,
    /// Chunks that the payload is cut into, at least 1; more than there are beats means one beat each. Of the
    /// network's algorithms only an all-reduce has some.
    pub chunks: u32,
    /// Structure within a dimension; read by `row_column` only.
    pub inner: Inner,
    /// Pull or push; read by `chain`, `tree`, `double_tree` and `row_column`.
    pub forwarding: Forwarding,
    /// Barrier between the steps of a software algorithm.
    pub barrier: BarrierMechanism,
    /// Who meets where in a barrier by itself; `None`: everybody at the root. Read by `counter` and `in_network`.
    pub shape: Option<BarrierShape>,
    /// The root stands in the group's centre, not in a corner; read by `in_network_once`.
    pub is_central: bool,
    /// In which order a chain visits its destinations; read by `chainwrite`.
    pub order: ChainOrder,
    /// Chains that share the destinations, at least 1; read by `chainwrite`.
    pub chains: u32,
    /// A chain visits one member of every block, which multicasts to the others; read by `chainwrite`.
    pub by_blocks: bool,
    /// Who sends what to whom; read by `point_to_point`.
    pub point: PointForm,
    /// What algorithms of messages between cores have in addition.
    pub messages: MessageForm,
}

impl Choice {
    /// S1's form of an algorithm: chains pull, trees push, barriers are in-network; `row_column` is made of chains.
    #[must_use]
    pub const fn new(algorithm: Algorithm, chunks: u32) -> Self {
        Self {
            algorithm,
            chunks,
            inner: Inner::Chain,
            forwarding: default_forwarding(algorithm, Inner::Chain),
            barrier: BarrierMechanism::InNetwork,
            shape: None,
            is_central: false,
            order: ChainOrder::Latency,
            chains: 1,
            by_blocks: false,
            point: PointForm::Lines(LineForm::Ring, LineForm::Ring),
            messages: MessageForm {
                rounds: RoundForm::Split,
                tree: TreeForm::Binomial,
                is_at_root: false,
                is_direct: false,
                sync: RoundSync::None,
                lag: None,
                first: None,
            },
        }
    }

    /// S1's 2D form: the dimensions one after the other, each by `inner`.
    #[must_use]
    pub const fn row_column(inner: Inner, chunks: u32) -> Self {
        let mut choice = Self::new(Algorithm::RowColumn, chunks);
        choice.inner = inner;
        choice.forwarding = default_forwarding(Algorithm::RowColumn, inner);
        choice
    }

    /// A barrier by `counter` or `in_network` in another shape than the paper's.
    #[must_use]
    pub const fn shaped(algorithm: Algorithm, shape: BarrierShape) -> Self {
        let mut choice = Self::new(algorithm, 1);
        choice.shape = Some(shape);
        choice
    }

    /// An all-reduce or reduction by one transaction whose root stands in the centre.
    #[must_use]
    pub const fn central() -> Self {
        let mut choice = Self::new(Algorithm::InNetworkOnce, 1);
        choice.is_central = true;
        choice
    }

    /// Which parameters its algorithm has.
    const fn has(self) -> Parameters {
        self.algorithm.entry().parameters
    }

    /// Can it be a barrier by itself?
    const fn is_barrier(self) -> bool {
        self.has().has_shape
    }

    /// Is it a software algorithm with steps and barriers between them?
    #[must_use]
    pub const fn has_steps(self) -> bool {
        self.has().has_steps
    }

    /// Can its payload be cut into chunks?
    #[must_use]
    pub const fn has_chunks(self) -> bool {
        self.has_forwarding() || self.has().has_chunks
    }

    /// Is there a choice of who moves the data?
    pub(crate) const fn has_forwarding(self) -> bool {
        !matches!(self.has().stages, Stages::None)
    }

    /// Does a chain structure it, so that every step ends with a barrier?
    pub(crate) const fn is_chained(self) -> bool {
        match self.has().stages {
            Stages::None => false,
            Stages::Fixed(inner) => matches!(inner, Inner::Chain),
            Stages::Chosen => matches!(self.inner, Inner::Chain),
        }
    }

    /// Parameters by name, as a schedule records them; `chunks` is the number really made.
    #[must_use]
    pub fn parameters(self, chunks: u32) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        let mut put = |key: &str, value: &str| out.insert(key.to_owned(), value.to_owned());
        if self.has_forwarding() || (self.has_chunks() && self.chunks > 1) {
            put("chunks", &chunks.to_string());
        }
        if self.has_forwarding() {
            put("forwarding", self.forwarding.name());
        }
        if self.has_steps() {
            put("barrier", mechanism_name(self.barrier));
        }
        if self.has().stages == Stages::Chosen {
            put("inner", self.inner.name());
        }
        if self.has().has_chains {
            put("order", self.order.name());
            if self.chains > 1 {
                put("chains", &self.chains.to_string());
            }
            if self.by_blocks {
                put("to", BLOCKS);
            }
        }
        if self.has().has_form {
            put("form", &self.point.to_string());
        }
        if self.is_central {
            put("root", CENTRE);
        }
        for (key, word) in self.shape.into_iter().flat_map(BarrierShape::words) {
            put(key, word);
        }
        out
    }
}

impl Inner {
    /// Stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Inner::Chain => "chain",
            Inner::Tree => "tree",
        }
    }
}

impl Forwarding {
    /// Stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Forwarding::Pull => "pull",
            Forwarding::Push => "push",
        }
    }
}

const fn default_forwarding(algorithm: Algorithm, inner: Inner) -> Forwarding {
    let inner = match algorithm.entry().parameters.stages {
        Stages::Fixed(inner) => inner,
        Stages::Chosen => inner,
        Stages::None => Inner::Chain,
    };
    match inner {
        Inner::Chain => Forwarding::Pull,
        Inner::Tree => Forwarding::Push,
    }
}

/// `software` or `hardware`: a software algorithm may use the network's barrier without being named after it.
const fn mechanism_name(mechanism: BarrierMechanism) -> &'static str {
    match mechanism {
        BarrierMechanism::Software => "software",
        BarrierMechanism::InNetwork => "hardware",
    }
}

// Choices as users write them.

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
        let mut parts = text.split(':');
        let algorithm: Algorithm = parts.next().unwrap_or(text).parse()?;
        let named = Choice::new(algorithm, 1);
        let mut choice = named;
        let unknown = |part: &str| CollError::UnknownName {
            what: "parameter",
            found: part.to_owned(),
            accepted: accepted(named),
        };
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

/// What parameters an algorithm may have.
fn accepted(choice: Choice) -> String {
    let has = choice.has();
    let is_exchange = has.lag.is_some();
    let known = [
        (choice.has_chunks(), "a number of chunks, 1 or more"),
        (has.stages == Stages::Chosen, "tree"),
        (choice.has_forwarding(), "pull or push"),
        (choice.has_steps(), "software"),
        (has.has_centre, "centre"),
        (has.has_chains, "a number of chains, 1 or more"),
        (has.has_chains, "an order (`noccl order`)"),
        (has.has_chains, "blocks"),
        (
            has.has_form,
            "one of ring, rings, both, halving, swing, bine, direct (two for both dimensions as rings+direct), radix=COUNT, combine=COUNT, trees=COUNT",
        ),
        (
            has.has_shape,
            "of a barrier row_column, quads or pairwise, and centre",
        ),
        (has.has_rounds, "on core tiles split or literal"),
        (has.has_lines, "on core tiles direct or chain"),
        (
            has.has_trees,
            "of a barrier on core tiles neighbour or ternary, and root",
        ),
        (
            is_exchange,
            "on core tiles barrier, lag=STEPS, receive or send",
        ),
        (has.has_plan, "on core tiles barrier"),
    ];
    let known = known
        .into_iter()
        .filter_map(|(is_there, words)| is_there.then_some(words));
    let known: Vec<&str> = known.collect();
    let name = choice.algorithm.name();
    match known.as_slice() {
        [] => format!("{name} alone, which has no parameters"),
        some => format!("{name}, and behind a colon each: {}", some.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_reads_back_from_its_name() {
        for algorithm in Algorithm::ALL {
            for inner in [Inner::Chain, Inner::Tree] {
                for forwarding in [Forwarding::Pull, Forwarding::Push] {
                    for barrier in [BarrierMechanism::Software, BarrierMechanism::InNetwork] {
                        let mut choice = Choice::new(algorithm, 1);
                        if choice.has_chunks() {
                            choice.chunks = 7;
                        }
                        if choice.has_forwarding() {
                            choice.forwarding = forwarding;
                        }
                        if choice.has_steps() {
                            choice.barrier = barrier;
                        }
                        if algorithm == Algorithm::RowColumn {
                            choice.inner = inner;
                        }
                        let text = choice.to_string();
                        assert_eq!(text.parse::<Choice>().as_ref(), Ok(&choice), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_shape_of_a_barrier_reads_back_from_its_name() {
        for algorithm in [Algorithm::Counter, Algorithm::InNetwork] {
            for shape in BarrierShape::ALL {
                let choice = Choice::shaped(algorithm, shape);
                let text = choice.to_string();
                assert_eq!(text.parse::<Choice>().as_ref(), Ok(&choice), "{text}");
            }
        }
        let central = Choice::central();
        assert_eq!(central.to_string(), "in_network_once:centre");
        assert_eq!(central.to_string().parse::<Choice>().as_ref(), Ok(&central));
        assert!("chain:centre".parse::<Choice>().is_err());
    }

    #[test]
    fn a_refused_parameter_is_told_what_its_algorithm_has() {
        for (text, words) in [
            (
                "in_network_list:2",
                "no parameter '2'; accepted: in_network_list alone, which has no parameters",
            ),
            (
                "chain:0",
                "no parameter '0'; accepted: chain, and behind a colon each: a number of chunks, 1 or more; pull or push; software",
            ),
            ("chain:x", "no parameter 'x'"),
        ] {
            let error = text.parse::<Choice>().expect_err("it does not exist");
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn in_network_appears_in_names_and_parameters_of_in_network_algorithms_only() {
        for algorithm in Algorithm::ALL {
            let choice = Choice::new(algorithm, 4);
            let words = format!("{choice} {:?}", choice.parameters(4));
            assert_eq!(
                words.contains("in_network"),
                algorithm.is_in_network(),
                "{words}"
            );
        }
    }

    #[test]
    fn unknown_names_and_misplaced_parameters_are_refused() {
        for text in [
            "",
            "star",
            "chain:0",
            "chain:fast",
            "chain:tree",
            "in_network:push",
            "in_network_lines:2",
            "in_network_once:2",
            "in_network_once:corner",
            "ring:2",
            "ring:pull",
            "counter:pull",
            "chainwrite:0",
            "unicast:2",
            "in_network_list:2",
            "chainwrite:shortest",
        ] {
            let error = text.parse::<Choice>().expect_err(text).to_string();
            assert!(error.contains("accepted"), "{error}");
        }
    }
}
