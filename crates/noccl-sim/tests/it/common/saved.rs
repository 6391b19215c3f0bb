// SPDX-License-Identifier: Apache-2.0
//! Runs that are saved and loaded, of every kind that can be.

use noccl_run::{Run, RunError};
use noccl_sim::checkpoint::{CheckpointError, FORMAT, Reader, Saved, Writer};
use sha2::{Digest, Sha256};
use std::fmt::Debug;
use std::io::Cursor;

pub fn save<S: Saved>(run: &S::Run) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).expect("memory takes everything");
    S::save(run, &mut writer).expect("memory takes everything");
    writer.finish().expect("memory takes everything")
}

pub fn load<S: Saved>(of: &S, bytes: &[u8]) -> Result<S::Run, CheckpointError> {
    let mut reader = Reader::open(Cursor::new(bytes))?;
    let run = of.load(&mut reader)?;
    reader.finish()?;
    Ok(run)
}

/// At most so many cycles. Returns the error that ended the run.
pub fn step<R: Run>(run: &mut R, cycles: u64) -> Result<(), RunError> {
    for _ in 0..cycles {
        if run.is_over() {
            break;
        }
        noccl_run::step(run)?;
    }
    Ok(())
}

/// Steps until the run ends by itself.
pub fn len<S: Saved>(of: &S) -> Result<u64, S::Error> {
    let mut run = of.start()?;
    let mut steps = 0;
    while !run.is_over() && noccl_run::step(&mut run).is_ok() {
        steps += 1;
    }
    Ok(steps)
}

/// Interrupts after `first` steps, and after `second` more; `after` is the same run, perhaps with other threads. What it comes to has to
/// be what it comes to without.
pub fn check<S, T>(
    [of, after]: [&S; 2],
    [first, second]: [u64; 2],
    result: impl Fn(&S::Run) -> T,
) -> Result<(), S::Error>
where
    S: Saved,
    T: Debug + PartialEq,
{
    let outcome = |run: &mut S::Run| step(run, u64::MAX).map(|()| result(run));
    let whole = outcome(&mut of.start()?);
    let mut run = of.start()?;
    if let Err(e) = step(&mut run, first) {
        assert_eq!(whole, Err(e));
        return Ok(());
    }
    let saved = save::<S>(&run);
    let mut resumed = load(after, &saved).expect("is sound");
    assert!(
        save::<S>(&resumed) == saved,
        "what was loaded is what was saved"
    );
    let (own, of_resumed) = (step(&mut run, second), step(&mut resumed, second));
    assert_eq!(own, of_resumed);
    if let Err(e) = own {
        assert_eq!(whole, Err(e));
        return Ok(());
    }
    assert!(
        save::<S>(&run) == save::<S>(&resumed),
        "{first} + {second} steps: state differs"
    );
    assert_eq!(outcome(&mut resumed), whole, "resumed");
    assert_eq!(outcome(&mut run), whole, "saving changes nothing");
    Ok(())
}

/// The first eight bytes of the digest of a checkpoint.
pub fn digest(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    let first = digest.iter().take(8);
    first.fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn is_damaged(refused: &CheckpointError) -> bool {
    matches!(refused, CheckpointError::Damaged { .. })
}

/// Truncated, extended and changed bytes are refused by name, whatever `every` so many bytes says.
pub fn refuses_damage<S: Saved>(of: &S, sound: &[u8], every: usize) {
    let refusal = |bytes: &[u8]| load(of, bytes).err().expect("is refused");
    assert!(load(of, sound).is_ok());
    for len in (0..100).chain((100..sound.len()).step_by(every)) {
        let refused = refusal(&sound[..len]);
        let is_named = if len < 8 {
            refused == CheckpointError::NotACheckpoint
        } else {
            is_damaged(&refused)
        };
        assert!(is_named, "{len} bytes: {refused}");
    }
    let refused = refusal(&[sound, &[0]].concat());
    assert!(is_damaged(&refused), "{refused}");
    for at in (0..60).chain((60..sound.len()).step_by(every)) {
        let mut bytes = sound.to_vec();
        bytes[at] ^= 1 << (at % 8);
        let refused = refusal(&bytes);
        let is_named = match at {
            0..8 => refused == CheckpointError::NotACheckpoint,
            8..12 => matches!(
                refused,
                CheckpointError::Format {
                    accepted: FORMAT,
                    ..
                }
            ),
            _ => is_damaged(&refused),
        };
        assert!(is_named, "byte {at}: {refused}");
    }
}

/// Bytes that no run has written, with the digest that they should have, are refused or loaded, but never a panic. Returns how many are
/// refused.
pub fn refused_contents<S: Saved>(of: &S, sound: &[u8], every: usize) -> usize {
    let body = sound.len() - 32;
    let places = (12..body).step_by(every);
    let is_refused = |at: usize| {
        let mut bytes = sound[..body].to_vec();
        bytes[at] = 0xff;
        bytes.extend(Sha256::digest(&bytes));
        load(of, &bytes).is_err()
    };
    places.filter(|at| is_refused(*at)).count()
}
