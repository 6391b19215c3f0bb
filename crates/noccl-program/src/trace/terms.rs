// SPDX-License-Identifier: Apache-2.0
//! What ranks of a trace have to agree on when they call a collective or split a communicator.

use super::collectives::{CollectiveName, RecordedCollective};
use crate::agreement::Agreed;
use noccl_workload::{ElementType, Operator};
use std::fmt;

/// What all ranks must state alike; `None`: a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TraceTerms(Option<CollectiveTerms>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct CollectiveTerms {
    name: CollectiveName,
    root: u32,
    fold: Option<(Option<Operator>, ElementType)>,
    bytes: Vec<u64>,
}

impl TraceTerms {
    /// Those of a call; `None`: a split.
    pub(super) fn of(call: Option<&RecordedCollective>) -> Self {
        Self(call.map(|call| CollectiveTerms {
            name: call.name,
            root: call.root,
            fold: call.fold,
            bytes: if call.name.has_common_lengths() {
                call.bytes.clone()
            } else {
                Vec::new()
            },
        }))
    }
}

impl Agreed for TraceTerms {
    fn fits(&self, other: &Self) -> bool {
        self == other
    }
}

impl fmt::Display for TraceTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(terms) = &self.0 else {
            return f.write_str("split");
        };
        f.write_str(terms.name.name())?;
        if let [bytes] = terms.bytes[..] {
            write!(f, " of {bytes} bytes")?;
        } else if !terms.bytes.is_empty() {
            write!(f, " of {:?} bytes", terms.bytes)?;
        }
        if terms.name.has_root() {
            write!(f, " with root {}", terms.root)?;
        }
        if let Some((operator, element)) = terms.fold {
            let operator = operator.map_or("other", Operator::name);
            write!(f, ", {operator} of {}", element.name())?;
        }
        Ok(())
    }
}
