// SPDX-License-Identifier: Apache-2.0
//! Fields of requests as texts: the readers that the command line has, for requests that come as JSON.

use super::{parse_element, parse_mode, parse_pattern};
use crate::Error;
use crate::gemm::{
    Backends, Communication, FusedRoot, GemmKernel, NamedProblem, Sides, parse_backends,
    parse_collectives, parse_fused_root, parse_gemm_kernel, parse_mesh, parse_problem,
    parse_submatrix, parse_sync,
};
use crate::stress::{StressKinds, parse_stress_kinds};
use noccl_coll::gemm::Sync;
use noccl_run::Mode;
use noccl_workload::{ElementType, Pattern};
use serde::{Deserialize, Deserializer};

macro_rules! readers {
    ($($name:ident: $value:ty = $parse:expr;)+) => {
        $(pub(crate) fn $name<'de, D: Deserializer<'de>>(reader: D) -> Result<$value, D::Error> {
            let parsed: Result<$value, Error> = $parse(Deserialize::deserialize(reader)?);
            parsed.map_err(refused)
        })+
    };
}

readers! {
    backends: Backends = |text: String| parse_backends(&text);
    communication: Communication = |text: String| parse_collectives(&text);
    element: ElementType = |text: String| parse_element(&text);
    fused_root: FusedRoot = |text: String| parse_fused_root(&text);
    gemm_kernel: GemmKernel = |text: String| parse_gemm_kernel(&text);
    mesh: (u32, u32) = |text: String| parse_mesh(&text);
    meshes: Vec<(u32, u32)> = |texts: Vec<String>| texts.iter().map(|text| parse_mesh(text)).collect();
    mode: Mode = |text: String| parse_mode(&text);
    pattern: Pattern = |text: String| parse_pattern(&text);
    problem: NamedProblem = |text: String| parse_problem(&text);
    stress_kinds: StressKinds = |kinds: Vec<String>| match kinds.as_slice() {
        [] => parse_stress_kinds("all"),
        some => parse_stress_kinds(&some.join(",")),
    };
    submatrix: Option<Sides> = |text: Option<String>| text.as_deref().map(parse_submatrix).transpose();
    sync: Sync = |text: String| parse_sync(&text);
}

/// In the form of serde's own errors: who reads the whole request knows the field.
fn refused<E: serde::de::Error>(error: Error) -> E {
    let Error::Argument {
        found, accepted, ..
    } = error
    else {
        return E::custom(error);
    };
    let accepted = accepted.strip_prefix("accepted: ").unwrap_or(&accepted);
    E::custom(format!("{found}, expected {accepted}"))
}
