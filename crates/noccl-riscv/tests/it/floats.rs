// SPDX-License-Identifier: Apache-2.0
//! What the manual says and the other implementation in `python/tests/test_executed_cores.py` does otherwise: boxing of
//! single precision, signalling NaNs in minima, infinity times zero. And flags that do not depend on what came before.

use crate::common::{machine, r_type};
use noccl_riscv::{Registers, RiscvError};
use proptest::prelude::*;

const BOX: u64 = 0xffff_ffff_0000_0000;
const NAN: u64 = BOX | 0x7fc0_0000;
const ONE: u64 = BOX | 0x3f80_0000;
const SIGNALLING: u64 = BOX | 0x7f80_0001;
const INFINITY: u64 = BOX | 0x7f80_0000;

/// Registers after one instruction on f2, f3 and f4, which writes f1 and x1.
fn executed(word: u32, operands: [u64; 3], fcsr: u8) -> Result<Registers, RiscvError> {
    let (program, mut core) = machine(&[word])?;
    core.registers.f[2..5].copy_from_slice(&operands);
    core.registers.fcsr = fcsr;
    core.run(&program, 1);
    assert_eq!(core.retired_instructions, 1, "{word:#010x}");
    Ok(core.registers)
}

fn single(f7: u32, f3: u32) -> u32 {
    r_type(0x53, f3, f7, 1, 2, 3)
}

#[test]
fn what_is_not_boxed_is_a_nan() -> Result<(), RiscvError> {
    let unboxed = 0x3f80_0000;
    let sum = executed(single(0x00, 0), [unboxed, ONE, 0], 0)?;
    assert_eq!((sum.f[1], sum.fcsr), (NAN, 0));
    let product = executed(single(0x08, 0), [ONE, ONE, 0], 0)?;
    assert_eq!(product.f[1], ONE, "results are boxed");
    let sign = executed(single(0x10, 0), [ONE, 0xbf80_0000, 0], 0)?;
    assert_eq!(sign.f[1], ONE, "the sign of the canonical NaN");
    let class = executed(r_type(0x53, 1, 0x70, 1, 2, 0), [unboxed, 0, 0], 0)?;
    assert_eq!(class.x[1], 1 << 9);
    let moved = executed(r_type(0x53, 0, 0x70, 1, 2, 0), [0xbf80_0000, 0, 0], 0)?;
    assert_eq!(moved.x[1], BOX | 0xbf80_0000, "moves take the bits");
    Ok(())
}

#[test]
fn minima_of_a_number_and_a_signalling_nan_are_the_number() -> Result<(), RiscvError> {
    for f3 in [0, 1] {
        let of = executed(single(0x14, f3), [SIGNALLING, ONE, 0], 0)?;
        assert_eq!((of.f[1], of.fcsr), (ONE, 16));
        let quiet = executed(single(0x14, f3), [ONE, NAN, 0], 0)?;
        assert_eq!((quiet.f[1], quiet.fcsr), (ONE, 0));
        let none = executed(single(0x14, f3), [NAN, SIGNALLING, 0], 0)?;
        assert_eq!((none.f[1], none.fcsr), (NAN, 16));
    }
    Ok(())
}

#[test]
fn infinity_times_zero_is_invalid_whatever_is_added() -> Result<(), RiscvError> {
    let fused = r_type(0x43, 0, 4 << 2, 1, 2, 3);
    let of = executed(fused, [INFINITY, BOX, NAN], 0)?;
    assert_eq!((of.f[1], of.fcsr), (NAN, 16));
    let defined = executed(fused, [INFINITY, ONE, NAN], 0)?;
    assert_eq!((defined.f[1], defined.fcsr), (NAN, 0));
    Ok(())
}

