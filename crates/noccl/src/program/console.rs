// SPDX-License-Identifier: Apache-2.0
//! What a rank of a compiled program prints: standard output and standard error, taken apart.
//!
//! A core has one console. The runtime puts a mark before each character of standard error (`programs/runtime/src/streams.c`).

/// Mark before a character of standard error: ASCII's shift out.
const ERROR_MARK: u8 = 0x0e;

/// What a rank has printed; bytes that are no UTF-8 are replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsoleStreams {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

impl ConsoleStreams {
    /// Takes the bytes of a console apart.
    #[must_use]
    pub fn of(console: &[u8]) -> Self {
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let mut bytes = console.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                ERROR_MARK => errors.extend(bytes.next()),
                other => output.push(other),
            }
        }
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            output: text(output),
            errors: text(errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_bytes_are_standard_error_in_their_order() {
        let printed = ConsoleStreams::of(b"one\x0eb\x0ea\x0ed two\xff\x0e");
        assert_eq!(printed.output, "one two\u{fffd}");
        assert_eq!(printed.errors, "bad");
    }
}
