// SPDX-License-Identifier: Apache-2.0
//! Every number of a spec with what is accepted in its place: the one list of ranges.
//!
//! [`validate`](crate::validate) refuses by it, and tests draw from it. A range may depend on the other values of the spec
//! (a buffer on the longest burst, a limit on another); what needs geometry belongs to elaboration.

mod cluster;
mod cores;
mod ni;

use crate::{AxiTiles, Mesh, OutOfRange, Region, Spec, TileKindName, Tiles};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

/// Addresses have 48 bits (S1 §2.2).
pub const MAX_ADDRESS: u64 = (1 << 48) - 1;

/// A number of a spec.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Number {
    /// Counts, cycles, bytes.
    Whole(u64),
    /// Clock and energies.
    Fraction(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(n) => n.fmt(f),
            Number::Fraction(x) => x.fmt(f),
        }
    }
}

/// Which numbers between the ends of a range are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All.
    Any,
    /// Powers of two.
    PowerOfTwo,
    /// Multiples of the smallest, the wide beat.
    Beats,
    /// Multiples of the smallest, a word of a core.
    Words,
    /// The ends themselves.
    Ends,
}

/// One number of a spec, and the range that it must lie in, given the other values of this spec.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldRange {
    /// Path of the field, e.g. `mesh.regions.1.width`.
    pub field: String,
    /// What stands there.
    pub found: Number,
    /// Smallest number accepted.
    pub least: Number,
    /// Largest number accepted.
    pub most: Number,
    /// Which of the numbers between them.
    pub form: Form,
    /// Continues "must be 1 to 8": why an end lies where it does, if another field decides.
    pub because: Cow<'static, str>,
}

impl FieldRange {
    /// Is the number found accepted?
    ///
    /// # Errors
    /// The field with what would be.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let is_within = self.least <= self.found && self.found <= self.most;
        let refuse = |accepted: String| {
            Err(OutOfRange {
                field: self.field.clone(),
                found: self.found.to_string(),
                accepted,
            })
        };
        match (self.form, self.found) {
            (Form::Ends, found) if found != self.least && found != self.most => {
                refuse(format!("must be {} or {}", self.least, self.most))
            }
            (Form::Any | Form::PowerOfTwo | Form::Beats | Form::Words, _) if !is_within => {
                refuse(format!("must be {}{}", self.ends(), self.because))
            }
            (Form::PowerOfTwo, Number::Whole(n)) if !n.is_power_of_two() => refuse(format!(
                "must be a power of two, e.g. {}",
                n.next_power_of_two()
            )),
            (Form::Beats, Number::Whole(n)) if !self.is_multiple(n) => refuse(format!(
                "must be a multiple of {}, the wide beat",
                self.least
            )),
            (Form::Words, Number::Whole(n)) if !self.is_multiple(n) => {
                refuse(format!("must be a multiple of {}, a word", self.least))
            }
            (Form::Any | Form::PowerOfTwo | Form::Beats | Form::Words | Form::Ends, _) => Ok(()),
        }
    }

    fn is_multiple(&self, bytes: u64) -> bool {
        match self.least {
            Number::Whole(least) => bytes.is_multiple_of(least),
            Number::Fraction(_) => false,
        }
    }

    fn ends(&self) -> String {
        if self.least == self.most {
            return self.least.to_string();
        }
        format!("{} to {}", self.least, self.most)
    }
}

/// Every number of a spec, in the order of the file; not `format`, which is checked before anything else is read.
#[must_use]
pub fn ranges(spec: &Spec) -> Vec<FieldRange> {
    let mut table = Table(Vec::new());
    table.fraction("clock_ghz", spec.clock_ghz, 0.001..=100.0);
    match &spec.tiles {
        Tiles::Axi(axi) => {
            table.mesh(&spec.mesh, axi);
            table.router(axi, &spec.mesh);
            table.ni(axi);
            table.cluster(axi);
            table.memory(axi);
            table.energy(axi);
        }
        Tiles::Cores(cores) => table.cores(&spec.mesh, cores),
    }
    table.0
}

/// The list while it is written.
pub(crate) struct Table(Vec<FieldRange>);

