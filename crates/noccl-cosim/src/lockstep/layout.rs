// SPDX-License-Identifier: Apache-2.0
//! Flits as bits: the fields of `noccl_flit_pkg`, plane by plane.
//!
//! Fields that a plane's recorded flit does not have are zero on both sides: routers only carry them.

use super::comparison::LockstepError;
use super::numbers::Numbers;
use noccl_net::Coord;
use noccl_run::{FlitRecord, RecordedKind};
use noccl_spec::Plane;
use noccl_workload::{ElementType, Operator};
use std::fmt::Write;

/// Bytes of a wide beat.
const BEAT_BYTES: u64 = 64;
/// log2 of the bytes of a narrow and of a wide beat.
const NARROW_SIZE: u64 = 3;
const WIDE_SIZE: u64 = 6;

/// Where each field of a plane's flits is.
#[derive(Debug)]
pub(crate) struct Layout {
    plane: Plane,
    fields: Vec<Field>,
    /// Which of them is the transaction's name.
    tag: usize,
    /// 32-bit words per flit.
    pub words: usize,
}

/// Names and widths of the header, then of the payload in pieces of at most 64 bits.
fn widths(plane: Plane, numbers: &Numbers) -> Result<Vec<(&'static str, usize)>, LockstepError> {
    let n = |name: &str| numbers.get(name).map(|bits| bits as usize);
    let kind_bits = match plane {
        Plane::Wide => 2,
        Plane::Req | Plane::Rsp => 3,
    };
    let mut all = vec![("kind", kind_bits), ("multicast", 1)];
    for (name, x, y) in [
        ("dst", "X_BITS", "Y_BITS"),
        ("src", "X_BITS", "Y_BITS"),
        ("base", "REGION_X_BITS", "REGION_Y_BITS"),
        ("mask", "REGION_X_BITS", "REGION_Y_BITS"),
    ] {
        all.extend([(name, n(x)?), ("y", n(y)?)]);
    }
    all.push(("tag", n("TAG_BITS")?));
    if plane == Plane::Rsp {
        all.push(("is_wide", 1));
    }
    all.extend([("own_copy", 1), ("resp", 2)]);
    match plane {
        Plane::Wide => {
            all.extend([("line", n("LINE_BITS")?), ("left", n("BURST_BITS")?)]);
            all.extend([("operator", 3), ("element", 4), ("strobe", 64)]);
            all.extend([("data", 64); 8]);
        }
        Plane::Req => {
            all.extend([("count", n("COUNT_BITS")?), ("addr", n("OFFSET_BITS")?)]);
            all.extend([("size", 3), ("len", n("BURST_BITS")?)]);
            all.extend([("strobe", 8), ("data", 64)]);
        }
        Plane::Rsp => all.extend([("count", n("COUNT_BITS")?), ("data", 64)]),
    }
    Ok(all)
}

impl Layout {
    pub(crate) fn new(plane: Plane, numbers: &Numbers) -> Result<Self, LockstepError> {
        let widths = widths(plane, numbers)?;
        let tag = widths.iter().take_while(|(name, _)| *name != "tag").count();
        let (fields, words) = placed(widths);
        Ok(Self {
            plane,
            fields,
            tag,
            words,
        })
    }

    /// The flit's bits, in whole words.
    pub(crate) fn encode(&self, flit: &FlitRecord, words: &mut [u32]) {
        words.fill(0);
        let mut fields = self.fields.iter();
        let mut put = |value: u64| {
            if let Some(field) = fields.next() {
                field.write(words, value);
            }
        };
        let (base, mask) = flit
            .set
            .map_or((Coord::new(0, 0), Coord::new(0, 0)), |set| {
                (set.base, set.mask)
            });
        put(kind(self.plane, flit));
        put(u64::from(flit.is_multicast));
        for at in [flit.dst, flit.src, base, mask] {
            put(u64::from(at.x));
            put(u64::from(at.y));
        }
        put(u64::from(flit.tag));
        if self.plane == Plane::Rsp {
            put(u64::from(flit.is_wide));
        }
        put(u64::from(flit.has_own_copy));
        put(u64::from(flit.resp));
        match self.plane {
            Plane::Wide => {
                let line = flit.address / BEAT_BYTES + u64::from(flit.beat);
                let is_reduction = flit.kind == RecordedKind::Reduce;
                // Whoever asked for data knows their place.
                put(u64::from(flit.kind != RecordedKind::ReadData) * line);
                put(u64::from(flit.beats - 1 - flit.beat));
                put(u64::from(is_reduction) * operator_number(flit.operator));
                put(u64::from(is_reduction) * element_number(flit.element));
                put(strobe(flit, line * BEAT_BYTES));
                let zeros = [0; BEAT_BYTES as usize];
                let data = flit.data.as_deref().unwrap_or(&zeros);
                for piece in data.as_chunks::<8>().0.iter().rev() {
                    put(u64::from_le_bytes(*piece));
                }
            }
            Plane::Req => {
                put(u64::from(flit.count));
                put(flit.address);
                put(if flit.is_wide { WIDE_SIZE } else { NARROW_SIZE });
                put(u64::from(flit.beats.saturating_sub(1)));
                put(0);
                put(0);
            }
            Plane::Rsp => {
                put(u64::from(flit.count));
                put(u64::from(flit.value));
            }
        }
    }

