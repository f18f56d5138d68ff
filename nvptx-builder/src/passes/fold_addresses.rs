//! stub
use crate::ir::Function;
/// x
pub(super) fn fold_addresses(_: &mut Function) -> bool {
    false
}
