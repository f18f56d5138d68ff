//! What a dispatcher is as bytes, and the checks on what comes back.

use std::fmt;

use nvptx_builder::metadata::{Metadata, ParamType};
use nvptx_builder::ptx::{self, Item, Module};
use serde::de::{Deserializer, Visitor};
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};

use super::{Dispatcher, Kernel, NO_GRID};
use crate::args::Parameters;
use crate::error::Error;
use crate::geometry::{Block, Bounds, Grid};
use crate::program::{ProgramRef, intern};

/// The longest PTX text that is accepted, in bytes.
pub(crate) const PTX_LIMIT: usize = 16 << 20;

/// A dispatcher as it arrives: of the right form, and nothing checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Dispatcher")]
pub(super) struct Parcel {
    grid: Grid,
    block: Block,
    ptx: PtxText,
}

/// A text within the size limit.
struct PtxText(String);

impl<'de> Deserialize<'de> for PtxText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PtxText, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = PtxText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a PTX text of at most {PTX_LIMIT} bytes")
            }

            // A text that the format has not copied yet is not copied when it is too long.
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<PtxText, E> {
                check_size(text).map_err(E::custom)?;
                Ok(PtxText(text.to_owned()))
            }

            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<PtxText, E> {
                check_size(&text).map_err(E::custom)?;
                Ok(PtxText(text))
            }
        }

        deserializer.deserialize_string(Text)
    }
}

fn check_size(text: &str) -> Result<(), Invalid> {
    if text.len() > PTX_LIMIT { Err(Invalid::TooLong { bytes: text.len() }) } else { Ok(()) }
}

/// Why bytes are no dispatcher of a kernel.
#[derive(Debug, thiserror::Error)]
pub(super) enum Invalid {
    #[error("the PTX has {bytes} bytes, and {PTX_LIMIT} are the limit")]
    TooLong { bytes: usize },
    #[error(transparent)]
    Geometry(#[from] Error),
    #[error("kernel `{kernel}`: its PTX contains a NUL at byte {position}")]
    Nul { kernel: &'static str, position: usize },
    #[error("kernel `{kernel}`: its PTX cannot be parsed: {reason}")]
    Syntax { kernel: &'static str, reason: String },
    #[error("kernel `{kernel}`: its PTX has no Gridlaunch metadata, so its types are unknown")]
    NoMetadata { kernel: &'static str },
    #[error("expected the PTX of kernel `{kernel}`, and this is {found}")]
    OtherKernel { kernel: &'static str, found: String },
    #[error("kernel `{kernel}` is `{expected}` in this program, and `{found}` in the PTX")]
    Signature { kernel: &'static str, expected: String, found: String },
    #[error("kernel `{kernel}`: its PTX contradicts its metadata: {reason}")]
    Entry { kernel: &'static str, reason: String },
}

impl<K: Kernel> TryFrom<Parcel> for Dispatcher<K> {
    type Error = Invalid;

    fn try_from(parcel: Parcel) -> Result<Dispatcher<K>, Invalid> {
        let Parcel { grid, block, ptx: PtxText(text) } = parcel;
        Bounds::ANY_DEVICE.check(K::NAME, grid, block)?;
        let own = K::program();
        let program = if text == own.ptx() {
            ProgramRef::Static(own)
        } else {
            check_ptx::<K>(&text)?;
            ProgramRef::Shared(intern(K::NAME, text))
        };
        Ok(Dispatcher::with_geometry(program, grid, block))
    }
}

/// Checks that a text is PTX that can be launched as `K`.
fn check_ptx<K: Kernel>(text: &str) -> Result<(), Invalid> {
    let kernel = K::NAME;
    if let Some(position) = text.bytes().position(|byte| byte == 0) {
        return Err(Invalid::Nul { kernel, position });
    }
    let module: Module =
        ptx::parse(text).map_err(|error| Invalid::Syntax { kernel, reason: error.to_string() })?;
    let metadata = module.metadata.as_ref().ok_or(Invalid::NoMetadata { kernel })?;
    if metadata.kernel != kernel {
        let found = format!("that of `{}`", metadata.kernel);
        return Err(Invalid::OtherKernel { kernel, found });
    }
    let types: Vec<ParamType> = metadata.params.iter().map(|param| param.ty.clone()).collect();
    if types != K::Params::TYPES {
        return Err(Invalid::Signature {
            kernel,
            expected: signature(kernel, K::Params::TYPES.iter()),
            found: named_signature(metadata),
        });
    }
    let entry_name = nvptx_builder::metadata::ptx_name(kernel);
    let entry = module.items.iter().find_map(|item| match item {
        Item::Function(function) if function.entry && function.name == entry_name => Some(function),
        _ => None,
    });
    let Some(entry) = entry else {
        return Err(Invalid::OtherKernel { kernel, found: "a text without that entry".to_owned() });
    };
    metadata
        .check_entry(entry)
        .map_err(|error| Invalid::Entry { kernel, reason: error.to_string() })
}

fn signature<'a>(kernel: &str, types: impl Iterator<Item = &'a ParamType>) -> String {
    let types: Vec<String> = types.map(ToString::to_string).collect();
    format!("fn {kernel}({})", types.join(", "))
}

fn named_signature(metadata: &Metadata) -> String {
    let params: Vec<String> =
        metadata.params.iter().map(|param| format!("{}: {}", param.name, param.ty)).collect();
    format!("fn {}({})", metadata.kernel, params.join(", "))
}

// What could not be deserialized is not serialized either.

pub(super) fn grid<S: Serializer>(grid: &Grid, serializer: S) -> Result<S::Ok, S::Error> {
    if *grid == NO_GRID {
        return Err(S::Error::custom(
            "the kernel has no geometry yet: serialize what configure(grid, block) returns",
        ));
    }
    Bounds::ANY_DEVICE.check_grid("", *grid).map_err(refused)?;
    grid.serialize(serializer)
}

pub(super) fn block<S: Serializer>(block: &Block, serializer: S) -> Result<S::Ok, S::Error> {
    Bounds::ANY_DEVICE.check_block("", *block).map_err(refused)?;
    block.serialize(serializer)
}

pub(super) fn ptx<S: Serializer>(program: &ProgramRef, serializer: S) -> Result<S::Ok, S::Error> {
    check_size(program.ptx()).map_err(S::Error::custom)?;
    serializer.serialize_str(program.ptx())
}

fn refused<E: serde::ser::Error>(error: Error) -> E {
    match error {
        // A field's serializer does not know the kernel.
        Error::Dimension { dimension, value, limit, .. } => {
            E::custom(format!("{dimension} is {value}, and must be between 1 and {limit}"))
        }
        error => E::custom(error),
    }
}
