// SPDX-License-Identifier: Apache-2.0
//! What a chain that has not been granted waits for.

/// Why a destination does not pass a chain's grant on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It serves the chain of this initiator.
    Serves(u32),
    /// It is busy with the chain that it has begun itself.
    Reads,
    /// The grant of this initiator's chain came before.
    GrantBefore(u32),
}

/// The first destination, seen from where grants start, that holds a chain up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hindrance {
    pub destination: u32,
    pub cause: Cause,
    pub since_cycle: u64,
}
