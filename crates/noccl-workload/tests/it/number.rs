// SPDX-License-Identifier: Apache-2.0
//! Arithmetic of the element types against an independent definition.
//!
//! The reference knows only the textbook value of an encoding and searches the nearest one among all
//! encodings; the library computes. Sums are taken exactly as an f64 and its rounding error.

use noccl_workload::number::{check_sum, fold_into, is_drawn, random_elements};
use noccl_workload::{ElementType, Operator};

/// A format of at most 16 bits, by its definition.
struct Reference {
    element: ElementType,
    bits: u32,
    mantissa_bits: u32,
    bias: i32,
    /// Infinity exists (IEEE-like); otherwise only the all-ones magnitude is special, a NaN.
    has_infinity: bool,
    canonical_nan: u16,
    /// Values of all finite magnitudes, ascending with the encoding, and the one after them.
    magnitudes: Vec<f64>,
}

impl Reference {
    fn new(
        element: ElementType,
        bits: u32,
        mantissa_bits: u32,
        bias: i32,
        has_infinity: bool,
        canonical_nan: u16,
    ) -> Self {
        let top = (1u32 << (bits - 1)) - 1;
        let finite = if has_infinity {
            top & !((1 << mantissa_bits) - 1)
        } else {
            top
        };
        let magnitudes = (0..=finite)
            .map(|e| {
                let exponent = (e >> mantissa_bits) as i32;
                let fraction =
                    f64::from(e & ((1 << mantissa_bits) - 1)) / 2f64.powi(mantissa_bits as i32);
                if exponent == 0 {
                    fraction * 2f64.powi(1 - bias)
                } else {
                    (1.0 + fraction) * 2f64.powi(exponent - bias)
                }
            })
            .collect();
        Self {
            element,
            bits,
            mantissa_bits,
            bias,
            has_infinity,
            canonical_nan,
            magnitudes,
        }
    }

    fn all_small() -> [Self; 4] {
        [
            Self::new(ElementType::Fp8E4m3, 8, 3, 7, false, 0x7f),
            Self::new(ElementType::Fp8E5m2, 8, 2, 15, true, 0x7e),
            Self::new(ElementType::Fp16, 16, 10, 15, true, 0x7e00),
            Self::new(ElementType::Bf16, 16, 7, 127, true, 0x7fc0),
        ]
    }

    fn sign(&self) -> u16 {
        1 << (self.bits - 1)
    }

    fn value(&self, encoding: u16) -> f64 {
        let magnitude = usize::from(encoding & (self.sign() - 1));
        let last = self.magnitudes.len() - 1;
        let value = match magnitude.cmp(&last) {
            std::cmp::Ordering::Less => self.magnitudes[magnitude],
            std::cmp::Ordering::Equal if self.has_infinity => f64::INFINITY,
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => f64::NAN,
        };
        if encoding & self.sign() == 0 {
            value
        } else {
            -value
        }
    }

    /// Nearest encoding of `sum + rest`, |rest| below half a unit in the last place of `sum`; ties to even.
    fn nearest(&self, sum: f64, rest: f64) -> u16 {
        let sign = if sum.is_sign_negative() {
            self.sign()
        } else {
            0
        };
        let (x, rest) = if sum.is_sign_negative() {
            (-sum, -rest)
        } else {
            (sum, rest)
        };
        let above = self
            .magnitudes
            .partition_point(|m| *m < x)
            .min(self.magnitudes.len() - 1);
        let below = above.saturating_sub(1);
        let (low, high) = (self.magnitudes[below], self.magnitudes[above]);
        let middle = low + (high - low) / 2.0;
        let go_up = if x == middle && above != below {
            rest > 0.0 || (rest == 0.0 && above % 2 == 0)
        } else {
            x > middle
        };
        let magnitude = if go_up { above } else { below };
        if magnitude == self.magnitudes.len() - 1 && !self.has_infinity {
            return self.canonical_nan;
        }
        sign | magnitude as u16
    }

    fn sum(&self, a: u16, b: u16) -> u16 {
        let (x, y) = (self.value(a), self.value(b));
        let sum = x + y;
        if sum.is_nan() {
            return self.canonical_nan;
        }
        if sum.is_infinite() {
            let sign = if sum < 0.0 { self.sign() } else { 0 };
            return sign | (self.magnitudes.len() - 1) as u16;
        }
        let y_part = sum - x;
        self.nearest(sum, (x - (sum - y_part)) + (y - y_part))
    }

