//! A configured kernel travels as grid, block and PTX.

use gridlaunch::prelude::*;
use gridlaunch::{Error, Result};

use crate::support::stream;

#[kernel]
fn scale(factor: f32, data: &mut [f32]) {
    let i = thread::global_x();
    if i < data.len() {
        data[i] *= factor;
    }
}

#[kernel]
fn other(data: &mut [f64]) {
    let i = thread::global_x();
    if i < data.len() {
        data[i] = 1.0;
    }
}

fn text<K: gridlaunch::Kernel>(dispatcher: &Dispatcher<K>) -> String {
    serde_json::to_string(dispatcher).expect("a dispatcher serializes")
}

#[test]
fn it_has_grid_block_and_ptx_and_nothing_else() {
    let value = serde_json::to_value(scale.configure((4, 2), 64)).expect("a dispatcher serializes");
    let fields: Vec<&str> =
        value.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(fields, ["block", "grid", "ptx"]);
    assert!(value["ptx"].as_str().is_some_and(|ptx| ptx.starts_with("//@ gridlaunch 1\n")));
    assert!(value["ptx"].as_str().is_some_and(|ptx| ptx.ends_with("//@ end\n")));
}

#[test]
fn no_trace_of_a_stream_or_a_launch_is_in_the_bytes() -> Result<()> {
    let stream = stream();
    let unbound = scale.configure(4, 64);
    let before = text(&unbound);
    let bound = unbound.on(&stream);
    assert_eq!(text(&bound), before);

    let mut data = stream.upload(&[1.0f32; 10])?;
    bound.launch((2.0, &mut data))?;
    stream.synchronize()?;
    assert_eq!(text(&bound), before);

    let received: Dispatcher<scale> = serde_json::from_str(&before).expect("our own bytes");
    assert_eq!(text(&received), before);
    received.on(&stream).launch((2.0, &mut data))?;
    assert_eq!(text(&received), before);
    Ok(())
}

#[test]
fn what_was_received_is_unbound_and_does_the_same() -> Result<()> {
    let received: Dispatcher<scale> =
        serde_json::from_str(&text(&scale.configure(2, 64))).expect("our own bytes");
    assert_eq!(received.grid().x, 2);
    assert_eq!(received.block().x, 64);
    assert_eq!(received.ptx(), scale.ptx());

    let stream = stream();
    let mut data = stream.upload(&[1.5f32; 100])?;
    match received.launch((2.0, &mut data)) {
        Err(Error::StreamNotBound { kernel }) => assert_eq!(kernel, "scale"),
        result => panic!("{result:?}"),
    }
    received.on(&stream).launch((2.0, &mut data))?;
    assert_eq!(stream.download(&data)?, [3.0; 100]);
    Ok(())
}

#[test]
fn the_source_alone_decides_the_ptx() {
    assert_eq!(scale.configure(1, 32).ptx(), scale.configure(9, 64).ptx());
    let manifest = env!("CARGO_MANIFEST_DIR");
    assert!(!scale.ptx().contains(manifest), "the build machine's path is in the PTX");
    assert!(scale.ptx().contains(file!()), "the source file is not in the PTX");
}

#[test]
fn another_kernels_bytes_are_refused() {
    let bytes = text(&other.configure(1, 32));
    assert!(serde_json::from_str::<Dispatcher<scale>>(&bytes).is_err());
}

#[test]
fn every_truncation_of_the_ptx_is_refused() {
    let value = serde_json::to_value(scale.configure(1, 32)).expect("a dispatcher serializes");
    let ptx = value["ptx"].as_str().expect("text");
    for end in (0..ptx.len()).filter(|end| ptx.is_char_boundary(*end)) {
        let mut cut = value.clone();
        cut["ptx"] = ptx[..end].into();
        // The last line break alone may be missing: the text is whole without it.
        let refused = serde_json::from_value::<Dispatcher<scale>>(cut).is_err();
        assert!(refused || end + 1 == ptx.len(), "cut to {end} of {} bytes", ptx.len());
    }
}

#[test]
fn impossible_dimensions_are_refused() {
    let value = serde_json::to_value(scale.configure(1, 32)).expect("a dispatcher serializes");
    for (part, dimension, number) in [("grid", "x", 0u64), ("block", "y", 0), ("block", "x", 9999)]
    {
        let mut wrong = value.clone();
        wrong[part][dimension] = number.into();
        let refused = serde_json::from_value::<Dispatcher<scale>>(wrong).is_err();
        assert!(refused, "{part}.{dimension} = {number}");
    }
}
