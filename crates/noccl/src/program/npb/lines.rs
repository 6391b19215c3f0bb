// SPDX-License-Identifier: Apache-2.0
//! What kernels print (`programs/npb/report.c`, `programs/nocmsg/counts.c`), read.

use crate::Error;
use noccl_compile::{NpbKernel, NpbLibrary};
use noccl_studies::NpbQuantity;

/// What the library has counted, of all ranks. Cycles include waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub send_cycles: u64,
    pub receive_cycles: u64,
    pub messages: u64,
    pub bytes: u64,
}

/// All that was printed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Printed {
    pub timed_cycles: u64,
    pub quantities: Vec<NpbQuantity>,
    pub verified: Option<bool>,
    /// Absent if the library does not count.
    pub counts: Option<Counts>,
}

/// Reads what all ranks have printed.
///
/// # Errors
/// [`Error`]: the kernel refuses the number of ranks; it has ended otherwise than it should.
pub(super) fn read(
    texts: &[&str],
    kernel: NpbKernel,
    library: NpbLibrary,
) -> Result<Printed, Error> {
    if let Some(refused) = line(texts, "npb refused: ") {
        return Err(Error::argument("--ranks", texts.len(), refused));
    }
    let damaged = || {
        let said = texts.iter().find(|text| !text.is_empty()).unwrap_or(&"");
        Error::argument(
            "KERNELS",
            format!("{} with {}", kernel.name(), library.name()),
            format!(
                "its results cannot be read; accepted: lines of programs/npb; rank 0 printed {said:?}"
            ),
        )
    };
    let verified = match line(texts, "npb verified ").ok_or_else(damaged)? {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    let timed = line(texts, "npb elapsed cycles ").and_then(|text| text.parse().ok());
    let quantities = texts.first().unwrap_or(&"").lines();
    let quantities = quantities.filter_map(|line| line.strip_prefix("npb quantity "));
    let quantities: Option<Vec<_>> = quantities.map(quantity).collect();
    Ok(Printed {
        timed_cycles: timed.ok_or_else(damaged)?,
        quantities: quantities.ok_or_else(damaged)?,
        verified,
        counts: counts(texts),
    })
}

/// What follows these words on rank 0.
fn line<'a>(texts: &[&'a str], begin: &str) -> Option<&'a str> {
    let mut lines = texts.first()?.lines();
    lines.find_map(|line| line.strip_prefix(begin))
}

fn quantity(line: &str) -> Option<NpbQuantity> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next()?.to_owned();
    let mut number = || {
        let word = words.next()?;
        Some(word.parse::<f64>().ok().filter(|value| value.is_finite()))
    };
    let (computed, reference, tolerance, relative_error) =
        (number()??, number()?, number()?, number()?);
    let is_right = match words.next()? {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    Some(NpbQuantity {
        name,
        computed,
        reference,
        tolerance,
        relative_error,
        is_right,
    })
}

fn counts(texts: &[&str]) -> Option<Counts> {
    texts.iter().try_fold(Counts::default(), |sum, text| {
        let line = line(&[*text], "nocmsg counts ")?;
        let mut numbers = line.split(' ').map(|word| word.parse::<u64>().ok());
        let mut next = || numbers.next()?;
        Some(Counts {
            send_cycles: sum.send_cycles + next()?,
            receive_cycles: sum.receive_cycles + next()?,
            messages: sum.messages + next()?,
            bytes: sum.bytes + next()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_has_its_numbers() {
        let read = quantity("zeta 8.5971775078648e+00 8.5971775078648e+00 1.0e-10 0.0e+00 yes");
        let read = read.expect("a whole line");
        assert_eq!(read.reference, Some(8.597_177_507_864_8));
        assert_eq!(read.is_right, Some(true));
        let without = quantity("zeta 8.5971775078648e+00 - - - none").expect("a whole line");
        assert_eq!((without.reference, without.is_right), (None, None));
        assert_eq!(quantity("zeta 8.5 8.5 1e-10"), None);
        assert_eq!(quantity("zeta nan - - - none"), None);
    }

    #[test]
    fn counts_are_summed_over_ranks_and_none_is_left_out() {
        let sum = counts(&["a\nnocmsg counts 1 2 3 4\n", "nocmsg counts 10 20 30 40"]);
        let expected = Counts {
            send_cycles: 11,
            receive_cycles: 22,
            messages: 33,
            bytes: 44,
        };
        assert_eq!(sum, Some(expected));
        assert_eq!(counts(&["nocmsg counts 1 2 3 4", ""]), None);
        assert_eq!(counts(&["nocmsg counts 1 2 3"]), None);
    }
}
