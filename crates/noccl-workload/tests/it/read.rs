// SPDX-License-Identifier: Apache-2.0
//! Readers: what the pages of `docs/formats` show is accepted, and errors name file, line and field.

use crate::common::*;
use noccl_net::Coord;
use noccl_testkit::traces::{barrier, entry, trace};
use noccl_workload::{
    ElementType, First, InNetworkReduction, Operator, Pattern, Place, Schedule, TRACE_FORMAT,
    TraceFile, Traffic, TrafficFile, WorkloadError, check, check_traffic, fold_tree, interpret,
    read_schedule, read_trace, read_traffic, schedule_schema, to_json, trace_schema,
    traffic_schema,
};

/// The first block of a kind in a page.
fn example(page: &str, language: &str) -> String {
    let path = format!("{}/../../docs/formats/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the page exists");
    let (_, rest) = text
        .split_once(&format!("```{language}\n"))
        .expect("the page has an example");
    rest.split_once("```")
        .expect("the example ends")
        .0
        .to_owned()
}

#[test]
fn the_schedule_of_the_page_is_read_checked_and_interpreted() {
    let schedule = read_schedule("schedule.md", &example("schedule.md", "json")).unwrap();
    let network = mesh4x4();
    let report = check(&network, &schedule).unwrap();
    assert_eq!(report.fold_orders, ["[1, 0]"]);
    let one: Vec<u8> = (0..512).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    let two: Vec<u8> = (0..512)
        .flat_map(|i| f64::from(2 * i).to_le_bytes())
        .collect();
    let sum: Vec<u8> = (0..512)
        .flat_map(|i| f64::from(3 * i).to_le_bytes())
        .collect();
    let memories = interpret(
        &network,
        &schedule,
        &[(at(0, 0, 0), &one), (at(1, 0, 0), &two)],
    )
    .unwrap();
    for x in 0..2 {
        assert_eq!(memories.read(at(x, 0, 4096), 4096).unwrap(), sum);
    }
    assert_eq!(
        memories.read(
            Place {
                offset: 0x2_0000,
                ..at(0, 0, 0)
            },
            1
        ),
        None
    );
}

#[test]
fn the_fold_of_the_page_is_the_fold_of_the_library() {
    let reduction = InNetworkReduction {
        group: set(0, 0, 3, 0),
        source_offset: 0,
        root: at(1, 0, 4096),
        bytes: 4096,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    };
    let fold = fold_tree(&mesh4x4(), &reduction).unwrap().to_string();
    assert_eq!(fold, "[[(3,0), (2,0)], (0,0), (1,0)]");
    let path = format!(
        "{}/../../docs/formats/schedule.md",
        env!("CARGO_MANIFEST_DIR")
    );
    assert!(std::fs::read_to_string(path).unwrap().contains(&fold));
}

#[test]
fn the_traffic_of_the_page_is_read_and_possible() {
    let traffic = read_traffic("traffic.md", &example("traffic.md", "json")).unwrap();
    assert_eq!(traffic.pattern, Pattern::Uniform);
    check_traffic(&mesh4x4(), &traffic).unwrap();
}

#[test]
fn what_is_written_is_read_back() {
    for schedule in [chain_multicast(4, 4096, 8), chain_reduce(4, 512)] {
        assert_eq!(
            read_schedule("file", &to_json(&schedule)).unwrap(),
            schedule
        );
    }
    let trace = trace(vec![entry(
        vec![Some(0), None, Some(7), Some(0)],
        barrier(set(0, 0, 3, 0), cluster(0, 0)),
    )]);
    let file = TraceFile {
        format: TRACE_FORMAT,
        trace,
    };
    assert_eq!(read_trace("file", &to_json(&file)).unwrap(), file.trace);
}

