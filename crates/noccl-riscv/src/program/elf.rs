// SPDX-License-Identifier: Apache-2.0
//! ELF files: only 64-bit RISC-V executables that a core can load as they are.
//!
//! A file comes from outside, so nothing in it is believed: offsets are checked by the `object` crate, addresses and
//! lengths here, before anything of that size is allocated.

use super::{Image, Segment, Symbol};
use crate::error::RiscvError;
use crate::memory::MEMORY_BASE;
use object::elf::{
    EM_RISCV, ET_EXEC, FileHeader64, PF_X, PT_INTERP, PT_LOAD, STT_FUNC, STT_OBJECT,
};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use object::{Endianness, elf};

/// First address that is above every memory a core can have.
const HIGHEST: u64 = 0x8000_0000;

type Header = FileHeader64<Endianness>;

pub(super) fn read(file: &[u8]) -> Result<Image, RiscvError> {
    let damaged = |error: object::read::Error| RiscvError::NotElf {
        reason: error.to_string(),
    };
    let header = Header::parse(file).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    check_kind(header, endian)?;
    let mut segments = Vec::new();
    let headers = header.program_headers(endian, file).map_err(damaged)?;
    for (index, segment) in headers.iter().enumerate() {
        match segment.p_type(endian) {
            PT_LOAD if segment.p_memsz(endian) > 0 => {
                segments.push(load(index, segment, endian, file)?);
            }
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
    let entry = header.e_entry(endian);
    let symbols = symbols(header, endian, file).map_err(damaged)?;
    Ok(Image {
        entry,
        segments,
        symbols,
        arguments: Vec::new(),
    })
}

fn other(what: &'static str, found: String, accepted: &'static str) -> RiscvError {
    RiscvError::OtherKind {
        what,
        found,
        accepted,
    }
}

fn check_kind(header: &Header, endian: Endianness) -> Result<(), RiscvError> {
    if endian != Endianness::Little {
        return Err(other(
            "byte order",
            "big-endian".to_owned(),
            "little-endian",
        ));
    }
    let machine = header.e_machine(endian);
    if machine != EM_RISCV {
        return Err(other("machine", format!("{machine:?}"), "RISC-V (243)"));
    }
    let kind = header.e_type(endian);
    if kind != ET_EXEC {
        return Err(other("type of file", format!("{kind:?}"), "executable (2)"));
    }
    // Quadruple precision and the embedded register set are other machines.
    let flags = header.e_flags(endian).0;
    if flags & elf::EF_RISCV_RVE.0 != 0
        || flags & elf::EF_RISCV_FLOAT_ABI > elf::EF_RISCV_FLOAT_ABI_DOUBLE.0
    {
        return Err(other(
            "flags",
            format!("{flags:?}"),
            "RV64 with 32 registers, at most doubles",
        ));
    }
    Ok(())
}

fn load(
    index: usize,
    header: &elf::ProgramHeader64<Endianness>,
    endian: Endianness,
    file: &[u8],
) -> Result<Segment, RiscvError> {
    let address = header.p_vaddr(endian);
    let bytes = header.p_memsz(endian);
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
    let content = header.data(endian, file);
    let content = content.map_err(|()| refuse("its content is cut off by the end of the file"))?;
    if content.len() as u64 > bytes {
        return Err(refuse("more content in the file than length in memory"));
    }
    let is_executable = header.p_flags(endian).0 & PF_X.0 != 0;
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
fn symbols(header: &Header, endian: Endianness, file: &[u8]) -> object::read::Result<Vec<Symbol>> {
    let sections = header.sections(endian, file)?;
    let table = sections.symbols(endian, file, elf::SHT_SYMTAB)?;
    let mut symbols = Vec::new();
    for symbol in table.iter() {
        let is_place = matches!(symbol.st_type(), STT_FUNC | STT_OBJECT);
        if !is_place || symbol.is_undefined(endian) {
            continue;
        }
        let name = table.symbol_name(endian, symbol)?;
        symbols.push(Symbol {
            address: symbol.st_value(endian),
            bytes: symbol.st_size(endian),
            name: String::from_utf8_lossy(name).into_owned(),
        });
    }
    symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    Ok(symbols)
}
