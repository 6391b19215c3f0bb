// SPDX-License-Identifier: Apache-2.0
//! Addresses through which a program reaches what stands outside its memory.
//!
//! The map is written here once; the C header of the runtime is made from it ([`c_header`]) and a test compares them.
//! What a port does is up to whoever runs the core; what it promises to the program stands with each port. Every port
//! has eight bytes, so that an access of 64 bits, which moves two words, is aligned.

/// Address of the first port.
pub const PORTS_BASE: u64 = 0x0f00_0000;

/// Longest pause of [`Port::Pause`], beyond every limit of a run; a longer one is as long.
pub const MAX_PAUSE_CYCLES: u64 = 1 << 60;

/// Size of the window of ports.
pub const PORTS_BYTES: u64 = 0x1000;

/// A port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// Store: the next word of a packet to the network; the first one is the header. Waits for space.
    Send,
    /// Load: the next word of this receive queue, 0 to 3. Waits for one.
    Receive(u8),
    /// Load: the next word of the catch-all queue. Waits for one.
    ReceiveOther,
    /// Load: counts, a byte each, from the lowest: words in receive queues 0 to 3 and the catch-all, words that `Send`
    /// takes at once, words that `StaticReceive` has, words that `StaticSend` takes at once.
    Status,
    /// Store: a word to the static network. Waits for space.
    StaticSend,
    /// Load: a word from the static network. Waits for one.
    StaticReceive,
    /// Store: sets the static network's crossbar at this tile.
    StaticConfigure,
    /// Load: the cycle at which the load begins.
    Cycle,
    /// Load: the rank of this core.
    Rank,
    /// Load: the number of ranks.
    Ranks,
    /// Load: column of this core's tile, from the west.
    Column,
    /// Load: row of this core's tile, from the south.
    Row,
    /// Load: columns of the mesh.
    Columns,
    /// Load: rows of the mesh.
    Rows,
    /// Store: one character, in the lowest byte.
    Console,
    /// Store: the program ends with this code.
    End,
    /// Load: as `Status`, when a receive queue or `StaticReceive` has a word. Waits for one.
    Wait,
    /// Load: 1 if `StaticConfigure` would not wait, else 0.
    StaticIdle,
    /// Load: cycles in which the core has waited in ports so far, for space or for words.
    Waited,
    /// Load: the cycle in which its last wait in a port was over; 0 before the first one.
    WaitedUntil,
    /// Store: 1, and what follows takes no time; 0, and time passes again. For a recorder in the program, which must not change its times:
    /// no words are sent or received meanwhile, and it takes less than 2^20 cycles.
    Untimed,
    /// Store: the core does nothing for so many cycles.
    Pause,
}

impl Port {
    /// All ports, by address.
    pub const ALL: [Self; 25] = [
        Self::Send,
        Self::Receive(0),
        Self::Receive(1),
        Self::Receive(2),
        Self::Receive(3),
        Self::ReceiveOther,
        Self::Status,
        Self::StaticSend,
        Self::StaticReceive,
        Self::StaticConfigure,
        Self::Cycle,
        Self::Rank,
        Self::Ranks,
        Self::Column,
        Self::Row,
        Self::Columns,
        Self::Rows,
        Self::Console,
        Self::End,
        Self::Wait,
        Self::StaticIdle,
        Self::Waited,
        Self::WaitedUntil,
        Self::Untimed,
        Self::Pause,
    ];

    /// Its address.
    #[must_use]
    pub const fn address(self) -> u64 {
        let place = match self {
            Self::Send => 0,
            Self::Receive(queue) => 1 + (queue & 3) as u64,
            Self::ReceiveOther => 5,
            Self::Status => 6,
            Self::StaticSend => 7,
            Self::StaticReceive => 8,
            Self::StaticConfigure => 9,
            Self::Cycle => 10,
            Self::Rank => 11,
            Self::Ranks => 12,
            Self::Column => 13,
            Self::Row => 14,
            Self::Columns => 15,
            Self::Rows => 16,
            Self::Console => 17,
            Self::End => 18,
            Self::Wait => 19,
            Self::StaticIdle => 20,
            Self::Waited => 21,
            Self::WaitedUntil => 22,
            Self::Untimed => 23,
            Self::Pause => 24,
        };
        PORTS_BASE + 8 * place
    }

    /// The port at an address.
    #[must_use]
    pub fn at(address: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|port| port.address() == address)
    }

    /// Whether a program loads from it; it stores to the others.
    #[must_use]
    pub const fn is_load(self) -> bool {
        match self {
            Self::Send
            | Self::StaticSend
            | Self::StaticConfigure
            | Self::Console
            | Self::End
            | Self::Untimed
            | Self::Pause => false,
            Self::Receive(_)
            | Self::ReceiveOther
            | Self::Status
            | Self::StaticReceive
            | Self::Cycle
            | Self::Rank
            | Self::Ranks
            | Self::Column
            | Self::Row
            | Self::Columns
            | Self::Rows
            | Self::Wait
            | Self::StaticIdle
            | Self::Waited
            | Self::WaitedUntil => true,
        }
    }

    /// Its name in C.
    #[must_use]
    pub fn c_name(self) -> String {
        let name = match self {
            Self::Send => "SEND",
            Self::Receive(queue) => return format!("NOCCL_PORT_RECEIVE_{queue}"),
            Self::ReceiveOther => "RECEIVE_OTHER",
            Self::Status => "STATUS",
            Self::StaticSend => "STATIC_SEND",
            Self::StaticReceive => "STATIC_RECEIVE",
            Self::StaticConfigure => "STATIC_CONFIGURE",
            Self::Cycle => "CYCLE",
            Self::Rank => "RANK",
            Self::Ranks => "RANKS",
            Self::Column => "COLUMN",
            Self::Row => "ROW",
            Self::Columns => "COLUMNS",
            Self::Rows => "ROWS",
            Self::Console => "CONSOLE",
            Self::End => "END",
            Self::Wait => "WAIT",
            Self::StaticIdle => "STATIC_IDLE",
            Self::Waited => "WAITED",
            Self::WaitedUntil => "WAITED_UNTIL",
            Self::Untimed => "UNTIMED",
            Self::Pause => "PAUSE",
        };
        format!("NOCCL_PORT_{name}")
    }
}

/// The header of the runtime that gives the ports their addresses.
#[must_use]
pub fn c_header() -> String {
    let mut text = String::from(
        "// SPDX-License-Identifier: Apache-2.0\n\
         // Addresses of ports. Made from crates/noccl-riscv/src/port.rs; a test of that crate compares them.\n\
         #ifndef NOCCL_PORTS_H\n#define NOCCL_PORTS_H\n\n",
    );
    for port in Port::ALL {
        text += &format!("#define {} 0x{:08x}ul\n", port.c_name(), port.address());
    }
    text + "\n#endif\n"
}
