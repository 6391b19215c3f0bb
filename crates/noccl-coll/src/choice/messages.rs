// SPDX-License-Identifier: Apache-2.0
//! Parameters of algorithms of messages between cores, with stable names.

use super::Choice;
use noccl_workload::{CollectiveKind, First};
use std::collections::BTreeMap;

/// Word of a barrier tree at the collective's root.
const AT_ROOT: &str = "root";
/// Word of a barrier between rounds.
const SYNC: &str = "barrier";
/// Word of a reduction in which everybody of a line sends to its end.
const DIRECT: &str = "direct";
/// Word of a reduction from neighbour to neighbour, which is the usual one.
pub(super) const CHAIN: &str = "chain";
/// Before the number of steps that a core may be ahead of what it receives.
const LAG: &str = "lag=";

/// Are rounds split until their messages share no link?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoundForm {
    /// Into subrounds.
    #[default]
    Split,
    /// No: everybody sends in each round (S4's words taken literally).
    Literal,
}

/// Tree of a barrier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TreeForm {
    /// By distance in ranks.
    #[default]
    Binomial,
    /// Every edge is a link.
    Neighbour,
    /// Three children, the root four.
    Ternary,
}

/// What keeps rounds apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoundSync {
    /// Nothing but what a core has to receive before it goes on.
    #[default]
    None,
    /// A barrier between them.
    Barrier,
}

/// Parameters that algorithms of messages alone have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct MessageForm {
    /// Read by `rounds`.
    pub rounds: RoundForm,
    /// Read by `tree` of a barrier.
    pub tree: TreeForm,
    /// Does the barrier's tree stand at the collective's root, not in the middle? Read by `tree:neighbour` and `tree:ternary`.
    pub is_at_root: bool,
    /// Does everybody of a row or column send to its end directly, not over neighbours? Read by `row_column`.
    pub is_direct: bool,
    /// Read by exchanges, between their steps, and by plans, before them.
    pub sync: RoundSync,
    /// Sends of a step wait for what is received so many steps before; 0: for nothing. Read by exchanges; absent: the
    /// algorithm's own.
    pub lag: Option<u32>,
    /// What a core does first; absent: the algorithm's own. Read by exchanges.
    pub first: Option<First>,
}

impl RoundForm {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Split, Self::Literal];

    /// Stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Literal => "literal",
        }
    }
}

impl TreeForm {
    /// All.
    pub const ALL: [Self; 3] = [Self::Binomial, Self::Neighbour, Self::Ternary];

    /// Stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binomial => "binomial",
            Self::Neighbour => "neighbour",
            Self::Ternary => "ternary",
        }
    }
}

const fn first_name(first: First) -> &'static str {
    match first {
        First::Receive => "receive",
        First::Send => "send",
    }
}

impl Choice {
    /// Steps that a core of an exchange is ahead of what it has received.
    pub(crate) fn lag(&self) -> u32 {
        // 0: algorithms without this parameter are not ahead.
        let usual = self.has().lag.unwrap_or(0);
        self.messages.lag.unwrap_or(usual)
    }
}

impl Choice {
    /// Name of the algorithm with the form of its messages, if it has one of its own, without other parameters.
    #[must_use]
    pub fn form_name(&self) -> String {
        let mut name = self.algorithm.to_string();
        for word in self.message_words() {
            name.push(':');
            name.push_str(&word);
        }
        name
    }

    /// The same with rounds of this form.
    #[must_use]
    pub const fn with_rounds(mut self, rounds: RoundForm) -> Self {
        self.messages.rounds = rounds;
        self
    }

    /// The same with lines whose members send to the end directly.
    #[must_use]
    pub const fn direct(mut self) -> Self {
        self.messages.is_direct = true;
        self
    }

    /// The same with a barrier's tree of this form.
    #[must_use]
    pub const fn with_tree(mut self, tree: TreeForm) -> Self {
        self.messages.tree = tree;
        self
    }

    /// Words of the parameters that are not as usual.
    pub(super) fn message_words(&self) -> Vec<String> {
        let form = self.messages;
        let mut words = Vec::new();
        if form.rounds != RoundForm::default() {
            words.push(form.rounds.name().to_owned());
        }
        if form.tree != TreeForm::default() {
            words.push(form.tree.name().to_owned());
        }
        if form.is_direct {
            words.push(DIRECT.to_owned());
        }
        if form.is_at_root {
            words.push(AT_ROOT.to_owned());
        }
        if form.sync == RoundSync::Barrier {
            words.push(SYNC.to_owned());
        }
        words.extend(form.lag.map(|lag| format!("{LAG}{lag}")));
        words.extend(form.first.map(|first| first_name(first).to_owned()));
        words
    }

    /// Takes a word as one of these parameters; false if the algorithm has none of that name.
    pub(super) fn take_message_word(&mut self, word: &str) -> bool {
        let has = self.has();
        let is_exchange = has.lag.is_some();
        let form = &mut self.messages;
        let rounds = RoundForm::ALL.into_iter().find(|r| r.name() == word);
        let tree = TreeForm::ALL.into_iter().find(|t| t.name() == word);
        let first = [First::Receive, First::Send]
            .into_iter()
            .find(|f| first_name(*f) == word);
        let lag = word.strip_prefix(LAG).and_then(|n| n.parse().ok());
        match (rounds, tree, first, lag) {
            (Some(rounds), ..) if has.has_rounds => form.rounds = rounds,
            (_, Some(tree), ..) if has.has_trees => form.tree = tree,
            (_, _, Some(first), _) if is_exchange => form.first = Some(first),
            (.., Some(lag)) if is_exchange => form.lag = Some(lag),
            _ if word == DIRECT && has.has_lines => form.is_direct = true,
            _ if word == CHAIN && has.has_lines => form.is_direct = false,
            _ if word == SYNC && (is_exchange || has.has_plan) => form.sync = RoundSync::Barrier,
            _ if word == AT_ROOT && form.tree != TreeForm::Binomial => form.is_at_root = true,
            _ => return false,
        }
        true
    }

    /// Parameters by name, as a schedule of messages records them; `chunks` is the number really made.
    pub(crate) fn message_parameters(
        &self,
        kind: CollectiveKind,
        chunks: usize,
    ) -> BTreeMap<String, String> {
        let form = self.messages;
        let mut out = BTreeMap::new();
        let mut put = |key: &str, value: &str| out.insert(key.to_owned(), value.to_owned());
        if self.algorithm.has_chunks_on_cores(kind) {
            put("chunks", &chunks.to_string());
        }
        if self.has().has_lines && kind != CollectiveKind::AllToAll {
            put("inner", if form.is_direct { DIRECT } else { CHAIN });
        }
        if self.has().has_rounds {
            put("form", form.rounds.name());
        }
        if !kind.has_payload() && self.has().has_trees {
            put("tree", form.tree.name());
            let is_central = form.tree != TreeForm::Binomial && !form.is_at_root;
            put("root", if is_central { "centre" } else { AT_ROOT });
        }
        let has_barriers = form.sync == RoundSync::Barrier;
        if kind == CollectiveKind::AllToAll && (self.has().lag.is_some() || has_barriers) {
            let sync = match form.sync {
                RoundSync::None => "none",
                RoundSync::Barrier => SYNC,
            };
            put("sync", sync);
            if !has_barriers {
                put("lag", &self.lag().to_string());
            }
        }
        out
    }

    /// Does it use a parameter that only messages between cores have?
    pub(crate) fn has_message_form(&self) -> bool {
        self.messages != MessageForm::default()
    }
}
