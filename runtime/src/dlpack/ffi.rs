//! The structures of DLPack 1.3, as its C header `dlpack.h` lays them out for 64-bit machines.

use std::ffi::c_void;
use std::mem::offset_of;

/// `DLPackVersion`: the version of the structures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Another major version is another layout.
    pub major: u32,
    /// A newer minor version has more codes.
    pub minor: u32,
}

/// The version that exports declare.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 3 };

/// `DLDevice`: where the data is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// `DLDeviceType`; [`CPU`](Self::CPU) and [`CUDA`](Self::CUDA) are those that exports have.
    pub device_type: u32,
    /// The device's number; 0 for the CPU.
    pub device_id: i32,
}

impl DLDevice {
    /// `kDLCPU`
    pub const CPU: u32 = 1;
    /// `kDLCUDA`
    pub const CUDA: u32 = 2;
}

/// `DLDataType`: the type of an element.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// `DLDataTypeCode`, one of the constants here.
    pub code: u8,
    /// Bits of an element.
    pub bits: u8,
    /// 1, but for vector types.
    pub lanes: u16,
}

impl DLDataType {
    /// `kDLInt`
    pub const INT: u8 = 0;
    /// `kDLUInt`
    pub const UINT: u8 = 1;
    /// `kDLFloat`
    pub const FLOAT: u8 = 2;
    /// `kDLBool`: a byte, 0 or 1.
    pub const BOOL: u8 = 6;
}

/// `DLTensor`: data, and how to read it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// An address on the device; NULL if there are no elements.
    pub data: *mut c_void,
    /// Where it is.
    pub device: DLDevice,
    /// How many dimensions.
    pub ndim: i32,
    /// The element type.
    pub dtype: DLDataType,
    /// `ndim` sizes.
    pub shape: *mut i64,
    /// `ndim` distances in elements; not NULL since DLPack 1.2.
    pub strides: *mut i64,
    /// Where the first element is, in bytes from `data`.
    pub byte_offset: u64,
}

/// `DLManagedTensor`: the structure before DLPack 1.0, without version and flags.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The data.
    pub dl_tensor: DLTensor,
    /// The producer's.
    pub manager_ctx: *mut c_void,
    /// To be called once when the data is no longer needed, with the structure itself.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// `DLManagedTensorVersioned`: the structure since DLPack 1.0.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// To be looked at before anything else.
    pub version: DLPackVersion,
    /// The producer's.
    pub manager_ctx: *mut c_void,
    /// To be called once when the data is no longer needed, with the structure itself.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`READ_ONLY`](Self::READ_ONLY) and others.
    pub flags: u64,
    /// The data.
    pub dl_tensor: DLTensor,
}

impl DLManagedTensorVersioned {
    /// `DLPACK_FLAG_BITMASK_READ_ONLY`: the consumer must not write.
    pub const READ_ONLY: u64 = 1;
    /// `DLPACK_FLAG_BITMASK_IS_COPIED`: nobody else has this memory.
    pub const IS_COPIED: u64 = 2;
}

// Offsets of dlpack.h, version 1.3, on a machine with 64-bit pointers.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<DLPackVersion>() == 8);
    assert!(size_of::<DLDevice>() == 8 && offset_of!(DLDevice, device_id) == 4);
    assert!(size_of::<DLDataType>() == 4 && align_of::<DLDataType>() == 2);
    assert!(offset_of!(DLDataType, bits) == 1 && offset_of!(DLDataType, lanes) == 2);
    assert!(size_of::<DLTensor>() == 48 && offset_of!(DLTensor, data) == 0);
    assert!(offset_of!(DLTensor, device) == 8 && offset_of!(DLTensor, ndim) == 16);
    assert!(offset_of!(DLTensor, dtype) == 20 && offset_of!(DLTensor, shape) == 24);
    assert!(offset_of!(DLTensor, strides) == 32 && offset_of!(DLTensor, byte_offset) == 40);
    assert!(size_of::<DLManagedTensor>() == 64 && offset_of!(DLManagedTensor, dl_tensor) == 0);
    assert!(offset_of!(DLManagedTensor, manager_ctx) == 48);
    assert!(offset_of!(DLManagedTensor, deleter) == 56);
    assert!(size_of::<DLManagedTensorVersioned>() == 80);
    assert!(offset_of!(DLManagedTensorVersioned, version) == 0);
    assert!(offset_of!(DLManagedTensorVersioned, manager_ctx) == 8);
    assert!(offset_of!(DLManagedTensorVersioned, deleter) == 16);
    assert!(offset_of!(DLManagedTensorVersioned, flags) == 24);
    assert!(offset_of!(DLManagedTensorVersioned, dl_tensor) == 32);
};
