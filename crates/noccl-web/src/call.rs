// SPDX-License-Identifier: Apache-2.0
//! Calls and answers.

use noccl_studies::{Step, View, ViewOptions, ViewRequest, Watch, view, view_options};
use serde::{Deserialize, Serialize};

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case", deny_unknown_fields)]
pub enum Call {
    /// What can be chosen, given what has been chosen.
    Options {
        /// The choice so far.
        request: ViewRequest,
    },
    /// A run with what its picture needs.
    View {
        /// The choice.
        request: ViewRequest,
    },
}

/// The answer to a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// What can be chosen.
    Options(Box<ViewOptions>),
    /// A run.
    View(Box<View>),
    /// Why there is no answer: what is wrong and what would be accepted.
    Error(String),
}

/// Answers a call; `progress` is told about long work.
#[must_use]
pub fn answer(call: &[u8], progress: &(dyn Fn(Step) -> bool + Sync)) -> Answer {
    let read = match serde_json::from_slice(call) {
        Ok(read) => read,
        Err(error) => return Answer::Error(format!("not a call: {error}")),
    };
    let answered = match read {
        Call::Options { request } => view_options(&request).map(|o| Answer::Options(Box::new(o))),
        Call::View { request } => {
            view(&request, Watch::new(progress)).map(|v| Answer::View(Box::new(v)))
        }
    };
    answered.unwrap_or_else(|error| Answer::Error(error.to_string()))
}
