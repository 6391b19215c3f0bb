// SPDX-License-Identifier: Apache-2.0
//! Arguments, environment and files lie at the end of the memory, where the program's variables say.

use crate::common::{COSTS, DATA, EBREAK, MEMORY_BYTES, image};
use noccl_riscv::{Core, GivenFile, MEMORY_BASE, Program, RiscvError, Surroundings, Symbol};

/// Where the variable of the environment is; behind it that of files.
const ENVIRONMENT: u64 = DATA;
const FILES: u64 = DATA + 8;

fn core(arguments: &[&str], surroundings: Surroundings) -> Result<Core, RiscvError> {
    let symbol = |name: &str, address| Symbol {
        address,
        bytes: 8,
        name: name.to_owned(),
    };
    let mut image = image(&[EBREAK]);
    image.symbols = vec![
        symbol("environ", ENVIRONMENT),
        symbol("__noccl_files", FILES),
    ];
    image.arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
    image.surroundings = surroundings;
    Core::new(&Program::new(image, &COSTS)?, MEMORY_BYTES, 0)
}

fn word(core: &Core, address: u64) -> u64 {
    let bytes = core.read(address, 8).unwrap();
    u64::from_le_bytes(bytes.try_into().unwrap())
}

fn text(core: &Core, address: u64, bytes: u64) -> &[u8] {
    core.read(address, bytes).unwrap()
}

#[test]
fn lists_name_what_lies_behind_them() {
    let files = [("a.txt", &b"hello"[..]), ("empty", b"")];
    let file = |(name, content): (&str, &[u8])| GivenFile {
        name: name.to_owned(),
        content: content.to_vec(),
    };
    let given = Surroundings {
        environment: vec!["SIZE=12".to_owned(), "X=".to_owned()],
        files: files.map(file).to_vec(),
    };
    let core = core(&["program", "-v"], given).unwrap();
    let (count, list) = (core.registers.x[11], core.registers.x[12]);
    assert_eq!((count, list, list % 16), (2, core.registers.x[2], 0));
    assert_eq!(text(&core, word(&core, list + 8), 3), b"-v\0");
    assert_eq!(word(&core, list + 16), 0);
    let environment = word(&core, ENVIRONMENT);
    assert_eq!(text(&core, word(&core, environment), 8), b"SIZE=12\0");
    assert_eq!(text(&core, word(&core, environment + 8), 3), b"X=\0");
    assert_eq!(word(&core, environment + 16), 0);
    let table = word(&core, FILES);
    let row = |index: u64| [0, 8, 16].map(|at| word(&core, table + 24 * index + at));
    let [name, content, bytes] = row(0);
    assert_eq!(text(&core, name, 6), b"a.txt\0");
    assert_eq!((text(&core, content, 5), bytes), (&b"hello"[..], 5));
    assert_eq!((text(&core, row(1)[0], 6), row(1)[2]), (&b"empty\0"[..], 0));
    assert_eq!(row(2)[0], 0);
}

#[test]
fn without_surroundings_variables_and_memory_stay_as_they_are() {
    let core = core(&[], Surroundings::default()).unwrap();
    assert_eq!((core.registers.x[11], core.registers.x[12]), (0, 0));
    assert_eq!(core.registers.x[2], MEMORY_BASE + MEMORY_BYTES);
    assert_eq!((word(&core, ENVIRONMENT), word(&core, FILES)), (0, 0));
}

#[test]
fn files_that_do_not_fit_are_refused_with_both_lengths() {
    let given = Surroundings {
        environment: Vec::new(),
        files: vec![GivenFile {
            name: "big".to_owned(),
            content: vec![0; MEMORY_BYTES as usize],
        }],
    };
    let refused = core(&[], given).unwrap_err().to_string();
    assert!(
        refused.contains("files included") && refused.contains("--program-memory"),
        "{refused}"
    );
}
