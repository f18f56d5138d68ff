//! stub
use crate::ir::Function;
/// x
pub(super) fn merge_guards(_: &mut Function) -> bool {
    false
}
