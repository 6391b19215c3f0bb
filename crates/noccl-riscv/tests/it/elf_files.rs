// SPDX-License-Identifier: Apache-2.0
//! Files come from outside: what is a program is loaded, anything else is refused with a reason.

use crate::common::{EBREAK, addi};
use noccl_riscv::{Core, CostTable, Image, MEMORY_BASE, Program, RiscvError, Stopped};
use proptest::prelude::*;

/// A program header.
#[derive(Clone)]
struct Load {
    kind: u32,
    flags: u32,
    address: u64,
    bytes: Vec<u8>,
    memory_bytes: u64,
}

/// An ELF file with headers of our choice, one function symbol `main` at the entry.
fn file(machine: u16, kind: u16, loads: &[Load]) -> Vec<u8> {
    let contents: Vec<u8> = loads.iter().flat_map(|load| load.bytes.clone()).collect();
    let first = 64 + 56 * loads.len() as u64;
    let tables = first + contents.len() as u64;
    let names = b"\0main\0";
    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1];
    file.resize(16, 0);
    file.extend([kind.to_le_bytes(), machine.to_le_bytes()].concat());
    file.extend(1_u32.to_le_bytes());
    // Entry, program headers, section headers behind the symbols (two) and their names.
    for value in [MEMORY_BASE, 64, tables + 48 + names.len() as u64] {
        file.extend(value.to_le_bytes());
    }
    file.extend(5_u32.to_le_bytes());
    for value in [64, 56, loads.len() as u16, 64, 3, 2] {
        file.extend(u16::to_le_bytes(value));
    }
    let mut offset = first;
    for load in loads {
        file.extend([load.kind.to_le_bytes(), load.flags.to_le_bytes()].concat());
        let length = load.bytes.len() as u64;
        for value in [
            offset,
            load.address,
            load.address,
            length,
            load.memory_bytes,
            1,
        ] {
            file.extend(value.to_le_bytes());
        }
        offset += length;
    }
    file.extend(contents);
    file.extend([0; 24]);
    file.extend([1, 0, 0, 0, 0x12, 0, 1, 0]);
    file.extend([MEMORY_BASE.to_le_bytes(), 8_u64.to_le_bytes()].concat());
    file.extend(names);
    file.extend([0; 64]);
    section(&mut file, 2, tables, 48, 2);
    section(&mut file, 3, tables + 48, names.len() as u64, 0);
    file
}

fn section(file: &mut Vec<u8>, kind: u32, offset: u64, bytes: u64, link: u32) {
    file.extend([0_u32.to_le_bytes(), kind.to_le_bytes()].concat());
    for value in [0, 0, offset, bytes] {
        file.extend(u64::to_le_bytes(value));
    }
    file.extend([link.to_le_bytes(), 0_u32.to_le_bytes()].concat());
    file.extend([1_u64.to_le_bytes(), 24_u64.to_le_bytes()].concat());
}

const RISCV: u16 = 243;
const EXECUTABLE: u16 = 2;
const DATA: u64 = MEMORY_BASE + 0x1000;

fn loads() -> [Load; 2] {
    let words = [addi(1, 1, 5), EBREAK];
    let code = Load {
        kind: 1,
        flags: 5,
        address: MEMORY_BASE,
        bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        memory_bytes: 8,
    };
    let data = Load {
        kind: 1,
        flags: 6,
        address: DATA,
        bytes: vec![1, 2, 3],
        memory_bytes: 0x20,
    };
    [code, data]
}

fn machine(file: &[u8], memory_bytes: u64) -> Result<(Program, Core), RiscvError> {
    let program = Program::new(Image::from_elf(file)?, &CostTable::uniform(1))?;
    let core = Core::new(&program, memory_bytes, 0)?;
    Ok((program, core))
}

