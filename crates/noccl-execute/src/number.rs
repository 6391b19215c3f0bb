// SPDX-License-Identifier: Apache-2.0
//! What a program can call: numbers in a7. The map is written here once; the C header is made from it.

/// Number of the first call.
const FIRST: u64 = 4096;

/// What a program can call. a6 is the address to which the function returns that its user has called, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    /// Sends: bytes at a0, a1 of them, to rank a2 with tag a3 on communicator a4; a5 is 1 if the send is over only when
    /// the message has met its receive. Gives the number of a request.
    Send,
    /// Is ready for a message: a buffer at a0 of a1 bytes, from rank a2 (-1: any) with tag a3 (-1: any) on communicator a4.
    /// Gives the number of a request.
    Receive,
    /// Waits for requests, whose a1 numbers (32 bits each; -1 is left out) lie at a0: for all, or with a bit of a2 set for
    /// one; with another bit set only looks. Writes four numbers of 64 bits per request that is over to a3: its place in the
    /// list, the sender, the tag, the bytes. Gives how many; their requests are no more.
    Wait,
    /// Waits for a message to arrive from rank a0 with tag a1 on communicator a2, or only looks if a4 is 0. Writes four
    /// numbers to a3 as `Wait`. Gives 1 if there is one.
    Probe,
    /// Calls a collective: a0 is the function, its operator and its type; bytes at a1, a2 of them, a buffer at a3, communicator
    /// a4, root a5. Gives 1, and has only compared the call with those of other ranks, if the network's algorithms do not do
    /// it.
    Collective,
    /// Splits communicator a0 by colour a1 (-1: the rank will be in none) and key a2. Gives the new one, or -1.
    Split,
    /// Gives the caller's rank in communicator a0 in the lower half and the number of ranks in the upper half.
    Members,
    /// Gives the communicator of the caller alone.
    Alone,
    /// Gives cycles per second of the network.
    Clock,
    /// Ends the run: a text at a0 of a1 bytes.
    Fail,
    /// Gives the rank among all ranks of rank a1 of communicator a0.
    Member,
    /// Makes one request of several, as which they are over when all of them are: the list is that of `Wait`. Gives its number; theirs are
    /// no more.
    Join,
    /// Lets other ranks access a1 bytes at a0 as window a2, which has this number in all its ranks; if a1 is -1, no longer.
    Expose,
    /// Carries an access to a window of the caller out: a message at a0 of a1 bytes (`programs/mpi/windows.h`). The response, which has at
    /// most a3 bytes, goes to a2. Gives the number of a request.
    Access,
    /// Gives the number of a request that is over when a1 ranks have ended their accesses to window a0 of the caller.
    Ended,
    /// Withdraws the receive of request a0, if it has met no message: the request is over, and has 2⁶³ bytes.
    Cancel,
}

/// Bit of a2 of [`Number::Wait`]: one request is enough.
pub(crate) const WAIT_ONE: u64 = 1;
/// Bit of a2 of [`Number::Wait`]: looks and does not wait.
pub(crate) const WAIT_LOOK: u64 = 2;
/// Bit of a2 of [`Number::Wait`]: requests that are over stay.
pub(crate) const WAIT_KEEP: u64 = 4;
/// Bit of a0 of [`Number::Collective`]: the collective is non-blocking. Gives the number of a request, or -1 where it is
/// composed.
pub(crate) const COLLECTIVE_BEGINS: u64 = 1 << 24;

impl Number {
    /// All calls, by number.
    pub const ALL: [Self; 16] = [
        Self::Send,
        Self::Receive,
        Self::Wait,
        Self::Probe,
        Self::Collective,
        Self::Split,
        Self::Members,
        Self::Alone,
        Self::Clock,
        Self::Fail,
        Self::Member,
        Self::Join,
        Self::Expose,
        Self::Access,
        Self::Ended,
        Self::Cancel,
    ];

    /// Its a7.
    #[must_use]
    pub const fn code(self) -> u64 {
        FIRST + self as u64
    }

    /// The call with a number.
    #[must_use]
    pub fn of(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|number| number.code() == code)
    }

    /// Does it only ask for what does not change? Then it need not wait until its rank's time has come.
    pub(crate) const fn is_local(self) -> bool {
        match self {
            Self::Members | Self::Alone | Self::Clock | Self::Member => true,
            Self::Send
            | Self::Receive
            | Self::Wait
            | Self::Probe
            | Self::Collective
            | Self::Split
            | Self::Fail
            | Self::Join
            | Self::Expose
            | Self::Access
            | Self::Ended
            | Self::Cancel => false,
        }
    }

    /// Its name in C.
    #[must_use]
    pub const fn c_name(self) -> &'static str {
        match self {
            Self::Send => "CALL_SEND",
            Self::Receive => "CALL_RECEIVE",
            Self::Wait => "CALL_WAIT",
            Self::Probe => "CALL_PROBE",
            Self::Collective => "CALL_COLLECTIVE",
            Self::Split => "CALL_SPLIT",
            Self::Members => "CALL_MEMBERS",
            Self::Alone => "CALL_ALONE",
            Self::Clock => "CALL_CLOCK",
            Self::Fail => "CALL_FAIL",
            Self::Member => "CALL_MEMBER",
            Self::Join => "CALL_JOIN",
            Self::Expose => "CALL_EXPOSE",
            Self::Access => "CALL_ACCESS",
            Self::Ended => "CALL_ENDED",
            Self::Cancel => "CALL_CANCEL",
        }
    }
}
