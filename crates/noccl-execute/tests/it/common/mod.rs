// SPDX-License-Identifier: Apache-2.0
//! Programs that are lists of registers.
//!
//! The same few instructions run on every rank: they load a0 to a7 from the rank's list, call, and store what the call
//! gives behind the registers, until a7 is 0; then the rank ends with the word at the address in a0.

use noccl_coll::choices;
use noccl_execute::{CalledRequest, CalledResult, ExecuteError, Number, run};
use noccl_net::Network;
use noccl_program::{Options, Session};
use noccl_riscv::{CostTable, Image, MEMORY_BASE, Program, Segment};
use noccl_run::{Mode, RunConfig};
pub use noccl_testkit::network;

pub const MEMORY_BYTES: u64 = 1 << 17;
/// Lists begin here, one every so many bytes; the data of each rank stand behind its list.
pub const LISTS: u64 = MEMORY_BASE + 0x1000;
pub const LIST_BYTES: u64 = 0x1000;
const DATA: u64 = 0x800;
/// Registers of a call, and what it gives.
const CALL_BYTES: u64 = 72;

/// a0 to a7.
pub type Registers = [u64; 8];

/// A list as a rank executes it, and its data.
#[derive(Debug, Clone, Default)]
pub struct List {
    pub calls: Vec<Registers>,
    pub data: Vec<u64>,
}

impl List {
    /// Calls without data.
    pub const fn of(calls: Vec<Registers>) -> Self {
        let data = Vec::new();
        Self { calls, data }
    }
}

const fn i_type(opcode: u32, f3: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    (immediate & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

const fn load(rd: u32, rs1: u32, offset: u32) -> u32 {
    i_type(0x03, 3, rd, rs1, offset)
}

/// s0 is the list.
fn code() -> Vec<u32> {
    let (t0, s0, a0, a7) = (5, 8, 10, 17);
    let mut words = vec![
        // csrr t0, mhartid; slli t0, t0, 12; lui s0, LISTS; add s0, s0, t0
        i_type(0x73, 2, t0, 0, 0xf14),
        i_type(0x13, 1, t0, t0, 12),
        LISTS as u32 | s0 << 7 | 0x37,
        t0 << 20 | s0 << 15 | s0 << 7 | 0x33,
    ];
    words.extend((0..8).map(|register| load(10 + register, s0, 8 * register)));
    words.extend([
        // beqz a7, +20; ecall; sd a0, 64(s0); addi s0, s0, 72; j -48
        0x0008_8a63,
        0x0000_0073,
        (64 >> 5) << 25 | a0 << 20 | s0 << 15 | 3 << 12 | 0x23,
        i_type(0x13, 0, s0, s0, CALL_BYTES as u32),
        0xfd1f_f06f,
        // ld a0, 0(a0); li a7, 93; ecall
        load(a0, a0, 0),
        i_type(0x13, 0, a7, 0, 93),
        0x0000_0073,
    ]);
    words
}

pub fn image(lists: &[List]) -> Image {
    let mut memory = vec![0_u8; lists.len() * LIST_BYTES as usize];
    for (list, memory) in lists
        .iter()
        .zip(memory.chunks_exact_mut(LIST_BYTES as usize))
    {
        let (calls, data) = memory.split_at_mut(DATA as usize);
        for (call, place) in list
            .calls
            .iter()
            .zip(calls.chunks_exact_mut(CALL_BYTES as usize))
        {
            for (register, place) in call.iter().zip(place.chunks_exact_mut(8)) {
                place.copy_from_slice(&register.to_le_bytes());
            }
        }
        for (word, place) in list.data.iter().zip(data.chunks_exact_mut(8)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    let code: Vec<u8> = code().iter().flat_map(|word| word.to_le_bytes()).collect();
    let segment = |address, bytes: Vec<u8>, is_executable| Segment {
        address,
        memory_bytes: bytes.len() as u64,
        bytes,
        is_executable,
    };
    Image {
        entry: MEMORY_BASE,
        segments: vec![
            segment(MEMORY_BASE, code, true),
            segment(LISTS, memory, false),
        ],
        symbols: Vec::new(),
        arguments: Vec::new(),
        surroundings: noccl_riscv::Surroundings::default(),
    }
}

/// Address of a word of a rank's data.
pub fn data(rank: u64, word: u64) -> u64 {
    LISTS + rank * LIST_BYTES + DATA + 8 * word
}

/// Address of what a call of a rank gives.
pub fn given(rank: u64, call: u64) -> u64 {
    LISTS + rank * LIST_BYTES + call * CALL_BYTES + 64
}

pub fn call(number: Number, arguments: &[u64]) -> Registers {
    let mut registers = [0; 8];
    registers[..arguments.len()].copy_from_slice(arguments);
    registers[7] = number.code();
    registers
}

/// The rank ends with the word at this address.
pub fn end(address: u64) -> Registers {
    [address, 0, 0, 0, 0, 0, 0, 0]
}

pub fn run_on(
    network: &Network,
    lists: &[List],
    max_cycles: u64,
) -> Result<CalledResult, ExecuteError> {
    let mut config = RunConfig::new(Mode::Value);
    config.max_cycles = max_cycles;
    let options = Options {
        config,
        choose: Box::new(|network, collective| {
            let all = choices(network, collective);
            all.first()
                .copied()
                .ok_or_else(|| "no algorithm".to_owned())
        }),
    };
    let ranks = lists.len() as u32;
    let mut session = Session::new(network, ranks, options)?;
    let table = noccl_spec::instruction_costs_text("in_order").expect("the table exists");
    let costs: CostTable = toml::from_str(table).expect("the table can be read");
    let request = CalledRequest {
        network,
        program: &Program::new(image(lists), &costs)?,
        ranks,
        memory_bytes: MEMORY_BYTES,
        max_cycles,
    };
    run(&mut session, &request, &mut |_| true)
}
