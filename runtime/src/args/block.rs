//! The packed parameters of one launch.

use crate::element::Element;

/// The most parameters that a kernel can have: the largest tuple of arguments.
pub(crate) const PARAMETERS: usize = 16;

/// Room for that many slices (address and length), and the address of the panic record. The
/// driver's limit of 4 KiB is out of reach.
const WORDS: usize = 2 * PARAMETERS + 1;

/// Parameters at their natural alignment, in the order of the entry's `.param` list, on the stack.
pub(crate) struct ParamBlock {
    /// Words, so that the block is aligned as its largest parameter.
    words: [u64; WORDS],
    len: usize,
}

impl ParamBlock {
    #[inline]
    pub(crate) fn new() -> ParamBlock {
        ParamBlock { words: [0; WORDS], len: 0 }
    }

    /// Appends a value at the next multiple of its size.
    ///
    /// # Panics
    /// If the block is full, which more than [`PARAMETERS`] parameters would take.
    #[inline]
    pub(crate) fn push<T: Element>(&mut self, value: T) {
        let size = size_of::<T>();
        let offset = self.len.next_multiple_of(size);
        assert!(offset + size <= size_of_val(&self.words), "the parameter block is full");
        // SAFETY: an element has no padding, so its bytes are initialised; the place is inside of
        // `words` by the assertion, of which every byte is writable.
        unsafe { self.words.as_mut_ptr().byte_add(offset).cast::<T>().write_unaligned(value) };
        self.len = offset + size;
    }

    /// The bytes so far.
    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: all bytes of `words` are initialised, `len` of them lie within, and a byte has no
        // invalid value.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_lie_at_their_natural_alignment() {
        let mut block = ParamBlock::new();
        block.push(1u8);
        block.push(0x0302u16);
        block.push(true);
        block.push(f32::from_bits(0x0706_0504));
        block.push(8u8);
        block.push(0x100f_0e0d_0c0b_0a09u64);
        assert_eq!(
            block.bytes(),
            [1, 0, 2, 3, 1, 0, 0, 0, 4, 5, 6, 7, 8, 0, 0, 0, 9, 10, 11, 12, 13, 14, 15, 16]
        );
        assert_eq!(block.bytes().as_ptr() as usize % 8, 0);
    }

    #[test]
    fn the_largest_tuple_fits() {
        let mut block = ParamBlock::new();
        for word in 0..2 * PARAMETERS as u64 + 1 {
            block.push(word);
        }
        assert_eq!(block.bytes().len(), 264);
    }
}
