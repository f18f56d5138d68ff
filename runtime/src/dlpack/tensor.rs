//! An exported tensor: memory, and the header that describes it to a consumer.

use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};

use super::DlpackError;
use super::ffi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor, VERSION,
};

/// Memory on its way to a DLPack consumer. It belongs to this value until
/// [`into_raw`](Self::into_raw) or [`into_raw_legacy`](Self::into_raw_legacy) hands it over, and is
/// freed with it if that never happens.
pub struct DlpackTensor(Box<Content>);

/// What an exported tensor keeps alive.
struct Content {
    data: u64,
    device: DLDevice,
    dtype: DLDataType,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    read_only: bool,
    /// The memory, for its `Drop`, which may run on any thread.
    _owner: Box<dyn Send>,
}

impl DlpackTensor {
    /// A tensor in row-major order.
    pub(super) fn new(
        data: u64,
        device: DLDevice,
        dtype: DLDataType,
        shape: Box<[i64]>,
        read_only: bool,
        owner: Box<dyn Send>,
    ) -> DlpackTensor {
        let strides = row_major(&shape);
        let content = Content { data, device, dtype, shape, strides, read_only, _owner: owner };
        DlpackTensor(Box::new(content))
    }

    /// Where the data is.
    pub fn device(&self) -> DLDevice {
        self.0.device
    }

    /// The type of an element.
    pub fn dtype(&self) -> DLDataType {
        self.0.dtype
    }

    /// The sizes of the dimensions.
    pub fn shape(&self) -> &[i64] {
        &self.0.shape
    }

    /// Whether the consumer must not write, because a program still reads the memory.
    pub fn is_read_only(&self) -> bool {
        self.0.read_only
    }

    /// Hands the memory over as the structure of DLPack 1.x (the capsule `dltensor_versioned`).
    /// The consumer calls the structure's deleter exactly once, on whichever thread, when it needs
    /// the memory no longer; until somebody does, the memory stays.
    #[must_use = "nobody else frees the memory"]
    pub fn into_raw(self) -> NonNull<DLManagedTensorVersioned> {
        let flags = if self.0.read_only { DLManagedTensorVersioned::READ_ONLY } else { 0 };
        self.leak(|dl_tensor, manager_ctx| DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx,
            deleter: Some(delete_versioned),
            flags,
            dl_tensor,
        })
    }

    /// Hands the memory over as the structure before DLPack 1.0 (the capsule `dltensor`), for a
    /// consumer that asks for no version.
    ///
    /// # Errors
    /// [`DlpackError::ReadOnly`] if the memory is read-only, which that structure cannot say. The
    /// export is then undone.
    pub fn into_raw_legacy(self) -> Result<NonNull<DLManagedTensor>, DlpackError> {
        if self.0.read_only {
            return Err(DlpackError::ReadOnly);
        }
        Ok(self.leak(|dl_tensor, manager_ctx| DLManagedTensor {
            dl_tensor,
            manager_ctx,
            deleter: Some(delete_legacy),
        }))
    }

    /// A header on the heap, which [`delete`] takes back.
    fn leak<H>(self, header: impl FnOnce(DLTensor, *mut c_void) -> H) -> NonNull<H> {
        let content = Box::leak(self.0);
        let manager_ctx = ptr::from_mut(content).cast();
        let tensor = DLTensor {
            data: ptr::with_exposed_provenance_mut(address(content.data)),
            device: content.device,
            // Exports have at most `MAX_DIMENSIONS`.
            ndim: content.shape.len() as i32,
            dtype: content.dtype,
            shape: pointer(&mut content.shape),
            strides: pointer(&mut content.strides),
            byte_offset: 0,
        };
        NonNull::from(Box::leak(Box::new(header(tensor, manager_ctx))))
    }
}

/// NULL for no numbers.
fn pointer(numbers: &mut [i64]) -> *mut i64 {
    if numbers.is_empty() { ptr::null_mut() } else { numbers.as_mut_ptr() }
}

impl fmt::Debug for DlpackTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DlpackTensor")
            .field("device", &self.device())
            .field("dtype", &self.dtype())
            .field("shape", &self.shape())
            .field("read_only", &self.is_read_only())
            .finish_non_exhaustive()
    }
}

/// A device address as wide as a pointer; 64 bits wherever there is a GPU.
fn address(data: u64) -> usize {
    data as usize
}

/// Distances in elements; dimensions without elements count as one, as everywhere else.
fn row_major(shape: &[i64]) -> Box<[i64]> {
    let mut strides = vec![1i64; shape.len()].into_boxed_slice();
    let mut stride = 1i64;
    for (place, size) in strides.iter_mut().zip(shape).rev() {
        *place = stride;
        stride = stride.saturating_mul((*size).max(1));
    }
    strides
}

