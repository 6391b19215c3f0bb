// SPDX-License-Identifier: Apache-2.0
//! AXI ports of a network interface as words: the layout of `axi_i` and `axi_o` in `rtl/cosim/noccl_endpoints_cosim.sv`.

use super::memory::line::{LINE_BYTES, Line};

/// Words for the lines that a DMA engine asked its L1 for: the first, and of each.
const LINES_AT: usize = 137;
const LINE_WORDS: usize = 17;
/// Read ports that a DMA engine has at its L1, of words towards the hardware.
pub(crate) const fn read_ports(words: usize) -> usize {
    (words - LINES_AT) / LINE_WORDS
}

/// Words for the write channels of a DMA engine: the first, and of each.
const ENGINE_AT: usize = 86;
const ENGINE_WORDS: usize = 2;
/// Words without DMA engine, if there are no more than four write channels.
const IN_WORDS: usize = 154;
const OUT_WORDS: usize = 86;
/// Write channels whose words lie before the others; those of more lie behind all.
const FIRST_CHANNELS: usize = 4;
const CHANNEL_WORDS: usize = 25;

/// Write channels that managers drive, of those that the hardware has: with words for more than the first ones there is no engine.
pub(crate) fn driven_channels(channels: u32, words: usize) -> usize {
    let channels = channels as usize;
    let more = channels.saturating_sub(FIRST_CHANNELS);
    if words == IN_WORDS + more * CHANNEL_WORDS {
        channels
    } else {
        FIRST_CHANNELS
    }
}

/// `opcode_e` of AWUSER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    Unicast = 0,
    Multicast = 1,
    Join = 2,
}

/// AW of either port.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aw {
    pub id: u8,
    pub address: u64,
    pub mask: u64,
    pub opcode: Opcode,
    /// Name of a join.
    pub tag: u32,
    /// Arithmetic of a reduction: `operator_e`, `element_e`.
    pub arithmetic: (u32, u32),
    /// Beats less one.
    pub len: u8,
    pub is_atomic: bool,
}

const ATOP_LOAD_ADD: u32 = 0x20;

fn put(words: &mut [u32], at: usize, value: u64) {
    words[at] = value as u32;
    words[at + 1] = (value >> 32) as u32;
}

/// Offers a burst at a write channel: its AW until that is taken, whether it continues the channel's transfer, and a beat if there
/// is one.
pub(crate) fn offer_write(
    words: &mut [u32],
    channel: usize,
    (aw, has_aw, continues): (Aw, bool, bool),
    beat: Option<(&Line, u64, bool)>,
) {
    let at = match channel.checked_sub(FIRST_CHANNELS) {
        None => channel * CHANNEL_WORDS,
        Some(more) => IN_WORDS + more * CHANNEL_WORDS,
    };
    let (operator, element) = aw.arithmetic;
    words[at] = u32::from(has_aw);
    words[at + 1] = u32::from(aw.id)
        | u32::from(aw.len) << 8
        | (aw.opcode as u32) << 16
        | operator << 20
        | element << 24
        | u32::from(continues) << 28;
    put(words, at + 2, aw.address);
    put(words, at + 4, aw.mask);
    words[at + 6] = aw.tag;
    let Some((data, strobe, is_last)) = beat else {
        return;
    };
    words[at] |= 2 | u32::from(is_last) << 2;
    put(words, at + 7, strobe);
    for (word, bytes) in words[at + 9..].iter_mut().zip(data.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

/// Offers a wide read.
pub(crate) fn offer_read(words: &mut [u32], id: u8, address: u64, len: u8) {
    words[100] = 1 | u32::from(id) << 8 | u32::from(len) << 16;
    put(words, 101, address);
}

/// Offers a narrow write, barrier contribution or atomic. Data are those of an atomic: one.
pub(crate) fn offer_narrow_write(words: &mut [u32], aw: Aw, has_aw: bool) {
    let atop = u32::from(aw.is_atomic) * ATOP_LOAD_ADD;
    let flags = u32::from(has_aw) | 2;
    words[103] = flags | u32::from(aw.id) << 8 | (aw.opcode as u32) << 16 | atop << 24;
    put(words, 104, aw.address);
    put(words, 106, aw.mask);
    words[108] = aw.tag;
    put(words, 109, 0);
    words[111] = 0;
}

/// Offers a narrow read.
pub(crate) fn offer_narrow_read(words: &mut [u32], id: u8, address: u64) {
    words[112] = 1 | u32::from(id) << 8;
    put(words, 113, address);
}

/// Ports behind an NI that are not ready, by [`AxiPort`](noccl_run::AxiPort).
pub(crate) type Busy = [bool; 5];

/// How a memory responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resp {
    Okay,
    /// SLVERR.
    Failed,
}

impl Resp {
    pub(crate) const fn new(has_failed: bool) -> Self {
        if has_failed { Self::Failed } else { Self::Okay }
    }
}

/// Responses of the memory, port by port.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MemoryResponses {
    /// B by port: wide, own, narrow, own narrow.
    pub b: [Option<Resp>; 4],
    /// Data and whether they are the last of their burst.
    pub wide_r: Option<(Line, bool, Resp)>,
    pub narrow_r: Option<(u64, Resp)>,
}

