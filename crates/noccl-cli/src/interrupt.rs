// SPDX-License-Identifier: Apache-2.0
//! Ctrl-C and SIGTERM end every verb within two seconds.
//!
//! The first signal asks the work to end. Long work looks for that now and then, saves what it has to save and
//! ends with its own exit code. Whatever does not look, or waits for something that does not come, is ended after a
//! grace, unless a checkpoint is being written. The second signal ends the process at once.

use noccl::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code of work that was interrupted and left nothing to go on from.
pub const INTERRUPTED: i32 = 130;
/// Time for work that looks for the signal.
const GRACE: Duration = Duration::from_millis(1200);
/// Time between two looks whether a checkpoint is complete.
const WAKE_UP: Duration = Duration::from_millis(20);

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Has somebody asked the work to end?
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}

/// Asks the work to end, or takes that back.
pub fn ask(is_asked: bool) {
    IS_ASKED.store(is_asked, Ordering::Relaxed);
}

/// Looks for signals from now on.
///
/// # Errors
/// [`Error::Argument`] if the system does not let it.
pub fn install() -> Result<(), Error> {
    let on_signal = || {
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            end();
        }
        // The handler must be free for the second signal.
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            while noccl::collective::is_saving() {
                std::thread::sleep(WAKE_UP);
            }
            end();
        });
    };
    ctrlc::set_handler(on_signal)
        .map_err(|e| Error::argument("Ctrl-C handler", e, "cannot be installed"))
}

fn end() {
    std::process::exit(INTERRUPTED);
}
