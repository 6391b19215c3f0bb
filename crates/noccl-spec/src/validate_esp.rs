// SPDX-License-Identifier: Apache-2.0
//! What flow `esp` asks of a spec.

use crate::validate::{Checked, flow_name, within};
use crate::{OutOfRange, RouterFlow, Spec};

/// Flow `esp` has its two tables, no other flow has one of them, and clusters are of one kind.
pub(crate) fn esp(spec: &Spec) -> Checked {
    let (router, cluster) = (&spec.router.esp, &spec.cluster.esp);
    let is_esp = spec.router.flow == RouterFlow::Esp;
    let tables = [
        ("router.esp", router.is_some(), is_esp),
        ("cluster.esp", cluster.is_some(), is_esp),
        (
            "cluster.torrent",
            spec.cluster.torrent.is_some(),
            spec.cluster.torrent.is_some() && !is_esp,
        ),
    ];
    for (field, is_there, is_wanted) in tables {
        if is_there != is_wanted {
            let flow = flow_name(spec.router.flow);
            return Err(OutOfRange {
                field: field.to_owned(),
                found: if is_there { "a table" } else { "nothing" }.to_owned(),
                accepted: format!(
                    "{} with router.flow = \"{flow}\"",
                    if is_wanted {
                        "must be there"
                    } else {
                        "must be absent"
                    }
                ),
            });
        }
    }
    if let Some(router) = router {
        within("router.esp.header_bits", router.header_bits, 64..=4096)?;
        within("router.esp.reserve_cycles", router.reserve_cycles, 0..=1)?;
        within("router.esp.worm_flits", router.worm_flits, 0..=1 << 20)?;
    }
    if let Some(endpoint) = cluster {
        for (name, cycles) in [
            ("setup_cycles", endpoint.setup_cycles),
            ("consumer_start_cycles", endpoint.consumer_start_cycles),
            ("request_cycles", endpoint.request_cycles),
        ] {
            within(&format!("cluster.esp.{name}"), cycles, 0..=100_000)?;
        }
    }
    Ok(())
}
