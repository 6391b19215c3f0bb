// SPDX-License-Identifier: Apache-2.0
//! Sizes as users write them: `4096`, `1KiB`, `2MiB`.

use crate::Error;

const UNITS: [(&str, u64); 4] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("B", 1),
];

/// Reads a size in bytes. 1 KiB is 1024 bytes; other units (kB, K) are refused because they are ambiguous.
///
/// # Errors
/// [`Error::Argument`] naming the accepted forms.
///
/// ```
/// assert_eq!(noccl::parse_bytes("2KiB")?, 2048);
/// assert!(noccl::parse_bytes("2kB").is_err());
/// # Ok::<(), noccl::Error>(())
/// ```
pub fn parse_bytes(text: &str) -> Result<u64, Error> {
    let wrong = || {
        Error::argument(
            "--bytes",
            text,
            "a whole number of bytes, alone or with B, KiB, MiB or GiB, e.g. 4096 or 4KiB",
        )
    };
    let trimmed = text.trim();
    let (digits, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| trimmed.strip_suffix(unit).map(|d| (d, *factor)))
        .unwrap_or((trimmed, 1));
    let count: u64 = digits.trim_end().parse().map_err(|_| wrong())?;
    count.checked_mul(factor).ok_or_else(wrong)
}

/// A size as users read it: the largest unit that divides it.
#[must_use]
pub fn format_bytes(bytes: u64) -> String {
    UNITS[..3]
        .iter()
        .rev()
        .find(|(_, factor)| bytes >= *factor && bytes.is_multiple_of(*factor))
        .map_or_else(
            || format!("{bytes} B"),
            |(unit, factor)| format!("{} {unit}", bytes / factor),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_back_what_was_written() {
        for bytes in [1, 63, 1024, 1536, 32 << 10, 1 << 20, 3 << 30] {
            let text = format_bytes(bytes).replace(' ', "");
            assert_eq!(parse_bytes(&text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn ambiguous_or_overflowing_sizes_are_refused() {
        for text in [
            "",
            "KiB",
            "1kB",
            "1K",
            "-1",
            "1.5KiB",
            "18446744073709551615KiB",
        ] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
