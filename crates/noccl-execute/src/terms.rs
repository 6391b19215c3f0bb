// SPDX-License-Identifier: Apache-2.0
//! What ranks have to agree on when they call a collective.

use crate::function::{Element, Fold, Function};
use noccl_program::Agreed;
use std::fmt;

/// What all ranks have to agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) function: Function,
    pub(crate) fold: Fold,
    pub(crate) element: Element,
    pub(crate) bytes: u64,
    pub(crate) root: u64,
    /// Is it non-blocking?
    pub(crate) is_nonblocking: bool,
}

impl Agreed for Terms {
    fn fits(&self, other: &Self) -> bool {
        let function = self.function;
        function == other.function
            && self.is_nonblocking == other.is_nonblocking
            && (!function.has_root() || self.root == other.root)
            && (!function.has_bytes() || self.bytes == other.bytes)
            && (!function.reduces() || (self.fold, self.element) == (other.fold, other.element))
    }
}

impl Terms {
    /// Its name in MPI, without `MPI_`.
    pub(crate) fn name(&self) -> String {
        match self.is_nonblocking {
            true => format!("I{}", self.function.name().to_lowercase()),
            false => self.function.name().to_owned(),
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MPI_{}", self.name())?;
        if self.function.has_bytes() {
            write!(f, " of {} bytes", self.bytes)?;
        }
        if self.function.has_root() {
            write!(f, " with root {}", self.root)?;
        }
        if self.function.reduces() {
            write!(f, ", {} of {}", self.fold.name(), self.element.name())?;
        }
        Ok(())
    }
}
