// SPDX-License-Identifier: Apache-2.0
//! What every cycle-based engine needs and no network appears in: the event wheel, sets of bits, queues that keep their
//! first entries in place, threads, random streams.

pub(crate) mod bit_set;
pub(crate) mod circle;
pub(crate) mod event_wheel;
pub(crate) mod inline_queue;
pub(crate) mod random;
pub(crate) mod saved_form;
pub(crate) mod threads;
