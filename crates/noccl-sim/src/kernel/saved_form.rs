// SPDX-License-Identifier: Apache-2.0
//! Forms that serde lacks: long byte arrays, maps whose bytes do not depend on a hash, queues whose bytes do
//! not depend on their past.

use crate::kernel::inline_queue::InlineQueue;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

/// A byte array of any length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SavedBytes<const N: usize>(pub [u8; N]);

impl<const N: usize> Serialize for SavedBytes<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(N)?;
        self.0.iter().try_for_each(|b| tuple.serialize_element(b))?;
        tuple.end()
    }
}

impl<'de, const N: usize> Deserialize<'de> for SavedBytes<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Filler<const N: usize>;
        impl<'de, const N: usize> Visitor<'de> for Filler<N> {
            type Value = SavedBytes<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{N} bytes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<SavedBytes<N>, A::Error> {
                let mut bytes = [0; N];
                for (at, byte) in bytes.iter_mut().enumerate() {
                    let next = seq.next_element()?;
                    *byte = next.ok_or_else(|| Error::invalid_length(at, &self))?;
                }
                Ok(SavedBytes(bytes))
            }
        }
        deserializer.deserialize_tuple(N, Filler)
    }
}

/// A map in the order of its keys.
pub(crate) struct Sorted<'a, A, B>(pub &'a HashMap<A, B>);

impl<A: Serialize + Ord, B: Serialize> Serialize for Sorted<'_, A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        serializer.collect_map(entries)
    }
}

/// [`Sorted`] for fields.
pub(crate) fn sorted<A: Serialize + Ord, B: Serialize, S: Serializer>(
    map: &HashMap<A, B>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Sorted(map).serialize(serializer)
}

impl<T: Serialize + Copy + Default, const N: usize> Serialize for InlineQueue<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.len()))?;
        self.iter().try_for_each(|e| seq.serialize_element(e))?;
        seq.end()
    }
}

impl<'de, T: Deserialize<'de> + Copy + Default, const N: usize> Deserialize<'de>
    for InlineQueue<T, N>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Filler<T, const N: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Copy + Default, const N: usize> Visitor<'de> for Filler<T, N> {
            type Value = InlineQueue<T, N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a queue")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> Result<InlineQueue<T, N>, A::Error> {
                let mut few = InlineQueue::default();
                while let Some(element) = seq.next_element()? {
                    few.push_back(element);
                }
                Ok(few)
            }
        }
        deserializer.deserialize_seq(Filler(PhantomData))
    }
}
