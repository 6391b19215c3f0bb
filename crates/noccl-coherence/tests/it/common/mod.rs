// SPDX-License-Identifier: Apache-2.0
//! Recordings written by hand.

use noccl_coherence::Log;
use noccl_coherence::recording::{RecordedEvent, Recorder};

/// What each thread does.
pub fn log(threads: &[&[RecordedEvent]]) -> Log {
    let record = |events: &&[RecordedEvent]| {
        let mut recorder = Recorder::default();
        events.iter().for_each(|event| recorder.push(*event));
        recorder
    };
    Log::new(threads.iter().map(record).collect()).expect("few threads")
}