#[test]
fn a_program_is_loaded_with_its_symbols() -> Result<(), RiscvError> {
    let (program, mut core) = machine(&file(RISCV, EXECUTABLE, &loads()), 0x2000)?;
    assert!(matches!(core.run(&program, 100), Stopped::Trap(_)));
    assert_eq!(core.registers.x[1], 5);
    assert_eq!(
        core.registers.x[2],
        MEMORY_BASE + 0x2000,
        "the stack begins at the end"
    );
    assert_eq!(core.memory.read(DATA, 5), Some(&[1, 2, 3, 0, 0][..]));
    let name = |address| {
        program
            .image()
            .symbol_at(address)
            .map(|(s, at)| (s.name.clone(), at))
    };
    assert_eq!(name(MEMORY_BASE + 4), Some(("main".to_owned(), 4)));
    assert_eq!((name(MEMORY_BASE + 8), name(0)), (None, None));
    Ok(())
}

fn refusal(file: &[u8], memory_bytes: u64) -> String {
    match machine(file, memory_bytes) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_refused_says_what_would_be_accepted() {
    let with = |change: fn(&mut [Load; 2])| {
        let mut loads = loads();
        change(&mut loads);
        refusal(&file(RISCV, EXECUTABLE, &loads), 0x2000)
    };
    let cases = [
        (refusal(b"#!/bin/sh", 4096), "not a readable ELF file"),
        (
            refusal(&file(62, EXECUTABLE, &loads()), 4096),
            "accepted: RISC-V",
        ),
        (
            refusal(&file(RISCV, 3, &loads()), 4096),
            "accepted: executable",
        ),
        (
            refusal(&file(RISCV, EXECUTABLE, &loads()), 0x1000),
            "4096 bytes from 0x10000000 on",
        ),
        (
            refusal(&file(RISCV, EXECUTABLE, &loads()), 4100),
            "a multiple of 8",
        ),
        (
            refusal(&file(RISCV, EXECUTABLE, &loads()), 1 << 40),
            "accepted: 4096 to",
        ),
        (
            with(|loads| loads[1].address = 0x1000),
            "accepted: addresses from",
        ),
        (
            with(|loads| loads[1].address = u64::MAX),
            "accepted: addresses from",
        ),
        (
            with(|loads| loads[1].memory_bytes = 1 << 40),
            "accepted: addresses from",
        ),
        (
            with(|loads| loads[1].address = MEMORY_BASE + 4),
            "overlaps the one at 0x10000000",
        ),
        (
            with(|loads| loads[1].memory_bytes = 2),
            "more content in the file",
        ),
        (
            with(|loads| loads[0].address += 1),
            "code at an odd address",
        ),
        (
            with(|loads| loads[0].address += 2),
            "entry 0x10000000 is not in",
        ),
        (
            with(|loads| loads[0].flags = 6),
            "entry 0x10000000 is not in",
        ),
        (with(|loads| loads[1].kind = 3), "linkage is dynamic"),
        (
            with(|loads| (loads[1].flags, loads[1].address) = (5, 0x7fff_0000)),
            "code is too far apart",
        ),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

#[test]
fn every_truncation_is_refused_or_loses_nothing() -> Result<(), RiscvError> {
    let whole = file(RISCV, EXECUTABLE, &loads());
    let image = Image::from_elf(&whole)?;
    for length in 0..whole.len() {
        match Image::from_elf(&whole[..length]) {
            Ok(cut) => assert_eq!(cut, image, "{length} bytes"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(noccl_testkit::config(500, 2000))]

    #[test]
    fn damaged_files_are_refused_or_run(places in prop::collection::vec((any::<u16>(), any::<u8>()), 1..12)) {
        let mut file = file(RISCV, EXECUTABLE, &loads());
        let length = file.len();
        for (place, byte) in places {
            file[usize::from(place) % length] = byte;
        }
        if let Ok((program, mut core)) = machine(&file, 1 << 16) {
            core.run(&program, 1000);
        }
    }

    #[test]
    fn random_code_ends_in_a_value(words in prop::collection::vec(any::<u32>(), 1..64), hart in any::<u64>()) {
        let program = Program::new(crate::common::image(&words), &crate::common::COSTS).expect("code at the entry");
        let mut core = Core::new(&program, 4096, hart).expect("64 words fit");
        core.run(&program, 10_000);
    }

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Image::from_elf(&bytes).is_err());
    }
}
