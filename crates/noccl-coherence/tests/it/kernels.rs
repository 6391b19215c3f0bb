// SPDX-License-Identifier: Apache-2.0
//! Kernels: right results over both memories, recordings without races, the file form and what is refused of it.

use crate::common::log;
use noccl_coherence::memory::Plain;
use noccl_coherence::recording::{RecordedEvent, Recorder};
use noccl_coherence::{Kernel, Log, Size};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

#[test]
fn results_are_those_of_direct_computations() {
    for kernel in Kernel::ALL {
        for threads in [1, 6, 64] {
            let result = kernel.run(&mut Plain, threads, Size::Small);
            assert_eq!(result, Ok(()), "{} with {threads} threads", kernel.name());
        }
        let log = kernel
            .record(64, Size::Standard)
            .expect("its result is right");
        // Enough for comparisons of runs.
        assert!(log.num_references() > 300_000, "{}", kernel.name());
    }
}

#[test]
fn recordings_have_no_race_and_outlive_a_file() {
    for kernel in Kernel::ALL {
        for threads in [6, 64] {
            let log = kernel
                .record(threads, Size::Small)
                .expect("its result is right");
            assert_eq!(log.check(), Ok(()), "{}", kernel.name());
            assert_eq!(Log::from_bytes(&log.to_bytes()), Ok(log));
        }
    }
}

fn refusal(threads: &[&[RecordedEvent]]) -> String {
    log(threads).check().expect_err("refused").to_string()
}

#[test]
fn conflicts_need_a_synchronisation() {
    use RecordedEvent::{Barrier, Join, Lock, Read, Start, Unlock, Write};
    let (read, write) = (Read(100, 4), Write(96, 8));
    assert_eq!(
        refusal(&[&[read], &[write]]),
        "recording, address 0x64: read by thread 0 and written by thread 1 without an order between them; accepted: a barrier, a start \
         or join of a thread, or a common lock between references that conflict"
    );
    // An unaligned reference reaches into the next eight bytes.
    assert!(refusal(&[&[Write(102, 4)], &[Write(104, 1)]]).contains("address 0x68: written"));
    let fine: [&[&[RecordedEvent]]; 6] = [
        &[&[read], &[read]],
        &[&[Read(96, 4)], &[Write(100, 4)]],
        &[&[read, Barrier(3)], &[Barrier(3), write]],
        &[&[Lock(1), read, Unlock(1)], &[Lock(1), write, Unlock(1)]],
        &[&[write, Start(1), Join(1), write], &[write]],
        &[
            &[write, Barrier(0), Barrier(1)],
            &[Barrier(1), read, Barrier(2)],
            &[Barrier(0), Barrier(2), write],
        ],
    ];
    for threads in fine {
        assert_eq!(log(threads).check(), Ok(()), "{threads:?}");
    }
    let racy: [&[&[RecordedEvent]]; 4] = [
        &[&[Lock(1), read, Unlock(1)], &[Lock(2), write, Unlock(2)]],
        &[&[write, Start(1), write, Join(1)], &[write]],
        // The third thread does not meet the first.
        &[
            &[Barrier(0), write],
            &[Barrier(0), Barrier(1)],
            &[Barrier(1), read],
        ],
        &[
            &[Barrier(0), read, Barrier(0)],
            &[Barrier(0), write, Barrier(0)],
        ],
    ];
    for threads in racy {
        assert!(refusal(threads).contains("without an order"), "{threads:?}");
    }
}

#[test]
fn synchronisations_that_never_end_are_refused() {
    use RecordedEvent::{Barrier, Join, Lock, Start, Unlock};
    let cases: [(&[&[RecordedEvent]], &str); 7] = [
        (
            &[&[Barrier(0), Barrier(0)], &[Barrier(0)]],
            "thread 0: barrier 0, to which another of its threads never comes",
        ),
        (&[&[Lock(7)]], "thread 0: lock 7 at its end"),
        (&[&[Unlock(7)]], "thread 0: unlock 7"),
        (&[&[Lock(7), Lock(7)]], "thread 0: lock 7 twice"),
        (
            &[&[Join(1)], &[Join(0)]],
            "thread 0: join of thread 1, which never ends",
        ),
        (
            &[&[Start(4)]],
            "thread 0: thread 4; accepted: another one of 0 to 0",
        ),
        (&[&[Start(1), Start(1)], &[]], "thread 0: starts 1"),
    ];
    for (threads, message) in cases {
        assert!(refusal(threads).contains(message), "{}", refusal(threads));
    }
    let many = Log::new(vec![Recorder::default(); 65]).expect_err("refused");
    assert_eq!(
        many.to_string(),
        "recording, threads: 65; accepted: 1 to 64, a core each"
    );
}

#[test]
fn damaged_files_are_refused() {
    let bytes = log(&[
        &[RecordedEvent::Read(100, 4), RecordedEvent::Barrier(0)],
        &[RecordedEvent::Barrier(0)],
    ])
    .to_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(Log::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
        }
        assert!(Log::from_bytes(&bytes[..at]).is_err(), "cut off at {at}");
    }
}

fn event() -> impl Strategy<Value = RecordedEvent> {
    let address = || 0..1_u64 << 48;
    prop_oneof![
        (address(), 0..4_u32).prop_map(|(at, log)| RecordedEvent::Read(at, 1 << log)),
        (address(), 0..4_u32).prop_map(|(at, log)| RecordedEvent::Write(at, 1 << log)),
        any::<u32>().prop_map(RecordedEvent::Lock),
        any::<u32>().prop_map(RecordedEvent::Unlock),
        any::<u32>().prop_map(RecordedEvent::Barrier),
        any::<u32>().prop_map(RecordedEvent::Start),
        any::<u32>().prop_map(RecordedEvent::Join),
    ]
}

/// Behind a correct checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    bytes.extend(sum.to_le_bytes());
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..noccl_testkit::cheap()
    })]

    #[test]
    fn what_is_pushed_is_decoded(events in prop::collection::vec(event(), 0..50)) {
        let log = log(&[&events]);
        let read = Log::from_bytes(&log.to_bytes()).expect("a whole file");
        prop_assert_eq!(read.events(0).collect::<Vec<_>>(), events);
    }

    #[test]
    fn any_bytes_with_a_right_checksum_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..80), threads in 0..4_u32) {
        let mut bytes = b"NOCCLREF\x01\0\0\0".to_vec();
        bytes.extend(threads.to_le_bytes());
        bytes.extend(body);
        if let Ok(log) = Log::from_bytes(&sealed(bytes)) {
            let _ = log.check();
        }
    }
}
