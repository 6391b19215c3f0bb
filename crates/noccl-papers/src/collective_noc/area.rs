// SPDX-License-Identifier: Apache-2.0
//! Areas and critical paths beside the paper's, as the last synthesis found them.
//!
//! Synthesis takes tools and minutes that `noccl-papers` does not have; `make synth-page` leaves its ratios in a file that
//! is part of the binary. They are no measurement of the paper's number, which is of another technology: so the
//! row says what they are, and has no result.

use crate::statistics::Outcomes;
use noccl_files::FileError;
use noccl_studies::Error;
use serde::Deserialize;
use std::collections::BTreeMap;

const AREAS: &str = include_str!("../../../../experiments/collective_noc/area.toml");
const PATH: &str = "experiments/collective_noc/area.toml";
const PAGE: &str = "docs/rtl/synthesis.md";

/// One claim's areas.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Areas {
    /// Ours.
    ours: f64,
    /// That of the published router or interface, in the same flow; absent where nobody has measured it.
    published: Option<f64>,
}

/// Says of each claim about area what the synthesis found.
///
/// # Errors
/// [`Error::File`] if the file is not what `make synth-page` writes.
pub(super) fn areas(outcomes: &mut Outcomes) -> Result<(), Error> {
    let found: BTreeMap<String, Areas> = toml::from_str(AREAS).map_err(|e| {
        Error::File(FileError::Content {
            path: PATH.to_owned(),
            expected: "areas by claim",
            reason: e.to_string(),
        })
    })?;
    for (id, Areas { ours, published }) in found {
        let published = published.map_or_else(
            || "not synthesised".to_owned(),
            |published| format!("{published:.3}"),
        );
        outcomes.miss(
            &id,
            &format!(
                "in an open flow, not in a 7 nm process: ours {ours:.3}, the published sources {published} ({PAGE})"
            ),
        );
    }
    let tile = format!("our tiles have no cores; what the collectives add, in gates: {PAGE}");
    outcomes.miss("12-tile", &tile);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::claims::Paper;
    use crate::statistics::Outcome;

    #[test]
    fn every_claim_about_area_names_the_page() {
        let mut outcomes = Outcomes::default();
        areas(&mut outcomes).unwrap();
        let claims = Paper::CollectiveNoc.claims().unwrap();
        let of_area: Vec<_> = claims.iter().filter(|c| c.id.starts_with("12-")).collect();
        assert_eq!(of_area.len(), outcomes.by_id.len());
        for claim in of_area {
            match &outcomes.by_id[&claim.id] {
                Outcome::Missing(reason) => assert!(reason.contains(PAGE), "{reason}"),
                Outcome::Measured { ours, .. } => panic!("{}: {ours} measured", claim.id),
            }
        }
    }
}
