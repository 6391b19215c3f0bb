// SPDX-License-Identifier: Apache-2.0
//! A fault of the hardware as text: what stands in a module, and what takes its place.

use noccl_rtl::SourceFile;

/// A text of a module that is replaced by a wrong one.
#[derive(Debug, Clone, Copy)]
pub struct Replacement {
    pub module: &'static str,
    pub right: &'static str,
    pub wrong: &'static str,
}

impl Replacement {
    /// Puts the fault of a name into the sources.
    pub fn apply(&self, name: &str, sources: &mut [SourceFile]) {
        let Some(source) = sources.iter_mut().find(|s| s.name() == self.module) else {
            panic!("{name}: no module {}", self.module);
        };
        let times = source.text.matches(self.right).count();
        assert_eq!(times, 1, "{name}: '{}' in {}", self.right, source.path);
        source.text = source.text.replace(self.right, self.wrong);
    }
}