    /// Name of a flit's transaction.
    pub(crate) fn tag(&self, words: &[u32]) -> u32 {
        self.fields[self.tag].read(words) as u32
    }

    /// The flit as text, field by field; fields that are zero are left out.
    pub(crate) fn decode(&self, words: &[u32]) -> String {
        let mut text = String::new();
        for field in &self.fields {
            let (name, value) = (field.name, field.read(words));
            let _ = match name {
                "kind" => write!(text, "{}", kind_name(self.plane, value)),
                "dst" | "src" | "base" | "mask" => write!(text, " {name} ({value}"),
                "y" => write!(text, ", {value})"),
                "data" => write!(text, " {value:016x}"),
                _ if value == 0 => Ok(()),
                _ => write!(text, " {name} {value:#x}"),
            };
        }
        text
    }
}

const KIND_NAMES: [&[&str]; 3] = [
    &["WRITE", "REDUCE", "READ_DATA", "RESULT"],
    &["READ_NARROW", "READ_WIDE", "WRITE", "BARRIER", "ATOMIC"],
    &["B", "READ_DATA", "COLLECT_B", "GROUP_B", "CREDIT", "ATOMIC"],
];

fn kind_name(plane: Plane, kind: u64) -> &'static str {
    let names = match plane {
        Plane::Wide => KIND_NAMES[0],
        Plane::Req => KIND_NAMES[1],
        Plane::Rsp => KIND_NAMES[2],
    };
    names.get(kind as usize).copied().unwrap_or("no kind")
}

/// Number of a kind on its plane (`wide_kind_e`, `req_kind_e`, `rsp_kind_e`).
fn kind(plane: Plane, flit: &FlitRecord) -> u64 {
    match (plane, flit.kind) {
        (Plane::Wide, RecordedKind::ReadData) => 2,
        (Plane::Req, RecordedKind::Write) => 2,
        (Plane::Rsp, RecordedKind::Atomic) => 5,
        (_, RecordedKind::Write | RecordedKind::Response) => 0,
        (_, RecordedKind::Reduce | RecordedKind::ReadData) => 1,
        (_, RecordedKind::ReadRequest) => u64::from(flit.is_wide),
        (_, RecordedKind::CollectedResponse) => 2,
        (_, RecordedKind::Barrier | RecordedKind::GroupResponse) => 3,
        (_, RecordedKind::Result) => 3,
        (_, RecordedKind::Atomic | RecordedKind::Credit) => 4,
    }
}

/// Enabled bytes of a write's or reduction's beat.
fn strobe(flit: &FlitRecord, line: u64) -> u64 {
    let first = flit.address.max(line) - line;
    let end = (flit.address + u64::from(flit.bytes)).min(line + BEAT_BYTES);
    let carries = matches!(flit.kind, RecordedKind::Write | RecordedKind::Reduce);
    let len = end.saturating_sub(line + first);
    if carries && len > 0 {
        let all = (u64::MAX >> (BEAT_BYTES - len)) << first;
        all & (u64::MAX >> (BEAT_BYTES - u64::from(flit.enabled_bytes)))
    } else {
        0
    }
}

/// `operator_e`.
pub(crate) const fn operator_number(operator: Operator) -> u64 {
    match operator {
        Operator::Sum => 0,
        Operator::Min => 1,
        Operator::Max => 2,
        Operator::And => 3,
        Operator::Or => 4,
    }
}

/// `element_e`.
pub(crate) const fn element_number(element: ElementType) -> u64 {
    match element {
        ElementType::Fp64 => 0,
        ElementType::Fp32 => 1,
        ElementType::Fp16 => 2,
        ElementType::Bf16 => 3,
        ElementType::Fp8E4m3 => 4,
        ElementType::Fp8E5m2 => 5,
        ElementType::Int8 => 6,
        ElementType::Int16 => 7,
        ElementType::Int32 => 8,
        ElementType::Int64 => 9,
    }
}

// Fields of packed structs in 32-bit words.

/// A field of at most 64 bits.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub lsb: usize,
    pub bits: usize,
}