#[test]
fn a_result_is_tiny_if_it_is_so_with_unbounded_exponent() -> Result<(), RiscvError> {
    const SMALLEST: f64 = f64::MIN_POSITIVE;
    let (inexact, underflow) = (1, 2);
    let below_one = 1.0 - f64::EPSILON / 2.0;
    let scaled = |significand: f64, exponent| significand * 2.0_f64.powi(exponent);
    // Products that round to the smallest normal number: from half a step below, and from much nearer; 3 is upwards.
    let half_a_step = (SMALLEST, below_one);
    let nearer = (
        scaled(1.0 + f64::EPSILON, -600),
        scaled(1.0 - f64::EPSILON, -422),
    );
    for ((a, b), rounding, flags) in [
        (half_a_step, 0, inexact | underflow),
        (half_a_step, 3, inexact | underflow),
        (nearer, 0, inexact),
        (nearer, 3, inexact),
        ((SMALLEST, 1.0 + f64::EPSILON), 0, 0),
    ] {
        let multiply = r_type(0x53, rounding, 0x09, 1, 2, 3);
        let of = executed(multiply, [a.to_bits(), b.to_bits(), 0], 0)?;
        assert_eq!(of.fcsr, flags, "{a:e} × {b:e}, mode {rounding}");
        assert_eq!(of.f[1] >> 52, 1);
    }
    Ok(())
}

#[test]
fn a_root_that_is_not_exact_lies_between_its_roundings() -> Result<(), RiscvError> {
    let root = |rounding| r_type(0x53, rounding, 0x2d, 1, 2, 0);
    // Squares of 53 bits, rounded up: their roots exceed a double by as little as they can.
    let mut significand = 1_u64 << 52;
    for step in 0..3000_u64 {
        significand = (significand + step * 0x9e37_79b9_7f4a) & ((1 << 53) - 1) | 1 << 52;
        let exact = u128::from(significand) * u128::from(significand);
        let bits = 128 - exact.leading_zeros();
        let rounded_up = (exact >> (bits - 53)) + 1;
        let square = (rounded_up as f64) * 2.0_f64.powi(bits.cast_signed() - 53);
        let down = executed(root(2), [square.to_bits(), 0, 0], 0)?;
        let up = executed(root(3), [square.to_bits(), 0, 0], 0)?;
        assert_eq!((down.fcsr, up.fcsr), (1, 1), "{square:e}");
        assert_eq!(up.f[1], down.f[1] + 1, "{square:e}");
        assert_eq!(f64::from_bits(down.f[1]), significand as f64);
    }
    Ok(())
}

/// Doubles that are near each other, near powers of two, or anything.
fn double() -> impl Strategy<Value = u64> {
    let near = (1020_u64..1028, 0_u64..4, any::<bool>())
        .prop_map(|(exponent, low, sign)| u64::from(sign) << 63 | exponent << 52 | low);
    let small =
        (0_u64..3, any::<u32>()).prop_map(|(exponent, low)| exponent << 52 | u64::from(low));
    prop_oneof![
        near,
        small,
        any::<u64>(),
        (0_i32..1 << 20).prop_map(|n| f64::from(n).to_bits())
    ]
}

proptest! {
    #![proptest_config(noccl_testkit::config(1024, 4096))]

    // Native arithmetic runs when the inexact flag is up; software tells it when it is down.
    #[test]
    fn results_do_not_depend_on_flags(
        operation in prop::sample::select(vec![0x01_u32, 0x05, 0x09, 0x0d, 0x2d, 0x43]),
        operands in [double(), double(), double()],
        rounding in 0_u32..5,
    ) {
        let word = match operation {
            0x43 => r_type(0x43, rounding, 4 << 2 | 1, 1, 2, 3),
            0x2d => r_type(0x53, rounding, 0x2d, 1, 2, 0),
            _ => r_type(0x53, rounding, operation, 1, 2, 3),
        };
        let clear = executed(word, operands, 0).expect("a program of one word");
        let raised = executed(word, operands, 1).expect("a program of one word");
        prop_assert_eq!(clear.f[1], raised.f[1]);
        prop_assert_eq!(clear.fcsr | 1, raised.fcsr);
    }
}
