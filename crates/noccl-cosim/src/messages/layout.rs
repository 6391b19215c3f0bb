// SPDX-License-Identifier: Apache-2.0
//! Flits of messages as bits: the fields of `noccl_smart_pkg`.

use crate::lockstep::{Field, LockstepError, Numbers, element_number, operator_number, placed};
use noccl_net::{Coord, MultiAddress, Network, TileId};
use noccl_run::{MessageClass, QueuedPacket};
use std::fmt::Write;

/// Kinds by their numbers.
const KIND_NAMES: [&str; 3] = ["UNICAST", "CONTRIBUTION", "MULTICAST"];

/// Where each field of a flit is.
#[derive(Debug)]
pub(super) struct MessageLayout {
    fields: Vec<Field>,
    /// 32-bit words per flit.
    pub words: usize,
    /// Bytes of data in a flit.
    pub flit_bytes: usize,
}

/// Names and widths of the header, then of index and data in pieces of at most 64 bits.
fn widths(numbers: &Numbers) -> Result<Vec<(&'static str, usize)>, LockstepError> {
    let n = |name: &str| numbers.get(name).map(|bits| bits as usize);
    let (x, y) = (n("X_BITS")?, n("Y_BITS")?);
    let count_bits = (n("VC_FLITS")? + 1).next_power_of_two().trailing_zeros() as usize;
    let mut all = vec![("kind", 2), ("flits", count_bits), ("tag", n("TAG_BITS")?)];
    for name in ["root", "base", "mask"] {
        all.extend([(name, x), ("y", y)]);
    }
    all.extend([("is_counted", 1), ("id", n("ID_BITS")?)]);
    all.extend([("has_operand", 1), ("operator", 3), ("element", 4)]);
    all.push(("index", count_bits));
    all.extend(vec![("data", 64); n("FLIT_BITS")? / 64]);
    Ok(all)
}

impl MessageLayout {
    pub(super) fn new(numbers: &Numbers) -> Result<Self, LockstepError> {
        let (fields, words) = placed(widths(numbers)?);
        let flit_bytes = numbers.get("FLIT_BITS")? as usize / 8;
        Ok(Self {
            fields,
            words,
            flit_bytes,
        })
    }

    /// Bits of a flit of a packet, in whole words. `data` are the bytes from its lowest bit on; those that are missing are zero.
    pub(super) fn encode(&self, packet: &Packet, index: u16, data: &[u8], words: &mut [u32]) {
        words.fill(0);
        let mut fields = self.fields.iter();
        let mut put = |value: u64| {
            if let Some(field) = fields.next() {
                field.write(words, value);
            }
        };
        let queued = &packet.queued;
        put(queued.class as u64);
        put(queued.flits.into());
        put(queued.packet.into());
        for at in [packet.root, packet.set.base, packet.set.mask] {
            put(at.x.into());
            put(at.y.into());
        }
        put(queued.entry.is_some().into());
        // 0: no entry, as the bit before says.
        put(queued.entry.unwrap_or(0).into());
        put(queued.combining.is_some().into());
        let combining = queued.combining;
        // 0: no operator, as the bit before says.
        put(combining.map_or(0, |(operator, _)| operator_number(operator)));
        // 0: no element, as the bit before says.
        put(combining.map_or(0, |(_, element)| element_number(element)));
        put(index.into());
        for piece in (0..self.flit_bytes / 8).rev() {
            let mut bytes = [0; 8];
            let given = data.get(8 * piece..).unwrap_or(&[]);
            let given = &given[..given.len().min(8)];
            bytes[..given.len()].copy_from_slice(given);
            put(u64::from_le_bytes(bytes));
        }
    }

    /// The flit as text, field by field; fields that are zero are left out.
    pub(super) fn decode(&self, words: &[u32]) -> String {
        let mut text = String::new();
        for field in &self.fields {
            let (name, value) = (field.name, field.read(words));
            // Writing to a string cannot fail.
            let _ = match name {
                "kind" => {
                    let kind = KIND_NAMES.get(value as usize).copied();
                    write!(text, "{}", kind.unwrap_or("no kind"))
                }
                "root" | "base" | "mask" => write!(text, " {name} ({value}"),
                "y" => write!(text, ", {value})"),
                "data" => write!(text, " {value:016x}"),
                "flits" | "tag" | "index" => write!(text, " {name} {value}"),
                _ if value == 0 => Ok(()),
                _ => write!(text, " {name} {value}"),
            };
        }
        text
    }
}

/// A packet as its header says it.
#[derive(Debug, Clone)]
pub(super) struct Packet {
    pub queued: QueuedPacket,
    root: Coord,
    /// Destinations or members; empty of a unicast.
    set: MultiAddress,
}

