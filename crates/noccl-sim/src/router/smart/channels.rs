// SPDX-License-Identifier: Apache-2.0
//! Virtual channels of all inputs: what each holds, which are free, which ask for an output.
//!
//! A channel's index is that of its input, `tile × 5 + port`, and behind it the bits of its own number ([`Numbers::channel`]). `open` and `closed` say the same of every mesh output, once
//! by router and once by line: has the input behind it a free channel of a class? They are kept with every channel that is
//! taken or given back, so that nobody has to look at the neighbour.

use super::numbers::{LOCAL, Numbers, PORTS, TileCoord, opposite, ports};

/// Nothing is in a channel.
pub(super) const NOBODY: u32 = u32::MAX;

/// What is in a channel. One structure and not an array for each field: a flit that is latched or sent uses most of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub packet: u32,
    /// Flits that have been latched here or have gone by.
    pub come: u16,
    /// Outputs that its next flit asks for, and those that the packet takes at all.
    pub wants: u8,
    pub outputs: u8,
    /// Outputs over which a flit of the packet has gone, and which own the channels behind.
    pub owned: u8,
    /// By output: hops to where the flit before was latched; next flit.
    pub follow: [u8; LOCAL],
    pub next_flit: [u16; PORTS],
}

const EMPTY: Held = Held {
    packet: NOBODY,
    come: 0,
    wants: 0,
    outputs: 0,
    owned: 0,
    follow: [0; LOCAL],
    next_flit: [0; PORTS],
};

/// All virtual channels.
pub(super) struct Channels {
    pub places: Vec<TileCoord>,
    /// By input: channels that are free.
    free: Vec<u64>,
    /// By input: channels that hold a flit which has been latched and asks for an output.
    pub ready: Vec<u64>,
    /// By tile: inputs with such a channel.
    pub ready_ports: Vec<u8>,
    /// Tiles with such an input.
    pub active: Vec<u64>,
    /// By tile and class: outputs whose next input has a free channel; Local always.
    pub open: Vec<u8>,
    /// By output, class and line: tiles whose next input has none.
    pub closed: Vec<u64>,
    /// What is in each channel.
    pub held: Vec<Held>,
    /// Channels of the links of which they stand at the end; outside a mesh there are none.
    taken: usize,
}

impl Channels {
    pub(super) fn new(n: &Numbers) -> Self {
        let inputs = n.tiles * PORTS;
        let places = (0..n.tiles).map(|tile| TileCoord {
            x: n.x(tile) as u8,
            y: n.y(tile) as u8,
        });
        let every = (0..n.classes).fold(0, |every, class| every | n.class_mask(class));
        Self {
            places: places.collect(),
            free: vec![every; inputs],
            ready: vec![0; inputs],
            ready_ports: vec![0; n.tiles],
            active: vec![0; n.tiles.div_ceil(64)],
            open: vec![0b1_1111; n.tiles * n.classes],
            closed: vec![0; LOCAL * n.classes * 64],
            held: vec![EMPTY; n.channel(inputs, 0)],
            taken: 0,
        }
    }

    /// Does nothing hold a channel?
    pub(super) const fn is_empty(&self) -> bool {
        self.taken == 0
    }

    #[inline]
    pub(super) fn has_free(&self, n: &Numbers, tile: usize, port: usize, class: usize) -> bool {
        self.free[tile * PORTS + port] & n.class_mask(class) != 0
    }

    /// Channels of a class at an input that are not free.
    pub(super) fn num_taken(&self, n: &Numbers, tile: usize, port: usize, class: usize) -> u8 {
        let taken = !self.free[tile * PORTS + port] & n.class_mask(class);
        taken.count_ones() as u8
    }

    /// Takes a free channel, which there is.
    #[inline]
    pub(super) fn take(&mut self, n: &Numbers, tile: usize, port: usize, class: usize) -> usize {
        let input = tile * PORTS + port;
        let mask = n.class_mask(class);
        let free = self.free[input] & mask;
        assert!(free != 0, "a flit is sent where no channel is free");
        let bit = free & free.wrapping_neg();
        self.free[input] &= !bit;
        self.taken += 1;
        if free == bit && port != LOCAL {
            self.mark(n, tile, port, class, false);
        }
        let channel = n.channel(input, bit.trailing_zeros() as usize);
        debug_assert_eq!(
            self.held[channel].packet, NOBODY,
            "a free channel holds a packet"
        );
        channel
    }