#[test]
fn errors_name_file_line_column_and_field() {
    let text = example("schedule.md", "json");
    let broken = text.replacen("\"rows\": 1", "\"rows\": -1", 1);
    let line = broken
        .lines()
        .position(|l| l.contains("\"rows\": -1"))
        .unwrap()
        + 1;
    let WorkloadError::Content {
        file,
        line: found,
        column,
        field,
        message,
    } = read_schedule("my.json", &broken).unwrap_err()
    else {
        panic!("not an error of content")
    };
    assert_eq!((file.as_str(), found), ("my.json", line));
    assert!(column > 0);
    assert_eq!(field, "actions[1].kind.transfer.rows");
    assert_eq!(message, "invalid value: integer `-1`, expected u32");
}

#[test]
fn unknown_missing_and_trailing_content_is_refused() {
    let text = example("schedule.md", "json");
    for (from, to, expected) in [
        (
            "\"rows\": 1",
            "\"rowz\": 1",
            "unknown field `rowz`, expected one of `initiator`",
        ),
        (
            "\"rows\": 1,",
            "",
            "actions[1].kind.transfer: missing field `rows`",
        ),
        ("\"transfer\"", "\"move\"", "unknown variant `move`"),
        (
            "\"sum\"",
            "\"plus\"",
            "collective.operator: unknown variant `plus`, expected one of `sum`",
        ),
        ("\"format\": 1,", "", "top level: missing field `format`"),
        (
            "\"format\": 1,",
            "\"format\": 2,",
            "format = 2, but this version reads format 1",
        ),
        (
            "\"format\": 1,",
            "\"format\": 99999999999,",
            "format = 99999999999",
        ),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text);
        let message = read_schedule("f", &broken).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let message = read_schedule("f", &format!("{text}]"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("trailing characters"), "{message}");
    assert!(read_schedule("f", "").is_err());
}

#[test]
fn a_later_version_is_named_before_its_unknown_fields() {
    let message = read_traffic("f", "{\"format\": 2, \"flows\": []}")
        .unwrap_err()
        .to_string();
    assert_eq!(message, "f: format = 2, but this version reads format 1");
}

fn traffic() -> Traffic {
    Traffic {
        pattern: Pattern::Uniform,
        beats: 16,
        offered_beats_per_cycle: 0.5,
        warmup_cycles: 100,
        measure_cycles: 100,
        seed: 0,
    }
}

#[test]
fn impossible_traffic_is_refused_by_field() {
    let network = mesh4x4();
    for rate in [f64::MIN_POSITIVE, 1.0] {
        check_traffic(
            &network,
            &Traffic {
                offered_beats_per_cycle: rate,
                ..traffic()
            },
        )
        .unwrap();
    }
    for beats in [1, 64] {
        check_traffic(&network, &Traffic { beats, ..traffic() }).unwrap();
    }
    for (wrong, field) in [
        (
            Traffic {
                beats: 0,
                ..traffic()
            },
            "beats = 0: 1 to 64",
        ),
        (
            Traffic {
                beats: 65,
                ..traffic()
            },
            "beats = 65",
        ),
        (
            Traffic {
                offered_beats_per_cycle: 0.0,
                ..traffic()
            },
            "offered_beats_per_cycle = 0: above 0",
        ),
        (
            Traffic {
                offered_beats_per_cycle: 1.1,
                ..traffic()
            },
            "offered_beats_per_cycle = 1.1",
        ),
        (
            Traffic {
                offered_beats_per_cycle: f64::NAN,
                ..traffic()
            },
            "offered_beats_per_cycle = NaN",
        ),
        (
            Traffic {
                measure_cycles: 0,
                ..traffic()
            },
            "measure_cycles = 0: 1 to 2^36",
        ),
        (
            Traffic {
                warmup_cycles: u64::MAX,
                ..traffic()
            },
            "warmup_cycles",
        ),
    ] {
        let message = check_traffic(&network, &wrong).unwrap_err().to_string();
        assert!(message.starts_with(field), "{message}");
    }
}

#[test]
fn patterns_need_their_geometry() {
    let needs = |preset: &str, pattern: Pattern| {
        check_traffic(
            &network(preset),
            &Traffic {
                pattern,
                ..traffic()
            },
        )
    };
    for pattern in Pattern::ALL {
        let needs_messages = matches!(pattern, Pattern::RandomMulticast | Pattern::ManyToOne);
        assert_eq!(
            needs("collective_noc_4x4", pattern).is_err(),
            needs_messages
        );
        let flit = Traffic {
            pattern,
            beats: 1,
            ..traffic()
        };
        check_traffic(&network("smart_4x4"), &flit).unwrap();
        assert_eq!(pattern.name().parse(), Ok(pattern));
        assert_eq!(serde_json::to_value(pattern).unwrap(), pattern.name());
    }
    let message = needs("collective_noc_4x2", Pattern::Transpose)
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "pattern = transpose: a square of clusters; there are 4x2"
    );
    let message = needs("collective_noc_2x4", Pattern::Tornado).unwrap_err();
    assert_eq!(
        message.to_string(),
        "pattern = tornado: at least three columns of clusters; there are 2x4"
    );
    let message = needs("collective_noc_4x4", Pattern::RandomMulticast).unwrap_err();
    assert_eq!(
        message.to_string(),
        "pattern = random_multicast: routers that multicast to any set; there are 4x4"
    );
    let message = needs("collective_noc_3x2", Pattern::Broadcast).unwrap_err();
    assert_eq!(
        message.to_string(),
        "pattern = broadcast: clusters that are one multi-address: columns and rows that are powers of two; there are 3x2"
    );
    assert!(needs("esp_4x5", Pattern::CornerBroadcast).is_err());
    assert!(needs("collective_noc_1x1", Pattern::Uniform).is_err());
    needs("collective_noc_1x1", Pattern::BitComplement).unwrap();
}

