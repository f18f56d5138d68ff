//! Any text: no panic, and metadata that parses prints to text that parses to the same metadata.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvptx_builder::metadata::Metadata;

fuzz_target!(|text: &str| {
    let _ = Metadata::from_ptx(text);
    let Ok(metadata) = text.parse::<Metadata>() else { return };
    let printed = metadata.to_string();
    assert!(printed.is_ascii());
    assert_eq!(printed.parse().as_ref(), Ok(&metadata));
    let layout = metadata.layout();
    assert!(layout.slots.windows(2).all(|two| two[0].offset + two[0].size <= two[1].offset));
    for site in metadata.panics.iter().flat_map(|panics| &panics.sites) {
        site.placeholders().expect("messages have been checked");
        let _ = site.format(&[u64::MAX; 8]);
    }
});