    /// Gives a channel back.
    #[inline]
    pub(super) fn give_back(&mut self, n: &Numbers, channel: usize) {
        let (input, bit) = (n.input(channel), n.channel_bit(channel));
        let class = n.class(bit);
        let had_free = self.free[input] & n.class_mask(class) != 0;
        assert!(
            self.free[input] >> bit & 1 == 0,
            "a channel is given back twice"
        );
        self.free[input] |= 1 << bit;
        self.held[channel] = EMPTY;
        self.taken -= 1;
        let (tile, port) = (input / PORTS, input % PORTS);
        if !had_free && port != LOCAL {
            self.mark(n, tile, port, class, true);
        }
    }

    /// The router behind an input learns whether a class has a free channel.
    fn mark(&mut self, n: &Numbers, tile: usize, port: usize, class: usize, is_open: bool) {
        let before = n.next(tile, port);
        let out = opposite(port);
        let open = &mut self.open[before * n.classes + class];
        let place = self.places[before];
        let closed = &mut self.closed[(out * n.classes + class) * 64 + Numbers::line(place, out)];
        if is_open {
            *open |= 1 << out;
            *closed &= !(1 << Numbers::bit(place, out));
        } else {
            *open &= !(1 << out);
            *closed |= 1 << Numbers::bit(place, out);
        }
    }

    /// A packet begins to use a channel.
    #[inline]
    pub(super) fn hold(&mut self, channel: usize, packet: u32, outputs: u8) {
        let held = &mut self.held[channel];
        held.packet = packet;
        held.outputs = outputs;
    }

    /// A packet of one flit asks for all its outputs.
    #[inline]
    pub(super) fn buffer(&mut self, n: &Numbers, channel: usize) {
        let held = &mut self.held[channel];
        held.come = 1;
        held.wants = held.outputs;
        if held.wants != 0 {
            self.set_ready(n, channel, true);
        }
    }

    /// It goes over some of them.
    #[inline]
    pub(super) fn send(&mut self, n: &Numbers, channel: usize, outs: u8) {
        let held = &mut self.held[channel];
        held.wants &= !outs;
        if held.wants == 0 {
            self.set_ready(n, channel, false);
        }
    }

    /// Recomputes what a channel asks for: outputs that have not sent all that has come. Each goes on by itself: if one waited for
    /// another, branches of two multicasts could wait for each other.
    #[inline]
    pub(super) fn ask(&mut self, n: &Numbers, channel: usize) {
        let (come, next) = (self.held[channel].come, &self.held[channel].next_flit);
        let outputs = ports(self.held[channel].outputs);
        let wants = outputs.filter(|out| next[*out] < come);
        let wants = wants.fold(0, |wants, out| wants | 1 << out);
        self.held[channel].wants = wants;
        self.set_ready(n, channel, wants != 0);
    }

    /// Those of some outputs that ask for the earliest flit: an input has one flit per cycle.
    #[inline]
    pub(super) fn of_one_flit(&self, channel: usize, wants: u8) -> u8 {
        let next = &self.held[channel].next_flit;
        let first = ports(wants).map(|out| next[out]).min();
        let same = ports(wants).filter(|out| Some(next[*out]) == first);
        same.fold(0, |all, out| all | 1 << out)
    }

    /// A channel asks for an output, or no longer.
    #[inline]
    pub(super) fn set_ready(&mut self, n: &Numbers, channel: usize, is_ready: bool) {
        let (input, bit) = (n.input(channel), n.channel_bit(channel));
        let (tile, port) = (input / PORTS, input % PORTS);
        if is_ready {
            self.ready[input] |= 1 << bit;
            self.ready_ports[tile] |= 1 << port;
            self.active[tile / 64] |= 1 << (tile % 64);
            return;
        }
        self.ready[input] &= !(1 << bit);
        if self.ready[input] == 0 {
            self.ready_ports[tile] &= !(1 << port);
            if self.ready_ports[tile] == 0 {
                self.active[tile / 64] &= !(1 << (tile % 64));
            }
        }
    }

    /// The channel of an input in which a packet is.
    pub(super) fn find(&self, n: &Numbers, tile: usize, port: usize, packet: u32) -> Option<usize> {
        let first = n.channel(tile * PORTS + port, 0);
        (first..first + n.channels()).find(|channel| self.held[*channel].packet == packet)
    }
}