impl Packet {
    /// `None` if its set is none that a header names.
    pub(super) fn new(network: &Network, queued: QueuedPacket) -> Option<Self> {
        let set = if queued.class == MessageClass::Unicast {
            MultiAddress::new(Coord::new(0, 0), Coord::new(0, 0))
        } else {
            set_of(network, &queued.members)?
        };
        let root = network.coord(queued.root);
        Some(Self { queued, root, set })
    }

    /// What a flit carries: operand of a contribution, nothing in other heads.
    pub(super) fn data(&self, index: u16, flit_bytes: usize) -> &[u8] {
        let bytes = &self.queued.data;
        if self.queued.class == MessageClass::Contribution {
            return bytes;
        }
        let Some(part) = usize::from(index).checked_sub(1) else {
            return &[];
        };
        let from = (part * flit_bytes).min(bytes.len());
        &bytes[from..(from + flit_bytes).min(bytes.len())]
    }
}

/// The multi-address of some tiles, in mesh coordinates: a bit that is not the same for all of them may have both values for each.
fn set_of(network: &Network, tiles: &[TileId]) -> Option<MultiAddress> {
    let places = || tiles.iter().map(|tile| network.coord(*tile));
    let bits = |of: fn(Coord) -> u16| {
        let common = places().map(of).fold(u16::MAX, |all, value| all & value);
        let any = places().map(of).fold(0, |all, value| all | value);
        (common, any ^ common)
    };
    let ((x, mask_x), (y, mask_y)) = (bits(|at| at.x), bits(|at| at.y));
    let count = 1_usize << (mask_x.count_ones() + mask_y.count_ones());
    let set = MultiAddress::new(Coord::new(x, y), Coord::new(mask_x, mask_y));
    (tiles.len() == count).then_some(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::assert_filled;
    use noccl_workload::{ElementType, Operator};
    use std::path::Path;

    fn layout() -> MessageLayout {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rtl/gen/smart_4x4");
        let path = Path::new(root).join(noccl_rtl::SMART_PACKAGE_FILE);
        MessageLayout::new(&Numbers::read(&path).unwrap()).unwrap()
    }

    fn network() -> Network {
        noccl_testkit::network("smart_4x4")
    }

    fn contribution(members: &[u32]) -> QueuedPacket {
        QueuedPacket {
            packet: 0x2a5,
            class: MessageClass::Contribution,
            source: TileId(4),
            root: TileId(7),
            members: members.iter().copied().map(TileId).collect(),
            flits: 1,
            entry: Some(33),
            combining: Some((Operator::Max, ElementType::Int32)),
            data: (1..=10).collect(),
        }
    }

    #[test]
    fn fields_fill_a_flit_from_its_highest_bit_to_its_lowest() {
        let layout = layout();
        // kind, flits, tag, three places, is_counted, id, has_operand, operator, element, index, data.
        let bits = 2 + 3 + 12 + 3 * 4 + 1 + 6 + 1 + 3 + 4 + 3 + 128;
        assert_eq!(assert_filled(&layout.fields, layout.words), bits);
    }

    #[test]
    fn a_flit_is_told_field_by_field() {
        let (layout, network) = (layout(), network());
        let packet = Packet::new(&network, contribution(&[4, 6, 12, 14])).unwrap();
        let mut words = vec![u32::MAX; layout.words];
        layout.encode(&packet, 0, packet.data(0, 16), &mut words);
        let expected = "CONTRIBUTION flits 1 tag 677 root (1, 3) base (1, 0) mask (2, 2) is_counted 1 id 33 has_operand 1 \
                        operator 2 element 8 index 0 0000000000000a09 0807060504030201";
        assert_eq!(layout.decode(&words), expected);
        // The lowest byte stands in the lowest bits.
        assert_eq!(words[0], 0x0403_0201);
    }

    #[test]
    fn flits_behind_a_head_carry_their_part_of_the_payload() {
        let unicast = QueuedPacket {
            class: MessageClass::Unicast,
            members: Vec::new(),
            flits: 4,
            ..contribution(&[])
        };
        let packet = Packet::new(&network(), unicast).unwrap();
        let parts = [0, 1, 2, 3].map(|index| packet.data(index, 8).to_vec());
        let expected: [Vec<u8>; 4] = [vec![], (1..=8).collect(), vec![9, 10], vec![]];
        assert_eq!(parts, expected);
    }

    #[test]
    fn sets_that_no_header_names_are_found() {
        let network = network();
        for members in [&[1, 2][..], &[0, 1, 4], &[3, 12]] {
            assert!(
                Packet::new(&network, contribution(members)).is_none(),
                "{members:?}"
            );
        }
        for members in [&[9][..], &[0, 1], &[0, 12, 8, 4]] {
            assert!(
                Packet::new(&network, contribution(members)).is_some(),
                "{members:?}"
            );
        }
    }
}