/// Shows the memory's responses, and which ports behind the NI are not ready, by [`AxiPort`](noccl_run::AxiPort).
pub(crate) fn respond(words: &mut [u32], responses: &MemoryResponses, busy: Busy) {
    let has_b = responses.b.map(|b| b.is_some());
    let flags = [
        has_b[0],
        responses.wide_r.is_some(),
        responses.wide_r.is_some_and(|(_, is_last, _)| is_last),
        has_b[1],
        has_b[2],
        responses.narrow_r.is_some(),
        has_b[3],
        false,
    ];
    let read = responses.wide_r.map(|(.., resp)| resp);
    let narrow_read = responses.narrow_r.map(|(_, resp)| resp);
    let resps = responses.b.into_iter().chain([read, narrow_read]);
    let failed = resps.map(|resp| resp == Some(Resp::Failed));
    let bits = flags.into_iter().chain(busy).chain([false; 3]);
    let bits = bits.chain(failed);
    words[115] = (0..).zip(bits).map(|(i, f)| u32::from(f) << i).sum();
    if let Some((data, ..)) = responses.wide_r {
        for (word, bytes) in words[116..].iter_mut().zip(data.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
    }
    // 0: no value without a response, whose valid bit is 0 too.
    put(words, 132, responses.narrow_r.map_or(0, |(value, _)| value));
}

/// Accesses a register of the DMA engine: writes a value, or reads.
pub(crate) fn access(words: &mut [u32], register: u8, value: Option<u64>) {
    words[134] = 1 | u32::from(value.is_some()) << 1 | u32::from(register) << 4;
    // 0: a read carries no value.
    put(words, 135, value.unwrap_or(0));
}

/// Gives a line of the L1 to a read port of the DMA engine.
pub(crate) fn give_line(words: &mut [u32], port: usize, line: &Line) {
    let at = LINES_AT + LINE_WORDS * port;
    words[at] = 1;
    for (word, bytes) in words[at + 1..].iter_mut().zip(line.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

/// What a network interface shows in a cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a>(pub &'a [u32]);

/// Handshakes with managers (word 0) and with the memory (word 1), by their bit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bit {
    Ar = 12,
    R = 13,
    RLast = 14,
    NarrowAw = 15,
    NarrowW = 16,
    NarrowB = 17,
    NarrowAr = 18,
    NarrowR = 19,
    MemAw = 32,
    MemW = 33,
    MemB = 34,
    MemAr = 35,
    MemR = 36,
    OwnAw = 37,
    OwnB = 39,
    RegAw = 40,
    RegB = 42,
    RegAr = 43,
    RegR = 44,
    OwnRegAw = 45,
    OwnRegB = 47,
    RegIsAtomic = 48,
}

/// Which beat at a memory port.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WritePort {
    Network,
    Own,
    /// The DMA engine's.
    Engine,
}

impl Shown<'_> {
    pub(crate) fn has(self, bit: Bit) -> bool {
        let bit = bit as usize;
        self.0[bit / 32] >> (bit % 32) & 1 != 0
    }

    pub(crate) fn takes_aw(self, channel: usize) -> bool {
        self.write_channel(channel) & 1 << 8 != 0
    }

    pub(crate) fn takes_w(self, channel: usize) -> bool {
        self.write_channel(channel) & 1 << 9 != 0
    }

    /// Id and response of B.
    pub(crate) fn b(self, channel: usize) -> Option<(u8, u8)> {
        let word = self.write_channel(channel);
        let byte = word as u8;
        (word & 1 << 10 != 0).then_some((byte & 0x3f, byte >> 6))
    }

    /// Id and response of B; whether AW, W are taken and B is valid.
    fn write_channel(self, channel: usize) -> u32 {
        match channel.checked_sub(FIRST_CHANNELS) {
            None => {
                let [aw, w, b] = [0, 4, 8].map(|first| self.0[0] >> (first + channel) & 1);
                self.0[2] >> (8 * channel) & 0xff | aw << 8 | w << 9 | b << 10
            }
            Some(more) => self.0[OUT_WORDS + more],
        }
    }

    /// Id and response of R.
    pub(crate) fn r(self) -> (u8, u8) {
        (self.0[3] as u8, (self.0[3] >> 8) as u8 & 3)
    }

    pub(crate) fn r_data(self) -> Line {
        self.line(47)
    }

    pub(crate) fn narrow_b(self) -> (u8, u8) {
        id_and_response(self.0[3] >> 16)
    }

    pub(crate) fn narrow_r(self) -> (u8, u8) {
        id_and_response(self.0[3] >> 24)
    }

    pub(crate) fn mem_ar(self) -> (u64, u16) {
        (u64::from(self.0[5]), self.0[6] as u16 + 1)
    }

    pub(crate) fn reg_aw(self) -> u64 {
        u64::from(self.0[8])
    }

    pub(crate) fn reg_ar(self) -> u64 {
        u64::from(self.0[9])
    }

    pub(crate) fn own_reg_aw(self) -> u64 {
        u64::from(self.0[10])
    }

    /// Write channels of the DMA engine; none if there is none.
    pub(crate) fn engine_channels(self) -> usize {
        (self.0.len() - ENGINE_AT) / ENGINE_WORDS
    }

    /// Address of the line that the DMA engine asks a read port of its L1 for.
    pub(crate) fn asked_line(self, port: usize) -> Option<u64> {
        let word = self.0[ENGINE_AT + ENGINE_WORDS * port + 1];
        (word & 1 != 0).then_some(u64::from(word & !1))
    }

    /// Does the DMA engine write a line of its L1?
    pub(crate) fn writes_line(self) -> bool {
        self.0[65] & 2 != 0
    }

    /// Does a transfer wait until a write channel of the DMA engine is free?
    pub(crate) fn waits_for_channel(self) -> bool {
        self.0[65] & 4 != 0
    }

    /// Has the DMA engine not started what it was told to?
    pub(crate) fn refuses_start(self) -> bool {
        self.0[66] != 0
    }

    /// Has a transfer of the DMA engine, from its own L1, bytes to send and no line of them?
    pub(crate) fn is_hungry(self) -> bool {
        self.0[65] >> 16 != 0
    }

    /// Id and name of a join whose AW the DMA engine gives at a channel in this cycle.
    pub(crate) fn engine_join(self, channel: usize) -> Option<(u8, u32)> {
        let word = self.engine_word(channel);
        let is_join = word >> 31 != 0 && word >> 26 & 3 == Opcode::Join as u32;
        is_join.then_some(((word >> 16 & 0x1f) as u8, word & 0xffff))
    }

    /// Id and response of B at a channel of the DMA engine.
    pub(crate) fn engine_b(self, channel: usize) -> Option<(u8, u8)> {
        let word = self.engine_word(channel);
        let b = ((word >> 21 & 0x1f) as u8, (word >> 28 & 3) as u8);
        (word >> 30 & 1 != 0).then_some(b)
    }

    fn engine_word(self, channel: usize) -> u32 {
        self.0[ENGINE_AT + ENGINE_WORDS * channel]
    }

    /// Address, strobe and data of a beat to the memory.
    pub(crate) fn beat(self, port: WritePort) -> (u64, u64, Line) {
        let (address, strobe) = match port {
            WritePort::Network => (4, 11),
            WritePort::Own => (7, 29),
            WritePort::Engine => (67, 68),
        };
        let enabled = u64::from(self.0[strobe]) | u64::from(self.0[strobe + 1]) << 32;
        (u64::from(self.0[address]), enabled, self.line(strobe + 2))
    }

    fn line(self, at: usize) -> Line {
        let mut data = [0; LINE_BYTES];
        for (bytes, word) in data.as_chunks_mut::<4>().0.iter_mut().zip(&self.0[at..]) {
            *bytes = word.to_le_bytes();
        }
        data
    }
}

const fn id_and_response(byte: u32) -> (u8, u8) {
    ((byte & 7) as u8, (byte >> 4 & 3) as u8)
}
