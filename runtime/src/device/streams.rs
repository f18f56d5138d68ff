//! The streams of a device that are alive.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::stream::{Inner, Stream};

/// The streams of one device, so that it can wait for them, and so that a handle that is borrowed
/// twice is one stream.
#[derive(Default)]
pub(crate) struct StreamList(Mutex<Vec<Weak<Inner>>>);

impl StreamList {
    pub(crate) fn add(&self, stream: &Stream) {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|known| known.strong_count() > 0);
        streams.push(Arc::downgrade(&stream.inner));
    }

    pub(crate) fn live(&self) -> Vec<Stream> {
        let streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.iter().filter_map(Weak::upgrade).map(|inner| Stream { inner }).collect()
    }

    pub(crate) fn find(&self, handle: u64) -> Option<Stream> {
        self.live().into_iter().find(|stream| stream.raw_handle() == handle)
    }
}
