//! The stream on which a consumer will use the data.

use super::DlpackError;

/// What a consumer says of its stream: the `stream` argument of Python's `__dlpack__`, as the array
/// API standard and DLPack define it for CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConsumerStream(Choice);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Choice {
    NoSync,
    /// A `CUstream`; the two default streams have handles of their own.
    Handle(u64),
}

impl ConsumerStream {
    /// `-1`: no ordering at all; the consumer sees to it by itself.
    pub const NO_SYNC: ConsumerStream = ConsumerStream(Choice::NoSync);

    /// `None` or `1`: the legacy default stream. Gridlaunch's streams do not order themselves
    /// against it, so it has to wait like any other.
    pub const LEGACY_DEFAULT: ConsumerStream = ConsumerStream(Choice::Handle(1)); // CU_STREAM_LEGACY

    /// `2`: the per-thread default stream of the thread that exports.
    pub const PER_THREAD_DEFAULT: ConsumerStream = ConsumerStream(Choice::Handle(2)); // CU_STREAM_PER_THREAD

    /// The stream that an argument of `__dlpack__` means.
    ///
    /// # Errors
    /// [`DlpackError::Stream`] for 0, which is ambiguous between 1 and 2, and below -1.
    ///
    /// # Safety
    /// A number above 2 is a `CUstream` of this process, or is only used for buffers of the
    /// emulator; it is not destroyed before the export.
    pub unsafe fn from_argument(stream: Option<i64>) -> Result<ConsumerStream, DlpackError> {
        match stream {
            Some(-1) => Ok(ConsumerStream::NO_SYNC),
            None => Ok(ConsumerStream::LEGACY_DEFAULT),
            Some(argument) => match u64::try_from(argument) {
                Ok(handle @ 1..) => Ok(ConsumerStream(Choice::Handle(handle))),
                _ => Err(DlpackError::Stream { argument }),
            },
        }
    }

    /// The driver's handle, or `None` for no ordering.
    pub(super) fn handle(self) -> Option<u64> {
        match self.0 {
            Choice::NoSync => None,
            Choice::Handle(handle) => Some(handle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_means_what_the_array_api_says() {
        // SAFETY: nothing is exported.
        let stream = |argument| unsafe { ConsumerStream::from_argument(argument) };
        let handle = |argument| stream(argument).map(ConsumerStream::handle);
        assert_eq!(stream(None), Ok(ConsumerStream::LEGACY_DEFAULT));
        assert_eq!(stream(Some(1)), Ok(ConsumerStream::LEGACY_DEFAULT));
        assert_eq!(stream(Some(2)), Ok(ConsumerStream::PER_THREAD_DEFAULT));
        assert_eq!(stream(Some(-1)), Ok(ConsumerStream::NO_SYNC));
        assert_eq!(handle(None), Ok(Some(1)));
        assert_eq!(handle(Some(3)), Ok(Some(3)));
        assert_eq!(handle(Some(i64::MAX)), Ok(Some(i64::MAX as u64)));
        assert_eq!(handle(Some(-1)), Ok(None));
        for argument in [0, -2, -3, i64::MIN] {
            assert_eq!(stream(Some(argument)), Err(DlpackError::Stream { argument }));
        }
    }
}