unsafe extern "C" fn delete_versioned(header: *mut DLManagedTensorVersioned) {
    // SAFETY: the consumer's, who got the header from `into_raw`.
    unsafe { delete(header, |header| header.manager_ctx) }
}

unsafe extern "C" fn delete_legacy(header: *mut DLManagedTensor) {
    // SAFETY: the consumer's, who got the header from `into_raw_legacy`.
    unsafe { delete(header, |header| header.manager_ctx) }
}

/// Frees a header and the memory behind it. Nothing unwinds into the consumer.
///
/// # Safety
/// `header` is NULL or came from [`DlpackTensor::leak`], and this is the first call for it.
unsafe fn delete<H>(header: *mut H, manager_ctx: fn(&H) -> *mut c_void) {
    if header.is_null() {
        return;
    }
    // SAFETY: the caller's: header and content were boxes that `leak` has leaked, and a consumer
    // may not change the header's `manager_ctx`.
    let content = unsafe {
        let header = Box::from_raw(header);
        Box::from_raw(manager_ctx(&header).cast::<Content>())
    };
    // What could panic is the drop of the memory. There is nobody to tell.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(content)));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::ffi::DLPackVersion;
    use super::*;

    struct Counted(Arc<AtomicUsize>);

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn tensor(shape: &[i64], read_only: bool) -> (DlpackTensor, Arc<AtomicUsize>) {
        let drops = Arc::new(AtomicUsize::new(0));
        let dtype = DLDataType { code: DLDataType::FLOAT, bits: 32, lanes: 1 };
        let device = DLDevice { device_type: DLDevice::CUDA, device_id: 3 };
        let owner = Box::new(Counted(Arc::clone(&drops)));
        (DlpackTensor::new(0x1000, device, dtype, shape.into(), read_only, owner), drops)
    }

    #[test]
    fn memory_is_freed_once_by_whoever_has_it() {
        let (kept, drops) = tensor(&[4], false);
        drop(kept);
        assert_eq!(drops.load(Ordering::SeqCst), 1, "never handed over");

        let (handed, drops) = tensor(&[4], false);
        let raw = handed.into_raw();
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        // SAFETY: a live header; its deleter is called once.
        unsafe { (raw.as_ref().deleter.unwrap())(raw.as_ptr()) };
        assert_eq!(drops.load(Ordering::SeqCst), 1);

        let (handed, drops) = tensor(&[4], false);
        let raw = handed.into_raw_legacy().unwrap().as_ptr() as usize;
        std::thread::spawn(move || {
            let raw = raw as *mut DLManagedTensor;
            // SAFETY: a live header; its deleter is called once, on another thread.
            unsafe { ((*raw).deleter.unwrap())(raw) };
        })
        .join()
        .unwrap();
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_panic_while_freeing_does_not_reach_the_consumer() {
        struct Bad;
        impl Drop for Bad {
            fn drop(&mut self) {
                panic!("on purpose");
            }
        }
        let (mut tensor, _) = tensor(&[1], false);
        tensor.0._owner = Box::new(Bad);
        let raw = tensor.into_raw();
        // SAFETY: a live header; its deleter is called once.
        unsafe { (raw.as_ref().deleter.unwrap())(raw.as_ptr()) };
    }

    #[test]
    fn headers_describe_the_tensor() {
        let (exported, _) = tensor(&[2, 3, 4], true);
        let raw = exported.into_raw();
        // SAFETY: a live header with arrays of `ndim` numbers; its deleter is called once, last.
        unsafe {
            let header = raw.as_ref();
            assert_eq!(header.version, DLPackVersion { major: 1, minor: 3 });
            assert_eq!(header.flags, DLManagedTensorVersioned::READ_ONLY);
            let it = header.dl_tensor;
            assert_eq!((it.data as usize, it.ndim, it.byte_offset), (0x1000, 3, 0));
            assert_eq!(std::slice::from_raw_parts(it.shape, 3), [2, 3, 4]);
            assert_eq!(std::slice::from_raw_parts(it.strides, 3), [12, 4, 1]);
            (header.deleter.unwrap())(raw.as_ptr());
        }
    }

    #[test]
    fn the_old_structure_refuses_read_only_memory() {
        let (exported, drops) = tensor(&[2], true);
        assert_eq!(exported.into_raw_legacy(), Err(DlpackError::ReadOnly));
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn strides_are_row_major_also_without_elements() {
        assert_eq!(*row_major(&[]), []);
        assert_eq!(*row_major(&[5]), [1]);
        assert_eq!(*row_major(&[2, 0, 3]), [3, 3, 1]);
    }
}
