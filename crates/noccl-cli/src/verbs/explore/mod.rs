// SPDX-License-Identifier: Apache-2.0
//! Compare algorithms and systems: what a chip should do.

mod advise;
mod attention;
mod auto;
mod barrier;
mod baselines;
mod compare;
mod demo;
mod explain;
mod gemm;
mod matrix;
mod view;

use super::{Verb, group};

group! {
    /// Verbs of this group, in the order of the help.
    pub enum Explore {
        Demo(demo::Demo),
        Compare(compare::Compare),
        View(view::ViewVerb),
        Explain(explain::Explain),
        Matrix(matrix::Matrix),
        Advise(advise::Advise),
        Auto(auto::Auto),
        #[command(alias = "rivals")]
        Baselines(baselines::Baselines),
        Barrier(barrier::Barrier),
        Gemm(gemm::Gemm),
        Attention(attention::Attention),
    }
}
