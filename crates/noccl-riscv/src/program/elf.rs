// SPDX-License-Identifier: Apache-2.0
//! ELF files: only 64-bit RISC-V executables that a core can load as they are.
//!
//! A file comes from outside, so nothing in it is believed: offsets are checked by the `elf` crate, addresses and
//! lengths here, before anything of that size is allocated.

use super::{Image, Segment, Surroundings, Symbol};
use crate::error::RiscvError;
use crate::memory::MEMORY_BASE;
use elf::abi::{
    EF_RISCV_FLOAT_ABI_DOUBLE, EF_RISCV_FLOAT_ABI_MASK, EF_RISCV_RVE, EM_RISCV, ET_EXEC, PF_X,
    PT_INTERP, PT_LOAD, STT_FUNC, STT_OBJECT,
};
use elf::endian::{AnyEndian, EndianParse};
use elf::file::{Class, FileHeader};
use elf::segment::ProgramHeader;
use elf::{ElfBytes, ParseError, to_str};

/// First address that is above every memory a core can have.
const HIGHEST: u64 = 0x8000_0000;

type Elf<'a> = ElfBytes<'a, AnyEndian>;

pub(super) fn read(file: &[u8]) -> Result<Image, RiscvError> {
    let damaged = |error: ParseError| RiscvError::NotElf {
        reason: error.to_string(),
    };
    let elf = Elf::minimal_parse(file).map_err(damaged)?;
    check_kind(&elf.ehdr)?;
    let mut segments = Vec::new();
    for (index, segment) in elf.segments().into_iter().flatten().enumerate() {
        match segment.p_type {
            PT_LOAD if segment.p_memsz > 0 => segments.push(load(index, &segment, &elf)?),
            PT_INTERP => {
                return Err(other(
                    "linkage",
                    "dynamic".to_owned(),
                    "static, as `noccl build` links",
                ));
            }
            _ => {}
        }
    }
    segments.sort_by_key(|segment: &Segment| segment.address);
    check_overlaps(&segments)?;
    let symbols = symbols(&elf).map_err(damaged)?;
    Ok(Image {
        entry: elf.ehdr.e_entry,
        segments,
        symbols,
        arguments: Vec::new(),
        surroundings: Surroundings::default(),
    })
}

fn other(what: &'static str, found: String, accepted: &'static str) -> RiscvError {
    RiscvError::OtherKind {
        what,
        found,
        accepted,
    }
}

/// A number of the header with its name, if it has one.
fn named(number: u16, name: Option<&str>) -> String {
    name.map_or_else(|| number.to_string(), |name| format!("{name} ({number})"))
}

fn check_kind(header: &FileHeader<AnyEndian>) -> Result<(), RiscvError> {
    if header.class != Class::ELF64 {
        return Err(other("class", "32 bits".to_owned(), "64 bits"));
    }
    if header.endianness.is_big() {
        return Err(other(
            "byte order",
            "big-endian".to_owned(),
            "little-endian",
        ));
    }
    let machine = header.e_machine;
    if machine != EM_RISCV {
        let found = named(machine, to_str::e_machine_to_str(machine));
        return Err(other("machine", found, "RISC-V (243)"));
    }
    let kind = header.e_type;
    if kind != ET_EXEC {
        let found = named(kind, to_str::e_type_to_str(kind));
        return Err(other("type of file", found, "executable (2)"));
    }
    // Quadruple precision and the embedded register set are other machines.
    let flags = header.e_flags;
    if flags & EF_RISCV_RVE != 0 || flags & EF_RISCV_FLOAT_ABI_MASK > EF_RISCV_FLOAT_ABI_DOUBLE {
        return Err(other(
            "flags",
            format!("{flags:#x}"),
            "RV64 with 32 registers, at most doubles",
        ));
    }
    Ok(())
}

fn load(index: usize, header: &ProgramHeader, elf: &Elf<'_>) -> Result<Segment, RiscvError> {
    let (address, bytes) = (header.p_vaddr, header.p_memsz);
    let refuse = |reason: &str| RiscvError::Segment {
        index,
        address,
        bytes,
        reason: reason.to_owned(),
    };
    let end = address.checked_add(bytes);
    if address < MEMORY_BASE || end.is_none_or(|end| end > HIGHEST) {
        let accepted = format!("accepted: addresses from {MEMORY_BASE:#x} to {HIGHEST:#x}");
        return Err(refuse(&accepted));
    }
    let content = elf.segment_data(header);
    let content = content.map_err(|_| refuse("its content is cut off by the end of the file"))?;
    if content.len() as u64 > bytes {
        return Err(refuse("more content in the file than length in memory"));
    }
    let is_executable = header.p_flags & PF_X != 0;
    if is_executable && !address.is_multiple_of(2) {
        return Err(refuse("code at an odd address; accepted: even addresses"));
    }
    Ok(Segment {
        address,
        memory_bytes: bytes,
        bytes: content.to_vec(),
        is_executable,
    })
}

fn check_overlaps(segments: &[Segment]) -> Result<(), RiscvError> {
    for (index, pair) in segments.windows(2).enumerate() {
        let [low, high] = pair else { continue };
        if low.address + low.memory_bytes > high.address {
            return Err(RiscvError::Segment {
                index: index + 1,
                address: high.address,
                bytes: high.memory_bytes,
                reason: format!(
                    "overlaps the one at {:#x}; accepted: segments apart",
                    low.address
                ),
            });
        }
    }
    Ok(())
}

/// Functions and data with a name, by address.
fn symbols(elf: &Elf<'_>) -> Result<Vec<Symbol>, ParseError> {
    let mut symbols = Vec::new();
    let Some((table, names)) = elf.symbol_table()? else {
        return Ok(symbols);
    };
    for symbol in table {
        let has_address = matches!(symbol.st_symtype(), STT_FUNC | STT_OBJECT);
        if !has_address || symbol.is_undefined() {
            continue;
        }
        let name = names.get_raw(symbol.st_name as usize)?;
        symbols.push(Symbol {
            address: symbol.st_value,
            bytes: symbol.st_size,
            name: String::from_utf8_lossy(name).into_owned(),
        });
    }
    symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    Ok(symbols)
}
