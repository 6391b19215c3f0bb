// SPDX-License-Identifier: Apache-2.0
//! What the AXI ports of Torrent endpoints do, cycle by cycle: the language between the simulator and the hardware in
//! lock-step.
//!
//! A cycle is a row of numbers: first [`CHANNELS`], a bit per endpoint or lane each, then [`CONTENTS`] of every
//! endpoint. `rtl/cosim/noccl_torrent_cosim.sv` has the same order.

/// A handshake's half at all endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortChannel {
    /// What is seen.
    pub name: &'static str,
    /// Bits of each endpoint: 2 where it has a port for own chains and one for what goes on.
    pub lanes: usize,
}

const fn channel(name: &'static str, lanes: usize) -> PortChannel {
    PortChannel { name, lanes }
}

/// Bits per endpoint and lane.
pub const CHANNELS: [PortChannel; 25] = [
    channel("narrow manager AW offered", 1),
    channel("narrow manager AW taken", 1),
    channel("narrow manager W offered", 1),
    channel("narrow manager W taken", 1),
    channel("narrow manager B taken", 1),
    channel("narrow subordinate AW offered", 1),
    channel("narrow subordinate AW taken", 1),
    channel("narrow subordinate W offered", 1),
    channel("narrow subordinate W taken", 1),
    channel("narrow subordinate B offered", 1),
    channel("narrow subordinate B taken", 1),
    channel("wide manager AW offered", 2),
    channel("wide manager AW taken", 2),
    channel("wide manager W offered", 2),
    channel("wide manager W taken", 2),
    channel("wide manager B taken", 2),
    channel("wide subordinate AW offered", 1),
    channel("wide subordinate AW taken", 1),
    channel("wide subordinate W offered", 1),
    channel("wide subordinate W taken", 1),
    channel("wide subordinate B offered", 1),
    channel("wide subordinate B taken", 1),
    channel("ready for a chain", 1),
    channel("chain taken", 1),
    channel("chain over", 1),
];

/// Numbers per endpoint; zero where nothing is taken.
pub const CONTENTS: [&str; 4] = [
    "address at the narrow subordinate",
    "word at the narrow subordinate",
    "length at the wide subordinate",
    "beat at the wide subordinate",
];

/// A word of an endpoint's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortWord {
    /// Endpoint.
    pub endpoint: u32,
    /// Word of 8 bytes.
    pub word: u64,
    /// What is there.
    pub value: u64,
}

/// One cycle of all endpoints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortCycle {
    /// Narrow ports, wide ports, banks that stand still.
    pub holds: [u64; 3],
    /// A chain that is offered: endpoint, first word of its frames, destinations, own copy (0 or 1).
    pub start: Option<[u64; 4]>,
    /// What is seen.
    pub seen: Vec<u64>,
}

/// Chains from reset to their ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortRun {
    /// Endpoints.
    pub endpoints: usize,
    /// Words that are in the memories at first: frames and data.
    pub memory: Vec<PortWord>,
    /// Cycles from reset on.
    pub cycles: Vec<PortCycle>,
    /// Words that are in the memories at the end, of all that chains write.
    pub written: Vec<PortWord>,
    /// Chains that are over, and when each was taken and over.
    pub over: Vec<(u64, u64)>,
}

/// Where in a row a difference is: what, and at which endpoint.
#[must_use]
pub fn place_of(at: usize, difference: u64) -> (&'static str, usize) {
    if let Some(channel) = CHANNELS.get(at) {
        let bit = difference.trailing_zeros() as usize;
        return (channel.name, bit / channel.lanes);
    }
    let at = at - CHANNELS.len();
    (CONTENTS[at % CONTENTS.len()], at / CONTENTS.len())
}

/// Eight words of a beat as one number, by rotation and XOR.
#[must_use]
pub fn beat_signature(beat: &[u64; 8]) -> u64 {
    (0..8).fold(0, |sum, i| sum ^ beat[i as usize].rotate_left(i))
}
