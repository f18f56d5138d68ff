//! PTX text and tree: what the printer writes, the parser reads back.

use nvptx_builder::ptx;

#[test]
fn our_canonical_text_prints_back_byte_for_byte() {
    let text = include_str!("ptx/saxpy.ptx");
    assert_eq!(ptx::parse(text).unwrap().to_string(), text);
}
