// SPDX-License-Identifier: Apache-2.0
//! What only some planes have, which must cost the others nothing: flits behind the first two of a FIFO, stages of long links.
//!
//! The phases of a cycle are compiled twice: once for FIFOs of two slots and links of one cycle, where [`May`] holds nothing
//! and takes no space, and once for any sizes. Parts of phases are made and moved in every cycle: with fields that are empty
//! and never used, a cycle of a mesh of 4×4 took an eighth more instructions.

use std::marker::PhantomData;

/// Sizes for which the phases are compiled.
pub(crate) trait Sizes: 'static {
    /// A field that only other sizes need.
    type May<T: Send>: May<T>;
}

/// Perhaps a value.
pub(crate) trait May<T>: Send {
    fn new(value: impl FnOnce() -> Option<T>) -> Self;
    fn get(&self) -> Option<&T>;
    fn get_mut(&mut self) -> Option<&mut T>;
}

/// FIFOs of two slots and links of one cycle.
pub(crate) struct TwoSlots;

/// FIFOs and links of any sizes.
pub(crate) struct AnySizes;

/// No value, known when the program is compiled.
pub(crate) struct Nothing<T>(PhantomData<T>);

impl Sizes for TwoSlots {
    type May<T: Send> = Nothing<T>;
}

impl Sizes for AnySizes {
    type May<T: Send> = Option<Box<T>>;
}

impl<T: Send> May<T> for Nothing<T> {
    #[inline(always)]
    fn new(_: impl FnOnce() -> Option<T>) -> Self {
        Self(PhantomData)
    }

    #[inline(always)]
    fn get(&self) -> Option<&T> {
        None
    }

    #[inline(always)]
    fn get_mut(&mut self) -> Option<&mut T> {
        None
    }
}

impl<T: Send> May<T> for Option<Box<T>> {
    fn new(value: impl FnOnce() -> Option<T>) -> Self {
        value().map(Box::new)
    }

    fn get(&self) -> Option<&T> {
        self.as_deref()
    }

    fn get_mut(&mut self) -> Option<&mut T> {
        self.as_deref_mut()
    }
}
