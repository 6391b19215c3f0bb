// SPDX-License-Identifier: Apache-2.0
//! A network of each seed: a mesh no larger than the request's, and any variant of its routers.

use crate::Error;
use noccl_net::{Network, elaborate};
use noccl_run::Rng;
use noccl_spec::{Spec, parse_spec, to_toml};

/// Draws after which a seed keeps the network of its request: values that exclude each other are drawn again.
const MAX_DRAWS: u32 = 1000;

/// Fields with their values, as overrides of a spec.
pub(super) type Overrides = Vec<(String, String)>;

/// Have these routers variants?
pub(super) fn refuse(network: &Network) -> Result<(), Error> {
    if !network.spec().variants().is_empty() {
        return Ok(());
    }
    let found = format!("router.flow = \"{}\"", network.spec().flow_name());
    let accepted = "accepted: routers that have variants, as in the preset smart_8x8";
    Err(Error::argument("--variants", found, accepted))
}

/// The network of a seed, and what its spec has in place of the request's, but for the fields that are kept.
pub(super) fn draw(network: &Network, seed: u64, kept: &[&str]) -> (Network, Overrides) {
    let spec = network.spec();
    let text = to_toml(spec);
    let mut rng = Rng::new(seed, "stress variant");
    for _ in 0..MAX_DRAWS {
        let mut overrides = fields(spec, &mut rng);
        overrides.retain(|(field, _)| !kept.contains(&field.as_str()));
        let drawn = parse_spec(&spec.name, &text, &overrides);
        if let Some(drawn) = drawn.ok().and_then(|spec| elaborate(&spec).ok())
            && drawn.num_tiles() > 1
        {
            return (drawn, overrides);
        }
    }
    (network.clone(), Overrides::new())
}

fn fields(spec: &Spec, rng: &mut Rng) -> Overrides {
    let mut overrides = sides(spec, rng);
    for (field, values) in spec.variants() {
        overrides.push(((*field).to_owned(), (*rng.pick(values)).to_owned()));
    }
    overrides
}

/// Sides of a mesh of one region, or of none: of cores.
fn sides(spec: &Spec, rng: &mut Rng) -> Overrides {
    let mut sides = Overrides::new();
    if spec.mesh.regions.len() <= 1 {
        let tables: &[&str] = match spec.mesh.regions.first() {
            Some(_) => &["mesh", "mesh.regions.0"],
            None => &["mesh"],
        };
        for (name, most) in [("width", spec.mesh.width), ("height", spec.mesh.height)] {
            let side = 1 + rng.below(u64::from(most));
            for table in tables {
                sides.push((format!("{table}.{name}"), side.to_string()));
            }
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use std::collections::BTreeSet;

    #[test]
    fn every_value_occurs_on_meshes_of_every_side_and_overrides_make_the_network_again() {
        let network = load("smart_8x8", &[]).unwrap().network;
        let mut seen = BTreeSet::new();
        for seed in 0..200 {
            let (drawn, overrides) = draw(&network, seed, &[]);
            let made = load("smart_8x8", &overrides).unwrap().network;
            assert_eq!(to_toml(drawn.spec()), to_toml(made.spec()));
            seen.extend(overrides);
        }
        let values = network.spec().variants().iter();
        for (field, values) in values {
            for value in *values {
                assert!(
                    seen.contains(&((*field).to_owned(), (*value).to_owned())),
                    "{field} = {value}"
                );
            }
        }
        for side in 1..=8 {
            assert!(
                seen.contains(&("mesh.width".to_owned(), side.to_string())),
                "{side}"
            );
        }
    }
}
