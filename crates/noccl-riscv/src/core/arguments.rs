// SPDX-License-Identifier: Apache-2.0
//! What a program finds at the end of a core's memory: lists of addresses, then the texts and files that they name. The lists are the
//! arguments of `main` and the environment, which end with zero, and files, three words each (name, content, bytes).

use crate::MEMORY_BASE;
use crate::error::RiscvError;
use crate::memory::Memory;
use crate::program::Image;

/// Alignment of the stack, which begins below.
const STACK_ALIGN: u64 = 16;

/// Variables of a C library over which the addresses of lists are written: of the environment, and of files (`programs/runtime`).
const ENVIRONMENT: &str = "environ";
const FILES: &str = "__noccl_files";

/// Where arguments lie.
pub(super) struct Arguments {
    /// How many there are.
    pub count: u64,
    /// First byte of what lies at the end of the memory: the list of arguments, if there are any. The end of the memory if there is
    /// nothing.
    pub address: u64,
}

/// A word of a list.
enum Word {
    Number(u64),
    /// The address of the byte with this index behind the lists.
    Address(u64),
}

/// Lists and what they name.
#[derive(Default)]
struct Block {
    words: Vec<Word>,
    bytes: Vec<u8>,
}

impl Block {
    /// Appends bytes and a word with their address.
    fn name(&mut self, bytes: &[u8]) {
        self.words.push(Word::Address(self.bytes.len() as u64));
        self.bytes.extend_from_slice(bytes);
    }

    fn name_text(&mut self, text: &str) {
        self.name(text.as_bytes());
        self.bytes.push(0);
    }

    /// A list of texts, and where it begins; none without texts.
    fn list(&mut self, texts: &[String]) -> Option<u64> {
        let begin = 8 * self.words.len() as u64;
        texts.iter().for_each(|text| self.name_text(text));
        let is_list = !texts.is_empty();
        self.words.extend(is_list.then_some(Word::Number(0)));
        is_list.then_some(begin)
    }

    fn lists_bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    fn len_bytes(&self) -> u64 {
        let bytes = self.lists_bytes() + self.bytes.len() as u64;
        bytes.next_multiple_of(STACK_ALIGN)
    }

    /// What lies at an address.
    fn content(&self, address: u64) -> Vec<u8> {
        let first = address + self.lists_bytes();
        let words = self.words.iter().flat_map(|word| match word {
            Word::Number(number) => number.to_le_bytes(),
            Word::Address(index) => (first + index).to_le_bytes(),
        });
        words.chain(self.bytes.iter().copied()).collect()
    }
}

/// Writes the arguments of a program and its surroundings into a memory that holds its segments.
///
/// # Errors
/// [`RiscvError::Arguments`] if they do not fit behind the segments.
pub(super) fn place(image: &Image, memory: &mut Memory) -> Result<Arguments, RiscvError> {
    let mut block = Block::default();
    block.list(&image.arguments);
    let environment = block.list(&image.surroundings.environment);
    let files = list_files(&mut block, image);
    let (bytes, end) = (block.len_bytes(), memory.len_bytes());
    let ends = image
        .segments
        .iter()
        .map(|s| s.address.saturating_add(s.memory_bytes));
    let used = ends
        .max()
        .unwrap_or(MEMORY_BASE)
        .saturating_sub(MEMORY_BASE);
    let refused = RiscvError::Arguments {
        bytes,
        available_bytes: end.saturating_sub(used),
    };
    let address = MEMORY_BASE + end.saturating_sub(bytes);
    if bytes > 0 && used.saturating_add(bytes) > end {
        return Err(refused);
    }
    let content = block.content(address);
    let place = memory.write(address, content.len() as u64).ok_or(refused)?;
    place.copy_from_slice(&content);
    for (name, list) in [(ENVIRONMENT, environment), (FILES, files)] {
        let symbol = image.symbols.iter().find(|symbol| symbol.name == name);
        if let (Some(symbol), Some(list)) = (symbol, list)
            && let Some(place) = memory.write(symbol.address, 8)
        {
            place.copy_from_slice(&(address + list).to_le_bytes());
        }
    }
    let count = image.arguments.len() as u64;
    Ok(Arguments { count, address })
}

/// The list of files, and where it begins; none without files.
fn list_files(block: &mut Block, image: &Image) -> Option<u64> {
    let files = &image.surroundings.files;
    let begin = block.lists_bytes();
    for file in files {
        block.name_text(&file.name);
        block.name(&file.content);
        block.words.push(Word::Number(file.content.len() as u64));
    }
    if files.is_empty() {
        return None;
    }
    block.words.extend([0; 3].map(Word::Number));
    Some(begin)
}