    /// `minimumNumber` (or maximum, for `flip`), from the comparison of values.
    fn extreme(&self, a: u16, b: u16, flip: bool) -> u16 {
        let (x, y) = (self.value(a), self.value(b));
        match (x.is_nan(), y.is_nan()) {
            (true, true) => self.canonical_nan,
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                let a_is_less = x < y || (x == y && x.is_sign_negative());
                if a_is_less != flip { a } else { b }
            }
        }
    }

    fn library(&self, a: u16, b: u16, operator: Operator) -> u16 {
        let width = (self.bits / 8) as usize;
        let mut accumulator = a.to_le_bytes()[..width].to_vec();
        fold_into(
            &mut accumulator,
            &b.to_le_bytes()[..width],
            operator,
            self.element,
        );
        accumulator.resize(2, 0);
        u16::from_le_bytes([accumulator[0], accumulator[1]])
    }

    fn check(&self, a: u16, b: u16) {
        for (operator, expected) in [
            (Operator::Sum, self.sum(a, b)),
            (Operator::Min, self.extreme(a, b, false)),
            (Operator::Max, self.extreme(a, b, true)),
        ] {
            assert_eq!(
                self.library(a, b, operator),
                expected,
                "{} {operator} of {a:#x} and {b:#x}",
                self.element
            );
        }
    }
}

#[test]
fn eight_bit_floats_agree_with_the_definition_for_all_pairs() {
    for format in Reference::all_small().iter().filter(|f| f.bits == 8) {
        for a in 0..=255 {
            for b in 0..=255 {
                format.check(a, b);
            }
        }
    }
}

#[test]
fn sixteen_bit_floats_agree_with_the_definition() {
    for format in Reference::all_small().iter().filter(|f| f.bits == 16) {
        // Every encoding against partners around all the borders, and pseudo-random partners.
        let one_exponent = 1u16 << format.mantissa_bits;
        let infinity = (format.magnitudes.len() - 1) as u16;
        let one = (format.bias as u16) << format.mantissa_bits;
        let borders = [
            0,
            1,
            one_exponent - 1,
            one_exponent,
            one,
            one + 1,
            infinity - 1,
            infinity,
            infinity + 1,
            0x7fff,
        ];
        let random = random_elements(7, 1 << 18, ElementType::Int16);
        for a in 0..=u16::MAX {
            for border in borders {
                format.check(a, border);
                format.check(a, border | 0x8000);
                // Sums that cancel or end near a tie.
                format.check(a, (a ^ 0x8000).wrapping_sub(border));
            }
            let at = usize::from(a) * 4;
            format.check(a, u16::from_le_bytes([random[at], random[at + 1]]));
            format.check(a, u16::from_le_bytes([random[at + 2], random[at + 3]]));
        }
    }
}

#[test]
fn fp32_sums_are_the_rounded_f64_sums() {
    // 53 bits are more than twice 24 and two: rounding twice is rounding once.
    let random = random_elements(11, 1 << 20, ElementType::Int32);
    for pair in random.chunks_exact(8) {
        let a = f32::from_le_bytes(pair[..4].try_into().unwrap());
        for b in [
            f32::from_le_bytes(pair[4..].try_into().unwrap()),
            -a * 1.5,
            a * 6e-8,
        ] {
            let mut result = a.to_le_bytes();
            fold_into(
                &mut result,
                &b.to_le_bytes(),
                Operator::Sum,
                ElementType::Fp32,
            );
            let expected = (f64::from(a) + f64::from(b)) as f32;
            let bits = if expected.is_nan() {
                0x7fc0_0000
            } else {
                expected.to_bits()
            };
            assert_eq!(u32::from_le_bytes(result), bits, "{a} + {b}");
        }
    }
}

fn fold64(a: u64, b: u64, operator: Operator) -> u64 {
    let mut result = a.to_le_bytes();
    fold_into(&mut result, &b.to_le_bytes(), operator, ElementType::Fp64);
    u64::from_le_bytes(result)
}

#[test]
fn fp64_special_values_follow_the_stated_rules() {
    const NAN: u64 = 0x7ff8_0000_0000_0000;
    let (inf, one, zero) = (f64::INFINITY.to_bits(), 1f64.to_bits(), 0f64.to_bits());
    let minus_zero = (-0f64).to_bits();
    let signalling = 0xfff0_0000_0000_0001;
    for (a, b, sum, min, max) in [
        (inf, inf ^ 1 << 63, NAN, inf ^ 1 << 63, inf),
        (signalling, one, NAN, one, one),
        (one, signalling, NAN, one, one),
        (signalling, signalling, NAN, NAN, NAN),
        (zero, minus_zero, zero, minus_zero, zero),
        (minus_zero, minus_zero, minus_zero, minus_zero, minus_zero),
        (1, 1, 2, 1, 1),
        (
            f64::MAX.to_bits(),
            f64::MAX.to_bits(),
            inf,
            f64::MAX.to_bits(),
            f64::MAX.to_bits(),
        ),
        (
            one,
            (f64::EPSILON / 2.0).to_bits(),
            one,
            (f64::EPSILON / 2.0).to_bits(),
            one,
        ),
    ] {
        assert_eq!(fold64(a, b, Operator::Sum), sum, "{a:#x} + {b:#x}");
        assert_eq!(fold64(a, b, Operator::Min), min, "min of {a:#x}, {b:#x}");
        assert_eq!(fold64(a, b, Operator::Max), max, "max of {a:#x}, {b:#x}");
    }
}

