//! Any text: no panic, and what parses prints to text that parses to the same tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvptx_builder::ptx;

fuzz_target!(|text: &str| {
    let Ok(module) = ptx::parse(text) else { return };
    let printed = module.to_string();
    let again = ptx::parse(&printed).expect("printed PTX parses");
    assert_eq!(again, module);
    assert_eq!(again.to_string(), printed);
    if let Some(metadata) = &module.metadata {
        for entry in module.entries() {
            let _ = metadata.check_entry(entry);
        }
    }
});