/// Fields by name and width, from the most significant bit down as in a packed struct, and the words of all of them.
pub(crate) fn placed(widths: Vec<(&'static str, usize)>) -> (Vec<Field>, usize) {
    let total: usize = widths.iter().map(|(_, bits)| bits).sum();
    let mut lsb = total;
    let place = |(name, bits): (&'static str, usize)| {
        lsb -= bits;
        Field { name, lsb, bits }
    };
    let fields = widths.into_iter().map(place).collect();
    (fields, total.div_ceil(32))
}

impl Field {
    pub(crate) fn read(&self, words: &[u32]) -> u64 {
        // 0: no field has bits behind the last word.
        let word = |i: usize| u128::from(words.get(self.lsb / 32 + i).copied().unwrap_or(0));
        let all = (word(0) | word(1) << 32 | word(2) << 64) >> (self.lsb % 32);
        all as u64 & (u64::MAX >> (64 - self.bits))
    }

    /// Writes into bits that are zero.
    pub(crate) fn write(&self, words: &mut [u32], value: u64) {
        let value = u128::from(value & (u64::MAX >> (64 - self.bits))) << (self.lsb % 32);
        for (i, word) in words[self.lsb / 32..].iter_mut().take(3).enumerate() {
            *word |= (value >> (32 * i)) as u32;
        }
    }
}

/// Fields fill a flit of so many words from its highest bit to its lowest. Returns its bits.
#[cfg(test)]
pub(crate) fn assert_filled(fields: &[Field], words: usize) -> usize {
    let bits = fields.iter().map(|f| f.bits).sum::<usize>();
    assert_eq!(words, bits.div_ceil(32));
    let mut end = bits;
    for field in fields {
        assert_eq!(field.lsb + field.bits, end, "{}", field.name);
        end = field.lsb;
    }
    assert_eq!(end, 0);
    bits
}

#[cfg(test)]
mod tests {
    use super::assert_filled;
    use super::*;
    use noccl_net::MultiAddress;
    use std::path::Path;

    fn layout(plane: Plane) -> Layout {
        let root = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../rtl/gen/collective_noc_4x4"
        );
        let numbers = Numbers::read(&Path::new(root).join("noccl_cfg_pkg.sv")).unwrap();
        Layout::new(plane, &numbers).unwrap()
    }

    fn flit() -> FlitRecord {
        let mut data = [0; 64];
        data[0] = 0x11;
        data[63] = 0xff;
        FlitRecord {
            kind: RecordedKind::Reduce,
            is_multicast: false,
            is_wide: true,
            has_own_copy: false,
            resp: 2,
            dst: Coord::new(4, 3),
            src: Coord::new(1, 2),
            set: Some(MultiAddress::new(Coord::new(2, 0), Coord::new(1, 3))),
            tag: 0x2a,
            count: 0,
            address: 64 + 8,
            bytes: 64,
            beats: 2,
            beat: 1,
            operator: Operator::Max,
            element: ElementType::Fp32,
            enabled_bytes: 64,
            value: 0,
            data: Some(data.to_vec()),
        }
    }

    #[test]
    fn fields_fill_a_flit_from_its_highest_bit_to_its_lowest() {
        for plane in Plane::ALL {
            let layout = layout(plane);
            assert_filled(&layout.fields, layout.words);
        }
    }

    #[test]
    fn a_flit_is_told_field_by_field() {
        let layout = layout(Plane::Wide);
        let mut words = vec![u32::MAX; layout.words];
        layout.encode(&flit(), &mut words);
        // The second beat of 64 bytes from byte 8 of line 1: bytes 0 to 7 of line 2.
        let text = layout.decode(&words);
        let expected = "REDUCE dst (4, 3) src (1, 2) base (2, 0) mask (1, 3) tag 0x2a resp 0x2 line 0x2 \
                        operator 0x2 element 0x1 strobe 0xff ff00000000000000";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("0000000000000011"), "{text}");
    }

    #[test]
    fn every_kind_has_a_name_on_its_plane() {
        let on = |plane, kind| kind_name(plane, super::kind(plane, &FlitRecord { kind, ..flit() }));
        assert_eq!(on(Plane::Wide, RecordedKind::Write), "WRITE");
        assert_eq!(on(Plane::Wide, RecordedKind::ReadData), "READ_DATA");
        assert_eq!(on(Plane::Req, RecordedKind::Write), "WRITE");
        assert_eq!(on(Plane::Req, RecordedKind::ReadRequest), "READ_WIDE");
        assert_eq!(on(Plane::Req, RecordedKind::Barrier), "BARRIER");
        assert_eq!(on(Plane::Req, RecordedKind::Atomic), "ATOMIC");
        assert_eq!(on(Plane::Rsp, RecordedKind::Response), "B");
        assert_eq!(on(Plane::Rsp, RecordedKind::ReadData), "READ_DATA");
        assert_eq!(on(Plane::Rsp, RecordedKind::CollectedResponse), "COLLECT_B");
        assert_eq!(on(Plane::Rsp, RecordedKind::GroupResponse), "GROUP_B");
        assert_eq!(on(Plane::Rsp, RecordedKind::Credit), "CREDIT");
        assert_eq!(on(Plane::Rsp, RecordedKind::Atomic), "ATOMIC");
    }
}