/// Integer fold by i128 arithmetic.
fn integer_reference(a: &[u8], b: &[u8], operator: Operator) -> Vec<u8> {
    let signed = |bytes: &[u8]| {
        let fill = if bytes[bytes.len() - 1] & 0x80 == 0 {
            0
        } else {
            0xff
        };
        let mut wide = [fill; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        i128::from_le_bytes(wide)
    };
    let (x, y) = (signed(a), signed(b));
    let z = match operator {
        Operator::Sum => x + y,
        Operator::Min => x.min(y),
        Operator::Max => x.max(y),
        Operator::And => x & y,
        Operator::Or => x | y,
    };
    z.to_le_bytes()[..a.len()].to_vec()
}

#[test]
fn integers_wrap_and_compare_as_signed() {
    let integers = ElementType::ALL.into_iter().filter(|e| !e.is_float());
    for element in integers {
        let width = element.bytes() as usize;
        let mut a = random_elements(1, 4096, element);
        let b = random_elements(2, 4096, element);
        // The extremes meet each other too.
        a[..width].fill(0xff);
        a[width - 1] = 0x7f;
        for operator in Operator::ALL {
            let mut result = a.clone();
            fold_into(&mut result, &b, operator, element);
            let expected: Vec<u8> = a
                .chunks(width)
                .zip(b.chunks(width))
                .flat_map(|(x, y)| integer_reference(x, y, operator))
                .collect();
            assert_eq!(result, expected, "{element} {operator}");
        }
    }
}

#[test]
fn random_elements_are_reproducible_finite_and_moderate() {
    for element in ElementType::ALL {
        let long = random_elements(3, 1000, element);
        assert_eq!(long.len(), 1000);
        assert_eq!(long[..96], random_elements(3, 96, element));
        assert_ne!(long[..96], random_elements(4, 96, element)[..]);
    }
    for format in Reference::all_small() {
        let data = random_elements(5, 4096, format.element);
        let width = (format.bits / 8) as usize;
        for chunk in data.chunks(width) {
            let mut both = [0; 2];
            both[..width].copy_from_slice(chunk);
            let x = format.value(u16::from_le_bytes(both)).abs();
            assert!((0.25..2.0).contains(&x), "{}: {x}", format.element);
        }
    }
}

#[test]
fn any_order_of_additions_stays_within_the_error_bound() {
    for element in ElementType::ALL {
        // With the few bits of FP8 the bound of many summands allows nearly everything.
        let num_inputs = if element.bytes() == 1 { 3 } else { 12 };
        let inputs: Vec<Vec<u8>> = (0..num_inputs)
            .map(|seed| random_elements(seed, 512, element))
            .collect();
        let views: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let fold = |order: &mut dyn Iterator<Item = &Vec<u8>>| {
            let mut sum = order.next().unwrap().clone();
            order.for_each(|i| fold_into(&mut sum, i, Operator::Sum, element));
            sum
        };
        let forward = fold(&mut inputs.iter());
        let backward = fold(&mut inputs.iter().rev());
        check_sum(&views, &forward, element).unwrap();
        check_sum(&views, &backward, element).unwrap();
        // Leaving one contribution out is noticed in every type.
        assert!(
            check_sum(&views[1..], &forward, element).is_err(),
            "{element}"
        );
    }
}

#[test]
fn the_error_bound_sees_one_unit_in_the_last_place_of_two_summands() {
    let (a, b) = (1.0f64, 2f64.powi(-60));
    let good = 1.0f64.to_le_bytes();
    let bad = (1.0f64 + f64::EPSILON).to_le_bytes();
    let views: [&[u8]; 2] = [&a.to_le_bytes(), &b.to_le_bytes()];
    assert!(check_sum(&views, &good, ElementType::Fp64).is_ok());
    assert!(check_sum(&views, &bad, ElementType::Fp64).is_err());
}

// Seeded draws come up as often as asked, whatever the seed.

#[test]
fn a_case_is_drawn_as_often_as_asked() {
    let share = |per_256| {
        (0..1 << 16)
            .filter(|key| is_drawn(7, *key, per_256))
            .count()
    };
    assert_eq!((share(0), share(256)), (0, 1 << 16));
    for per_256 in [1_u32, 64, 200] {
        // Five standard deviations of 65536 draws.
        let p = f64::from(per_256) / 256.0;
        let limit = 5.0 * 256.0 * (p * (1.0 - p)).sqrt();
        let found = share(per_256) as f64;
        assert!((found - 65_536.0 * p).abs() < limit, "{per_256}: {found}");
    }
    let both = |key: &u64| is_drawn(1, *key, 128) && is_drawn(2, *key, 128);
    let found = (0..1 << 16).filter(both).count();
    assert!(
        found.abs_diff(1 << 14) < 640,
        "seeds are not independent: {found}"
    );
}
