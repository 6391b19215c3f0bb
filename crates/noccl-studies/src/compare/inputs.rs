// SPDX-License-Identifier: Apache-2.0
//! Seeded random inputs: finite numbers of moderate size, so that a sum over thousands neither
//! overflows nor hides an error behind an infinity; integers use all their bits.

use super::{CompareRequest, best_of, collective_of};
use crate::{AlgorithmRequest, Error, Watch};
use noccl_net::Network;
use noccl_run::{Rng, Tally};
use noccl_workload::{ActionKind, BarrierMechanism, ElementType, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Binary floating-point layout: sign, exponent, mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FloatFormat {
    pub(crate) exponent_bits: u32,
    pub(crate) mantissa_bits: u32,
}

impl FloatFormat {
    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Half of the distance from 1 to the next number: the largest relative error of one rounding.
    pub(crate) fn unit_roundoff(self) -> f64 {
        (-f64::from(self.mantissa_bits + 1)).exp2()
    }

    /// Smallest positive number.
    pub(crate) fn smallest(self) -> f64 {
        f64::from(1 - self.bias()).exp2() * (-f64::from(self.mantissa_bits)).exp2()
    }

    /// Value of finite bits.
    pub(crate) fn decode(self, bits: u64) -> f64 {
        let mantissa = bits & ((1 << self.mantissa_bits) - 1);
        let exponent = (bits >> self.mantissa_bits) & ((1 << self.exponent_bits) - 1);
        let is_negative = bits >> (self.mantissa_bits + self.exponent_bits) & 1 == 1;
        let fraction = mantissa as f64 * (-f64::from(self.mantissa_bits)).exp2();
        let magnitude = if exponent == 0 {
            fraction * f64::from(1 - self.bias()).exp2()
        } else {
            (1.0 + fraction) * f64::from(exponent as i32 - self.bias()).exp2()
        };
        if is_negative { -magnitude } else { magnitude }
    }

    /// Random sign and mantissa, magnitude from 1/8 to 2.
    fn random(self, rng: &mut Rng) -> u64 {
        let raw = rng.draw();
        let mantissa = raw & ((1 << self.mantissa_bits) - 1);
        let exponent = (self.bias() - 3) as u64 + rng.below(4);
        let sign = raw >> 63;
        (sign << self.exponent_bits | exponent) << self.mantissa_bits | mantissa
    }
}

/// Layout of a floating-point element; `None` for integers.
pub(crate) const fn float_format(element: ElementType) -> Option<FloatFormat> {
    let (exponent_bits, mantissa_bits) = match element {
        ElementType::Fp64 => (11, 52),
        ElementType::Fp32 => (8, 23),
        ElementType::Fp16 => (5, 10),
        ElementType::Bf16 => (8, 7),
        ElementType::Fp8E4m3 => (4, 3),
        ElementType::Fp8E5m2 => (5, 2),
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => {
            return None;
        }
    };
    Some(FloatFormat {
        exponent_bits,
        mantissa_bits,
    })
}

/// Bits of the i-th element.
pub(crate) fn element_bits(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Random elements of one participant.
pub(crate) fn random_input(
    seed: u64,
    participant: usize,
    bytes: u64,
    element: ElementType,
) -> Vec<u8> {
    let mut rng = Rng::new(seed, &format!("input of participant {participant}"));
    let size = element.bytes() as usize;
    let format = float_format(element);
    let mut out = Vec::with_capacity(bytes as usize);
    while (out.len() as u64) < bytes {
        let bits = match format {
            Some(format) => format.random(&mut rng),
            None => rng.draw(),
        };
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    // A movement takes any number of bytes; only a reduction needs whole elements.
    out.truncate(bytes as usize);
    out
}

// A schedule for one collective by one algorithm.

/// The schedule of a collective at one size by one algorithm; without a chunk count the fastest of a
/// range is searched by simulation.
///
/// # Errors
/// [`Error`] naming what is impossible and what would be accepted.
pub fn schedule(
    network: &Network,
    request: &CompareRequest,
    bytes: u64,
    algorithm: AlgorithmRequest,
    watch: Watch<'_>,
) -> Result<Schedule, Error> {
    let collective = collective_of(network, request, bytes)?;
    let tally = Tally::new(watch, 1);
    Ok(best_of(network, &collective, algorithm, &tally)?.1)
}

// What makes the members of a schedule wait for each other.

/// How a member knows that it can go on, beside reductions of the network, which nobody leaves before all have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Synchronisation {
    /// No member waits for another one's data.
    None,
    /// By the end of transfers to it.
    Deliveries,
    /// By messages of cores, or by what comes over a static network.
    Messages,
    /// By barriers that the network merges.
    NetworkBarriers,
    /// By barriers that cores make by counters and interrupts.
    SoftwareBarriers,
}

impl Synchronisation {
    /// The strongest that a schedule has.
    #[must_use]
    pub fn of(schedule: &Schedule) -> Self {
        let any = |is: fn(&ActionKind) -> bool| schedule.actions.iter().any(|a| is(&a.kind));
        let is_software = |kind: &ActionKind| {
            let barrier = kind.barrier();
            barrier.is_some_and(|b| b.mechanism == BarrierMechanism::Software)
        };
        if any(is_software) {
            Self::SoftwareBarriers
        } else if any(|kind| kind.barrier().is_some() || kind.arrival().is_some()) {
            Self::NetworkBarriers
        } else if any(|kind| kind.message().is_some() || kind.static_multicast().is_some()) {
            Self::Messages
        } else if any(|kind| matches!(kind, ActionKind::Delivery(_))) {
            Self::Deliveries
        } else {
            Self::None
        }
    }

    /// As tables have it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Deliveries => "deliveries",
            Self::Messages => "messages",
            Self::NetworkBarriers => "barriers, network",
            Self::SoftwareBarriers => "barriers, software",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_agrees_with_the_machine_on_random_bits() {
        let f64s = float_format(ElementType::Fp64).unwrap();
        let f32s = float_format(ElementType::Fp32).unwrap();
        let mut rng = Rng::new(3, "decode");
        for _ in 0..2_000 {
            let bits = rng.draw();
            if f64::from_bits(bits).is_finite() {
                assert_eq!(f64s.decode(bits), f64::from_bits(bits));
            }
            let bits = bits as u32;
            if f32::from_bits(bits).is_finite() {
                assert_eq!(
                    f32s.decode(u64::from(bits)),
                    f64::from(f32::from_bits(bits))
                );
            }
        }
    }

    #[test]
    fn random_floats_are_finite_and_of_moderate_size() {
        for element in [
            ElementType::Fp64,
            ElementType::Fp16,
            ElementType::Bf16,
            ElementType::Fp8E4m3,
            ElementType::Fp8E5m2,
        ] {
            let format = float_format(element).unwrap();
            let input = random_input(1, 0, 1024, element);
            assert_eq!(input.len(), 1024);
            for chunk in input.chunks_exact(element.bytes() as usize) {
                let value = format.decode(element_bits(chunk)).abs();
                assert!((0.125..2.0).contains(&value), "{element:?}: {value}");
            }
        }
    }
}
