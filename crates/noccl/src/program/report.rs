// SPDX-License-Identifier: Apache-2.0
//! The report of a program of ranks, whoever carries its messages: its own instructions (ports), calls of MPI, or a message trace.

use super::messages::MessagesLibrary;
use noccl_net::{Coord, Network};
use noccl_program::CollectiveUse;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of a program of ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramReport {
    /// Name of the network.
    pub network: String,
    /// When the last rank ended.
    pub cycles: u64,
    /// The same at the network's clock.
    pub time_ns: f64,
    /// Flits or words times links between routers.
    pub flit_hops: u64,
    /// Bytes of code and data in each core's memory, without heap and stack; of compiled programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_bytes: Option<u64>,
    /// Where the message trace comes from, as it says; of replays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whose costs of messages the replay used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<MessagesLibrary>,
    /// Factor of all computations of a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_scale: Option<f64>,
    /// Receives of a replay from any sender: each took the message of the sender that the trace names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_source_receives: Option<u64>,
    /// By rank.
    pub ranks: Vec<ProgramRankRow>,
    /// Accesses to windows that conflict, with both calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How its collectives were carried out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collectives: Vec<CollectiveUse>,
    /// Calls of a replay in the order in which they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<ProgramCall>,
}

impl ProgramReport {
    /// A report without the numbers that only some programs have.
    pub(crate) fn new(
        network: &Network,
        cycles: u64,
        flit_hops: u64,
        ranks: Vec<ProgramRankRow>,
    ) -> Self {
        Self {
            network: network.spec().label(),
            cycles,
            time_ns: noccl_run::time_ns(cycles as f64, network.spec().clock_ghz),
            flit_hops,
            program_bytes: None,
            source: None,
            library: None,
            compute_scale: None,
            any_source_receives: None,
            ranks,
            warnings: Vec::new(),
            collectives: Vec::new(),
            timeline: Vec::new(),
        }
    }
}

/// One rank. Computing, sending, receiving and waiting sum to its cycles; a program over ports sends and receives by instructions, which count
/// as computing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramRankRow {
    /// Rank.
    pub rank: u32,
    /// Its tile.
    pub tile: Coord,
    /// Exit status of its program; of compiled programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u64>,
    /// When it ended.
    pub finish_cycle: u64,
    /// Instructions executed by a compiled program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Cycles of its instructions or computations.
    pub compute_cycles: u64,
    /// Cycles in which its tile was busy with messages that it sends; none over ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_cycles: Option<u64>,
    /// Cycles in which its tile was busy with messages that it receives; none over ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_cycles: Option<u64>,
    /// Cycles in which it waited.
    pub wait_cycles: u64,
    /// Of these, cycles in which it waited for space in a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_wait_cycles: Option<u64>,
    /// Of these, cycles in which it waited for words from a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_wait_cycles: Option<u64>,
    /// Messages sent, including those of composed collectives; none over ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Their bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Messages received in a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_messages: Option<u64>,
    /// Their bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_bytes: Option<u64>,
    /// Packets of the dynamic network sent over ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u64>,
    /// Words written to ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_words: Option<u64>,
    /// Words read from ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_words: Option<u64>,
    /// Standard output of a compiled program; bytes that are not UTF-8 are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
    /// Standard error of a compiled program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<String>,
}

impl ProgramRankRow {
    /// A rank that computed for some cycles and waited for the others, without the numbers that only some programs have.
    pub(crate) const fn new(rank: u32, tile: Coord, compute_cycles: u64, wait_cycles: u64) -> Self {
        Self {
            rank,
            tile,
            exit_code: None,
            finish_cycle: compute_cycles + wait_cycles,
            instructions: None,
            compute_cycles,
            send_cycles: None,
            receive_cycles: None,
            wait_cycles,
            send_wait_cycles: None,
            receive_wait_cycles: None,
            messages: None,
            bytes: None,
            received_messages: None,
            received_bytes: None,
            packets: None,
            sent_words: None,
            received_words: None,
            console: None,
            errors: None,
        }
    }
}

/// A call of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramCall {
    /// Rank.
    pub rank: u32,
    /// When it called.
    pub start_cycle: u64,
    /// When the call was over.
    pub end_cycle: u64,
    /// The call: `wait`, `compute`, `split`, or the name of a collective.
    pub what: String,
    /// Line of the trace.
    pub place: String,
}
