//! stub
use crate::ir::Function;
/// x
pub(super) fn narrow_indices(_: &mut Function) -> bool {
    false
}
