// SPDX-License-Identifier: Apache-2.0
//! Files that name a base hold what differs from it: they give what the whole file would.

use noccl_spec::{
    Number, PRESET_NAMES, RouterFlow, Spec, SpecError, parse_spec, preset_text, ranges, to_toml,
};
use noccl_testkit::assert_says;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn read(text: &str) -> Result<Spec, SpecError> {
    parse_spec("mine.toml", text, &[])
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn a_file_of_three_lines_is_a_whole_network() {
    let spec =
        read("base = \"collective_noc_8x8\"\nname = \"mine\"\n[ni]\nmax_wide_outstanding = 16\n");
    let mut preset = parse_spec("p", &preset_text("collective_noc_8x8").unwrap(), &[]).unwrap();
    preset.name = "mine".to_owned();
    preset.axi_mut().unwrap().ni.max_wide_outstanding = 16;
    assert_eq!(spec.unwrap(), preset);
}

#[test]
fn tables_are_merged_and_lists_are_replaced() {
    let text = "base = \"collective_noc_4x4\"\nname = \"mine\"\n[mesh]\nwidth = 2\nheight = 1\n\
                [[mesh.regions]]\nkind = \"cluster\"\nx = 0\ny = 0\nwidth = 2\nheight = 1\n\
                base_address = 0x2000_0000\nstride_bytes = 0x4_0000\n\
                [cluster.dma]\nbuffer_beats = 256\n";
    let spec = read(text).unwrap();
    assert_eq!(spec.mesh.regions.len(), 1);
    assert_eq!(spec.axi().unwrap().cluster.dma.buffer_beats, 256);
    assert_eq!(spec.axi().unwrap().cluster.dma.max_transfers, 4);
}

#[test]
fn what_the_base_has_can_be_left_out_and_what_it_has_not_can_be_added() {
    let esp = parse_spec("p", &preset_text("esp_4x5").unwrap(), &[]).unwrap();
    let text = "base = \"torrent_4x5\"\nname = \"esp_4x5\"\nwithout = [\"cluster.torrent\"]\n\
                [router]\nflow = \"esp\"\ninput_fifo_flits = 4\noutput_fifo_flits = 0\n\
                [router.esp]\nheader_bits = 512\nreserve_cycles = 1\nworm_flits = 0\n\
                [cluster.esp]\nsetup_cycles = 20\nconsumer_start_cycles = 0\nrequest_cycles = 2\n";
    assert_eq!(read(text).unwrap(), esp);
    assert_eq!(esp.axi().unwrap().router.flow, RouterFlow::Esp);
}

#[test]
fn overrides_come_last() {
    let text = "base = \"collective_noc_4x4\"\nname = \"mine\"\n[ni]\nmax_wide_outstanding = 16\n";
    let set = ("ni.max_wide_outstanding".to_owned(), "9".to_owned());
    let spec = parse_spec("mine.toml", text, &[set]).unwrap();
    assert_eq!(spec.axi().unwrap().ni.max_wide_outstanding, 9);
}

#[test]
fn mistakes_are_reported_where_they_stand() {
    const TOP: &str = "base = \"collective_noc_4x4\"\nname = \"mine\"\n";
    let below = |text: &str| message(&format!("{TOP}{text}"));
    for (text, parts) in [
        (
            below("[ni]\nmax_burst_beat = 16\n"),
            &[
                "line 4, column 1",
                "max_burst_beat = 16",
                "unknown field `max_burst_beat`",
                "did you mean",
            ][..],
        ),
        (
            below("[ni]\nmax_wide_outstanding = \"16\"\n"),
            &["line 4", "invalid type: string"],
        ),
        (
            below("[rooter]\nflow = \"esp\"\n"),
            &["line 3", "unknown field `rooter`", "router"],
        ),
        (
            below("cluster = 3\n"),
            &["line 3", "cluster = 3", "invalid type"],
        ),
        (
            below("[cluster.torrent]\nmode = \"safe\"\n"),
            &["missing field"],
        ),
        (
            below("without = [\"cluster.torrent\"]\n"),
            &["line 3", "the base has nothing of this path"],
        ),
        (
            below("without = \"cluster.torrent\"\n"),
            &["line 3", "a list of paths"],
        ),
        (
            below("[ni]\nmax_wide_outstanding = 0\n"),
            &["ni.max_wide_outstanding = 0"],
        ),
        (
            message("base = \"collective_noc_4x4\"\n"),
            &["line 1", "`name` is missing"],
        ),
        (
            message("base = \"collective_noc\"\nname = \"m\"\n"),
            &["no preset 'collective_noc'"],
        ),
        (
            message("base = 4\nname = \"m\"\n"),
            &["line 1", "a preset in quotes"],
        ),
        (
            message("name = \"m\"\nwithout = []\n"),
            &["line 2", "needs a `base`"],
        ),
        (
            message("base = \"esp_4x5\"\nname = \"m\"\nformat = 2\n"),
            &["format = 2"],
        ),
        (message("base = \"esp_4x5\"\nname = [\n"), &["line 2"]),
    ] {
        assert_says(&text, parts);
        assert!(
            text.starts_with("mine.toml: ") || text.contains("no preset"),
            "{text}"
        );
    }
}

/// A table per path, as a user would write it. Entries of lists cannot be named.
fn written(base: &str, values: &BTreeMap<String, String>) -> String {
    let mut text = format!("base = \"{base}\"\nname = \"mine\"\n");
    for (path, value) in values {
        text += &format!("{path} = {value}\n");
    }
    text
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn a_file_with_a_base_is_the_preset_with_overrides(
        base in prop::sample::select(PRESET_NAMES.to_vec()),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..6),
    ) {
        let preset = parse_spec(base, &preset_text(base).unwrap(), &[]).unwrap();
        let fields: Vec<_> = ranges(&preset).into_iter().filter(|f| !f.field.contains("regions")).collect();
        let values: BTreeMap<String, String> = picks.iter().map(|(at, is_most)| {
            let field = at.get(&fields);
            let number = match if *is_most { field.most } else { field.least } {
                Number::Whole(n) => n.to_string(),
                Number::Fraction(x) => format!("{x:?}"),
            };
            (field.field.clone(), number)
        }).collect();
        let mut overrides: Vec<(String, String)> = values.clone().into_iter().collect();
        overrides.push(("name".to_owned(), "mine".to_owned()));
        let (one, other) = (read(&written(base, &values)), parse_spec("mine.toml", &preset_text(base).unwrap(), &overrides));
        prop_assert_eq!(one.is_ok(), other.is_ok());
        if let (Ok(one), Ok(other)) = (one, other) {
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(read(&to_toml(&one)).unwrap(), one);
        }
    }

    #[test]
    fn a_damaged_file_with_a_base_is_read_or_refused(
        lines in prop::collection::vec(prop::sample::select(vec![
            "base = \"esp_4x5\"", "base = \"torrent_4x5\"", "base = 1", "name = \"m\"", "without = [\"cluster.esp\"]",
            "without = [\"\", \".\", \"a..b\", \"mesh\"]", "[cluster]", "[cluster.torrent]", "mode = \"safe\"",
            "[mesh]", "width = 3", "regions = []", "[[mesh.regions]]", "kind = \"memory\"", "base", "router.flow = 1",
        ]), 0..8),
        put in "\\PC{0,6}",
    ) {
        for text in [lines.join("\n"), format!("{}\n{put}", lines.join("\n"))] {
            if let Ok(spec) = read(&text) {
                prop_assert_eq!(noccl_spec::validate(&spec), Ok(()));
            }
        }
    }
}
