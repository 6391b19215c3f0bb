// SPDX-License-Identifier: Apache-2.0
//! Calls and responses.

use noccl_studies::{
    RunRecording, Step, View, ViewOptions, ViewRequest, Watch, parse_recording, view, view_options,
};
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
    /// The recording in a file, checked.
    Recording {
        /// Name of the file, for errors.
        name: String,
        /// Its text.
        text: String,
    },
}

/// The response to a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// What can be chosen.
    Options(Box<ViewOptions>),
    /// A run.
    View(Box<View>),
    /// A recording.
    Recording(Box<RunRecording>),
    /// Why there is no response: what is wrong and what would be accepted.
    Error(String),
}

/// Carries out a call; `progress` is told about long work.
#[must_use]
pub fn response(call: &[u8], progress: &(dyn Fn(Step) -> bool + Sync)) -> Response {
    let read = match serde_json::from_slice(call) {
        Ok(read) => read,
        Err(error) => return Response::Error(format!("not a call: {error}")),
    };
    let result = match read {
        Call::Options { request } => view_options(&request).map(|o| Response::Options(Box::new(o))),
        Call::View { request } => {
            view(&request, Watch::new(progress)).map(|v| Response::View(Box::new(v)))
        }
        Call::Recording { name, text } => {
            parse_recording(&name, &text).map(|r| Response::Recording(Box::new(r)))
        }
    };
    result.unwrap_or_else(|error| Response::Error(error.to_string()))
}
