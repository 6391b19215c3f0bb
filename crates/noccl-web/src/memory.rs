// SPDX-License-Identifier: Apache-2.0
//! The functions that WebAssembly exports, and the one that it imports.
//!
//! A page calls [`noccl_reserve`], writes a call of that many bytes there, calls [`noccl_call`] and reads the response at
//! [`noccl_response`]. A panic leaves its message as the response and ends the instance with a trap.
#![allow(unsafe_code)]

use crate::call::{Response, response};
use noccl_studies::Step;
use std::panic;
use std::sync::{Mutex, PoisonError};

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn progress(done: f64, total: f64, cycles: f64);
}

fn set(bytes: Vec<u8>) -> usize {
    let length = bytes.len();
    *BUFFER.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
    length
}

/// Reserves space for a call.
#[unsafe(no_mangle)]
pub extern "C" fn noccl_reserve(bytes: usize) -> *mut u8 {
    set(vec![0; bytes]);
    BUFFER
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .as_mut_ptr()
}

/// Carries out the call in the reserved space; returns the length of the response.
#[unsafe(no_mangle)]
pub extern "C" fn noccl_call() -> usize {
    panic::set_hook(Box::new(|message| {
        set(message.to_string().into_bytes());
    }));
    let call = std::mem::take(&mut *BUFFER.lock().unwrap_or_else(PoisonError::into_inner));
    let result = response(&call, &report);
    let text = serde_json::to_vec(&result).unwrap_or_else(|error| {
        let lost = Response::Error(format!("the response cannot be written: {error}"));
        // 0: never taken, a text alone can always be written.
        serde_json::to_vec(&lost).unwrap_or_default()
    });
    set(text)
}

/// The response, or the message of a panic.
#[unsafe(no_mangle)]
pub extern "C" fn noccl_response() -> *const u8 {
    BUFFER
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ptr()
}

/// Length of the response, for the message of a panic.
#[unsafe(no_mangle)]
pub extern "C" fn noccl_response_bytes() -> usize {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner).len()
}

#[cfg(target_family = "wasm")]
fn report(step: Step) -> bool {
    // SAFETY: the page's function takes three numbers and returns nothing.
    unsafe {
        progress(
            step.done as f64,
            step.total as f64,
            step.simulated_cycles as f64,
        );
    }
    true
}

#[cfg(not(target_family = "wasm"))]
const fn report(_: Step) -> bool {
    true
}
