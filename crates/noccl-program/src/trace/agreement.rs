// SPDX-License-Identifier: Apache-2.0
//! Collective calls of a trace that belong together must fit; each is compared with that of the first rank that comes to it, without a message.

use super::collectives::{CollectiveName, RecordedCollective};
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::rank::Place;
use noccl_workload::{ElementType, Operator};
use std::collections::HashMap;

/// What all ranks must state alike; `None`: a split.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Terms(Option<CollectiveTerms>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct CollectiveTerms {
    name: CollectiveName,
    root: u32,
    fold: Option<(Option<Operator>, ElementType)>,
    bytes: Vec<u64>,
}

struct First {
    terms: Terms,
    rank: RankId,
    place: Place,
    missing: u32,
}

/// Calls that some ranks have not come to.
#[derive(Default)]
pub(super) struct Agreements {
    /// By communicator and number of the call there.
    open: HashMap<(CommId, u64), First>,
}

impl Terms {
    /// As messages name the call.
    fn name(&self) -> String {
        let Some(terms) = &self.0 else {
            return "split".to_owned();
        };
        let mut name = terms.name.name().to_owned();
        if let [bytes] = terms.bytes[..] {
            name += &format!(" of {bytes} bytes");
        } else if !terms.bytes.is_empty() {
            name += &format!(" of {:?} bytes", terms.bytes);
        }
        if terms.name.has_root() {
            name += &format!(" with root {}", terms.root);
        }
        if let Some((operator, element)) = terms.fold {
            let operator = operator.map_or("other", Operator::name);
            name += &format!(", {operator} of {}", element.name());
        }
        name
    }
}

impl Agreements {
    /// A rank comes to its call of this number on a communicator of so many ranks; `None`: a split.
    ///
    /// # Errors
    /// [`ProgramError::Differs`].
    pub(super) fn call(
        &mut self,
        at: (CommId, u64),
        size: u32,
        (rank, place): (RankId, &Place),
        call: Option<&RecordedCollective>,
    ) -> Result<(), ProgramError> {
        let terms = Terms(call.map(|call| CollectiveTerms {
            name: call.name,
            root: call.root,
            fold: call.fold,
            bytes: if call.name.has_common_lengths() {
                call.bytes.clone()
            } else {
                Vec::new()
            },
        }));
        let Some(first) = self.open.get_mut(&at) else {
            if size > 1 {
                let place = place.clone();
                let missing = size - 1;
                self.open.insert(
                    at,
                    First {
                        terms,
                        rank,
                        place,
                        missing,
                    },
                );
            }
            return Ok(());
        };
        if first.terms != terms {
            return Err(ProgramError::Differs {
                rank,
                place: place.clone(),
                call: terms.name(),
                other: first.rank,
                other_place: first.place.clone(),
                other_call: first.terms.name(),
            });
        }
        first.missing -= 1;
        if first.missing == 0 {
            self.open.remove(&at);
        }
        Ok(())
    }
}
