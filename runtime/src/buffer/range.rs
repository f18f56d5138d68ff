//! Ranges of elements.

use std::ops::{Bound, Range, RangeBounds};

use crate::error::{Error, Result};

/// A range as start and end, inside `0..len`.
pub(super) fn resolve(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(start) => Some(*start),
        Bound::Excluded(before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.checked_add(1),
        Bound::Excluded(end) => Some(*end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        (start, end) => Err(Error::Range {
            start: start.unwrap_or(usize::MAX),
            end: end.unwrap_or(usize::MAX),
            len,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_range_is_resolved() {
        assert_eq!(resolve(.., 5), Ok(0..5));
        assert_eq!(resolve(2.., 5), Ok(2..5));
        assert_eq!(resolve(..2, 5), Ok(0..2));
        assert_eq!(resolve(1..=3, 5), Ok(1..4));
        assert_eq!(resolve(5.., 5), Ok(5..5));
        assert_eq!(resolve((Bound::Excluded(1), Bound::Unbounded), 5), Ok(2..5));
    }

    #[test]
    fn what_is_not_inside_is_an_error_with_the_numbers() {
        assert_eq!(resolve(2..6, 5), Err(Error::Range { start: 2, end: 6, len: 5 }));
        assert_eq!(resolve(6.., 5), Err(Error::Range { start: 6, end: 5, len: 5 }));
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = resolve(3..2, 5);
        assert_eq!(reversed, Err(Error::Range { start: 3, end: 2, len: 5 }));
        assert!(resolve(0..=usize::MAX, 5).is_err());
        assert!(resolve((Bound::Excluded(usize::MAX), Bound::Unbounded), 5).is_err());
    }
}
