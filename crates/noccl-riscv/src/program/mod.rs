// SPDX-License-Identifier: Apache-2.0
//! A program: what an ELF file holds, and its code decoded for a machine's costs.
//!
//! Cores share it. Code cannot be written, so that what was decoded once stays right.

mod elf;

use crate::cost::CostTable;
use crate::decode;
use crate::error::RiscvError;
use crate::instruction::Instruction;
use crate::memory::Memory;
use serde::Serialize;

/// What a program file says: segments, entry and symbols.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Address of the first instruction.
    pub entry: u64,
    /// What is loaded, by address; no two overlap.
    pub segments: Vec<Segment>,
    /// Functions and data, by address.
    pub symbols: Vec<Symbol>,
    /// What `main` gets, the program's name first; no file says so.
    pub arguments: Vec<String>,
    /// What else a program finds; no file says so either.
    #[serde(skip_serializing_if = "Surroundings::is_empty")]
    pub surroundings: Surroundings,
}

/// What a program finds besides its arguments, where its library has the variables for it (`programs/runtime`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Surroundings {
    /// Its environment: `NAME=VALUE`.
    pub environment: Vec<String>,
    /// Files in its memory.
    pub files: Vec<GivenFile>,
}

/// A file that a program finds in its memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GivenFile {
    /// What the program calls it.
    pub name: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl Surroundings {
    fn is_empty(&self) -> bool {
        self.environment.is_empty() && self.files.is_empty()
    }
}

/// A part of memory that a program fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// First byte.
    pub address: u64,
    /// Length in memory, which may exceed that of `bytes`; the rest is zero.
    pub memory_bytes: u64,
    /// Content.
    pub bytes: Vec<u8>,
    /// Holds code, which cannot be written.
    pub is_executable: bool,
}

/// A name for an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// First byte.
    pub address: u64,
    /// Length; zero if unknown.
    pub bytes: u64,
    /// Name in the source.
    pub name: String,
}

impl Image {
    /// Reads a 64-bit RISC-V executable.
    ///
    /// # Errors
    /// It is no such file, or a segment cannot be loaded; a damaged file is refused, whatever is wrong with it.
    pub fn from_elf(file: &[u8]) -> Result<Self, RiscvError> {
        elf::read(file)
    }

    /// Does the program contain a symbol of this name?
    #[must_use]
    pub fn has_symbol(&self, name: &str) -> bool {
        self.symbols.iter().any(|symbol| symbol.name == name)
    }

    /// The symbol that an address belongs to, and the distance from its start.
    #[must_use]
    pub fn symbol_at(&self, address: u64) -> Option<(&Symbol, u64)> {
        let after = self
            .symbols
            .partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols.get(after.checked_sub(1)?)?;
        let distance = address - symbol.address;
        (symbol.bytes == 0 || distance < symbol.bytes).then_some((symbol, distance))
    }

    /// An address of the program as messages name it: the symbol and the bytes behind it, if there is one.
    #[must_use]
    pub fn place_of(&self, address: u64) -> String {
        match self.symbol_at(address) {
            Some((symbol, offset)) => format!("{}+{offset:#x} ({address:#x})", symbol.name),
            None => format!("{address:#x}"),
        }
    }

    /// Fills a memory.
    ///
    /// # Errors
    /// A segment does not fit.
    pub(crate) fn place(&self, memory: &mut Memory) -> Result<(), RiscvError> {
        for (index, segment) in self.segments.iter().enumerate() {
            let length = segment.memory_bytes;
            let refusal = RiscvError::Segment {
                index,
                address: segment.address,
                bytes: length,
                reason: format!(
                    "outside the core's memory, which has {} bytes from {:#x} on; accepted: a larger --program-memory, or a smaller program",
                    memory.len_bytes(),
                    crate::MEMORY_BASE
                ),
            };
            let place = memory.write(segment.address, length).ok_or(refusal)?;
            let content = place.iter_mut().zip(&segment.bytes);
            content.for_each(|(byte, new)| *byte = *new);
        }
        Ok(())
    }
}

/// A program that cores execute.
#[derive(Debug, Clone)]
pub struct Program {
    image: Image,
    costs: CostTable,
    code_base: u64,
    /// End of the last executable segment in memory.
    code_end: u64,
    /// Bytes from the first to the last executable segment; between them zero, which is no instruction.
    code: Vec<u8>,
    /// A record per halfword of `code`.
    instructions: Vec<Instruction>,
}

/// Most bytes between the first and the last byte of code: a record takes eight times the memory of what it decodes.
const MOST_CODE_BYTES: u64 = 64 << 20;