impl Table {
    pub(crate) fn push(
        &mut self,
        field: impl Into<String>,
        found: impl Into<u64>,
        range: RangeInclusive<u64>,
        form: Form,
        because: impl Into<Cow<'static, str>>,
    ) {
        self.0.push(FieldRange {
            field: field.into(),
            found: Number::Whole(found.into()),
            least: Number::Whole(*range.start()),
            most: Number::Whole(*range.end()),
            form,
            because: because.into(),
        });
    }

    pub(crate) fn any(
        &mut self,
        field: impl Into<String>,
        found: impl Into<u64>,
        range: RangeInclusive<u64>,
    ) {
        self.push(field, found, range, Form::Any, "");
    }

    fn fraction(&mut self, field: impl Into<String>, found: f64, range: RangeInclusive<f64>) {
        self.0.push(FieldRange {
            field: field.into(),
            found: Number::Fraction(found),
            least: Number::Fraction(*range.start()),
            most: Number::Fraction(*range.end()),
            form: Form::Any,
            because: "".into(),
        });
    }

    /// Fields below one path that have one range.
    fn all(&mut self, below: &str, fields: &[(&str, u32)], range: RangeInclusive<u64>) {
        for (name, found) in fields {
            self.any(format!("{below}.{name}"), *found, range.clone());
        }
    }

    pub(crate) fn power_of_two(
        &mut self,
        field: impl Into<String>,
        found: impl Into<u64>,
        range: RangeInclusive<u64>,
    ) {
        self.push(field, found, range, Form::PowerOfTwo, "");
    }

    fn beats(&mut self, field: &str, found: u64, axi: &AxiTiles) {
        let beat = u64::from(axi.ni.wide_beat_bytes);
        self.push(field, found, beat..=1 << 40, Form::Beats, "");
    }

    pub(crate) fn only(&mut self, field: &str, found: u32, only: u64) {
        let because = ", the only value that is modelled";
        self.push(field, found, only..=only, Form::Any, because);
    }

    fn mesh(&mut self, mesh: &Mesh, axi: &AxiTiles) {
        self.any("mesh.width", mesh.width, 1..=4096);
        self.any("mesh.height", mesh.height, 1..=4096);
        for (idx, region) in mesh.regions.iter().enumerate() {
            let field = |name: &str| format!("mesh.regions.{idx}.{name}");
            self.any(field("x"), region.x, 0..=4095);
            self.any(field("y"), region.y, 0..=4095);
            self.any(field("width"), region.width, 1..=4096);
            self.any(field("height"), region.height, 1..=4096);
            self.base_address(field("base_address"), region, axi);
            self.power_of_two(field("stride_bytes"), region.stride_bytes, 64..=1 << 40);
        }
    }

    /// In a configuration of a Torrent endpoint the pointer 0 stands for no next destination.
    fn base_address(&mut self, field: String, region: &Region, axi: &AxiTiles) {
        let is_pointed_to = match region.kind {
            TileKindName::Cluster => axi.cluster.torrent.is_some(),
            TileKindName::Memory => false,
        };
        let because = if is_pointed_to {
            " (with cluster.torrent the pointer 0 ends a chain)"
        } else {
            ""
        };
        let ends = u64::from(is_pointed_to)..=MAX_ADDRESS;
        self.push(field, region.base_address, ends, Form::Any, because);
    }

    fn memory(&mut self, axi: &AxiTiles) {
        let memory = &axi.memory;
        self.beats("memory.bytes", memory.bytes, axi);
        self.any("memory.latency_cycles", memory.latency_cycles, 1..=1000);
        self.any("memory.atomic_cycles", memory.atomic_cycles, 1..=1000);
        self.any("memory.max_outstanding", memory.max_outstanding, 1..=256);
    }

    fn energy(&mut self, axi: &AxiTiles) {
        let e = &axi.energy;
        for (name, pj) in [
            ("dma_load_pj_per_byte", e.dma_load_pj_per_byte),
            ("dma_store_pj_per_byte", e.dma_store_pj_per_byte),
            ("hop_pj_per_byte", e.hop_pj_per_byte),
            ("spm_write_pj_per_byte", e.spm_write_pj_per_byte),
            ("gemm_pj_per_op", e.gemm_pj_per_op),
            ("software_reduce_pj_per_op", e.software_reduce_pj_per_op),
            ("dca_reduce_pj_per_op", e.dca_reduce_pj_per_op),
        ] {
            self.fraction(format!("energy.{name}"), pj, 0.0..=1e9);
        }
    }
}
