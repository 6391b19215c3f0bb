// SPDX-License-Identifier: Apache-2.0
//! What users write, read into types: files, specs, names, sets of tiles, sizes; and back as tables show it.

use crate::Error;

pub use files::{
    Loaded, MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES, check_output, load, load_spec,
    parse_json, parse_lengths, parse_schedule, preset_names, read_definition, read_json,
    read_schedule, read_text, read_trace, spec_of_text, write_bytes, write_file,
};
pub use names::{
    default_root, group_name, members, parse_collective, parse_element, parse_group, parse_mode,
    parse_operator, parse_override, parse_pattern, parse_root, parse_set, parse_threads,
    parse_tile, root_name, word,
};

mod files;
mod names;
pub(crate) mod words;

// Sizes as users write them: `4096`, `1KiB`, `2MiB`.

/// A unit, its bytes, and whether elsewhere it may mean a power of ten. Longer names first: `KB` ends in `B`.
const UNITS: [(&str, u64, bool); 12] = [
    ("KiB", 1 << 10, false),
    ("MiB", 1 << 20, false),
    ("GiB", 1 << 30, false),
    ("KB", 1 << 10, true),
    ("kB", 1 << 10, true),
    ("MB", 1 << 20, true),
    ("GB", 1 << 30, true),
    ("K", 1 << 10, true),
    ("k", 1 << 10, true),
    ("M", 1 << 20, true),
    ("G", 1 << 30, true),
    ("B", 1, false),
];

/// Reads a size in bytes. 1 KiB is 1024 bytes, and so are 1KB and 1K, as in other libraries' tests; [`size_note`] says what was read.
///
/// # Errors
/// [`Error::Argument`] naming the accepted forms.
///
/// ```
/// assert_eq!(noccl_studies::parse_bytes("2KiB")?, 2048);
/// assert_eq!(noccl_studies::parse_bytes("2KB")?, 2048);
/// assert!(noccl_studies::parse_bytes("2 bits").is_err());
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn parse_bytes(text: &str) -> Result<u64, Error> {
    let wrong = || {
        Error::argument(
            "--bytes",
            text,
            "accepted: a whole number of bytes, alone or with B, KiB, MiB or GiB, e.g. 4096 or 4KiB",
        )
    };
    let (digits, factor, _) = split_unit(text);
    let count: u64 = digits.trim_end().parse().map_err(|_| wrong())?;
    count.checked_mul(factor).ok_or_else(wrong)
}

/// What stands before the unit, the unit's bytes, and whether elsewhere it may mean something else.
fn split_unit(text: &str) -> (&str, u64, bool) {
    let trimmed = text.trim();
    let mut units = UNITS.iter();
    units
        .find_map(|(unit, factor, is_loose)| {
            let (digits, written) =
                trimmed.split_at_checked(trimmed.len().checked_sub(unit.len())?)?;
            // One letter alone may mean something else in the other case: b is a bit.
            let is_unit =
                written == *unit || (unit.len() > 1 && written.eq_ignore_ascii_case(unit));
            is_unit.then_some((digits, *factor, *is_loose || written != *unit))
        })
        .unwrap_or((trimmed, 1, false))
}

/// What a reader should know about a size that [`parse_bytes`] accepts: a unit that elsewhere may mean 1000 bytes.
///
/// ```
/// assert_eq!(noccl_studies::size_note("4KiB"), None);
/// assert_eq!(noccl_studies::size_note("4KB").unwrap(), "4KB is read as 4 KiB, 4096 bytes");
/// ```
#[must_use]
pub fn size_note(text: &str) -> Option<String> {
    let (_, _, is_loose) = split_unit(text);
    let bytes = parse_bytes(text).ok().filter(|_| is_loose)?;
    let size = format_bytes(bytes);
    Some(format!("{} is read as {size}, {bytes} bytes", text.trim()))
}

/// A size as users read it: the largest unit that divides it.
#[must_use]
pub fn format_bytes(bytes: u64) -> String {
    UNITS[..3]
        .iter()
        .rev()
        .find(|(_, factor, _)| bytes >= *factor && bytes.is_multiple_of(*factor))
        .map_or_else(
            || format!("{bytes} B"),
            |(unit, factor, _)| format!("{} {unit}", bytes / factor),
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
    fn loose_units_are_read_as_powers_of_two_with_a_note() {
        for (text, bytes) in [
            ("1K", 1 << 10),
            ("3kB", 3 << 10),
            ("2 MB", 2 << 20),
            ("1G", 1 << 30),
            ("32kib", 32 << 10),
            ("2mb", 2 << 20),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
            assert!(size_note(text).unwrap().contains(&bytes.to_string()));
        }
        for text in ["1", "1B", "1KiB", "x", "9999999999999G"] {
            assert_eq!(size_note(text), None, "{text}");
        }
    }

    #[test]
    fn unknown_or_overflowing_sizes_are_refused() {
        for text in [
            "",
            "KiB",
            "1Ki",
            "1 kilobyte",
            "-1",
            "1.5KiB",
            "18446744073709551615KiB",
        ] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