#[test]
fn a_packet_is_as_long_as_the_interfaces_take_and_a_contribution_one_flit() {
    let with = |pattern, beats| {
        let traffic = Traffic {
            pattern,
            beats,
            ..traffic()
        };
        check_traffic(&network("smart_4x4"), &traffic).map_err(|error| error.to_string())
    };
    with(Pattern::Uniform, 5).unwrap();
    assert_eq!(
        with(Pattern::Uniform, 6).unwrap_err(),
        "beats = 6: 1 to 5 (router.smart.vc_flits)"
    );
    assert_eq!(
        with(Pattern::ManyToOne, 2).unwrap_err(),
        "beats = 2: 1: a contribution is one flit"
    );
}

#[test]
fn tornado_goes_as_far_as_it_can_in_one_direction_of_a_ring() {
    for (width, shift) in [(3, 1), (4, 1), (5, 2), (8, 3), (9, 4)] {
        for x in 0..width {
            let to = Pattern::Tornado.destination(Coord::new(x, 2), width, 4);
            assert_eq!(to, Some(Coord::new((x + shift) % width, 2)));
        }
    }
    assert_eq!(Pattern::Uniform.destination(Coord::new(0, 0), 4, 4), None);
}

#[test]
fn schemas_describe_every_field_of_the_files() {
    let file = TrafficFile {
        format: 1,
        traffic: traffic(),
    };
    let schedule = Schedule {
        first: Some(First::Send),
        claims_rounds: true,
        ..chain_reduce(4, 512)
    };
    for (schema, value) in [
        (schedule_schema(), serde_json::to_value(schedule).unwrap()),
        (traffic_schema(), serde_json::to_value(file).unwrap()),
        (
            trace_schema(),
            serde_json::json!({ "format": 1, "trace": { "transactions": [] } }),
        ),
    ] {
        let properties = schema.get("properties").unwrap().as_object().unwrap();
        let keys: Vec<_> = value.as_object().unwrap().keys().collect();
        assert_eq!(properties.keys().collect::<Vec<_>>(), keys);
        assert_eq!(
            schema.get("additionalProperties"),
            Some(&serde_json::json!(false))
        );
    }
}