impl Program {
    /// Decodes a program.
    ///
    /// # Errors
    /// The entry is not in code, or the code spans more than 64 MiB.
    pub fn new(image: Image, costs: &CostTable) -> Result<Self, RiscvError> {
        let is_entered = |segment: &&Segment| {
            let distance = image.entry.wrapping_sub(segment.address);
            segment.is_executable && distance < segment.bytes.len() as u64
        };
        if !image.entry.is_multiple_of(2) || image.segments.iter().find(is_entered).is_none() {
            return Err(RiscvError::Entry { entry: image.entry });
        }
        let executable = || {
            image
                .segments
                .iter()
                .filter(|segment| segment.is_executable)
        };
        let end = |segment: &Segment| segment.address + segment.bytes.len() as u64;
        let code_base = executable().map(|segment| segment.address).min();
        let code_base = code_base.unwrap_or(image.entry) & !1;
        let code_bytes = executable().map(end).max().unwrap_or(code_base) - code_base;
        let length = usize::try_from(code_bytes)
            .ok()
            .filter(|_| code_bytes <= MOST_CODE_BYTES);
        let length = length.ok_or_else(|| RiscvError::Segment {
            index: 0,
            address: code_base,
            bytes: code_bytes,
            reason: format!("code is too far apart; accepted: {MOST_CODE_BYTES} bytes"),
        })?;
        let ends = executable().map(|segment| segment.address + segment.memory_bytes);
        let code_end = ends.max().unwrap_or(code_base);
        let mut code = vec![0; length];
        for segment in executable() {
            let start = (segment.address - code_base) as usize;
            let places = code.iter_mut().skip(start).zip(&segment.bytes);
            places.for_each(|(byte, new)| *byte = *new);
        }
        let mut instructions: Vec<Instruction> = (0..code.len() / 2)
            .map(|half| decode::decode(&code[2 * half..], costs))
            .collect();
        mark_gaps(&image, code_base, &mut instructions);
        Ok(Self {
            image,
            costs: *costs,
            code_base,
            code_end,
            code,
            instructions,
        })
    }

    /// What the file says.
    #[must_use]
    pub const fn image(&self) -> &Image {
        &self.image
    }

    /// What instructions cost.
    #[must_use]
    pub const fn costs(&self) -> &CostTable {
        &self.costs
    }

    #[inline(always)]
    pub(crate) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    pub(crate) const fn code_base(&self) -> u64 {
        self.code_base
    }

    pub(crate) const fn code_end(&self) -> u64 {
        self.code_end
    }

    pub(crate) fn instruction_at(&self, pc: u64) -> Option<&Instruction> {
        let half = pc.wrapping_sub(self.code_base) >> 1;
        self.instructions.get(usize::try_from(half).ok()?)
    }

    /// Whether an executable segment has this byte.
    pub(crate) fn is_code(&self, address: u64) -> bool {
        self.image.segments.iter().any(|segment| {
            segment.is_executable && address.wrapping_sub(segment.address) < segment.memory_bytes
        })
    }

    /// Whether some of these bytes are in executable segments.
    pub(crate) fn has_code_in(&self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes);
        self.image.segments.iter().any(|segment| {
            let segment_end = segment.address.saturating_add(segment.memory_bytes);
            segment.is_executable && address < segment_end && segment.address < end
        })
    }

    /// The bits of the instruction at an address, for messages.
    pub(crate) fn word_at(&self, pc: u64) -> u32 {
        let start = pc.wrapping_sub(self.code_base) as usize;
        let byte = |offset: usize| self.code.get(start.wrapping_add(offset)).copied();
        let half = |at: usize| {
            // 0: no bits outside of the code.
            let (low, high) = (byte(at).unwrap_or(0), byte(at + 1).unwrap_or(0));
            u32::from(u16::from_le_bytes([low, high]))
        };
        if half(0) & 3 == 3 {
            half(0) | half(2) << 16
        } else {
            half(0)
        }
    }
}

/// Between executable segments there is nothing to execute.
fn mark_gaps(image: &Image, code_base: u64, instructions: &mut [Instruction]) {
    let mut covered = vec![false; instructions.len()];
    for segment in image
        .segments
        .iter()
        .filter(|segment| segment.is_executable)
    {
        let start = ((segment.address - code_base) / 2) as usize;
        let halves = covered.iter_mut().skip(start).take(segment.bytes.len() / 2);
        halves.for_each(|half| *half = true);
    }
    for (instruction, covered) in instructions.iter_mut().zip(covered) {
        if !covered {
            instruction.operation = crate::instruction::Operation::NoCode;
        }
    }
}
