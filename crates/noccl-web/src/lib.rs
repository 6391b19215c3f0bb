// SPDX-License-Identifier: Apache-2.0
//! The engine as WebAssembly: a page sends a call in JSON and gets an response in JSON.
//!
//! Three exported functions over one buffer need neither generated code nor a tool of its own: the page reserves space, writes its
//! call, and reads the response. `wasm-bindgen` would add a program to install and a copy of every text.

mod call;
mod memory;

pub use call::{Call, Response, response};
