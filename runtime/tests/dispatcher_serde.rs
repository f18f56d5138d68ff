//! A dispatcher as bytes.

mod kernels;

use gridlaunch_runtime::{Device, Dispatcher, Grid};
use kernels::{SAXPY, nothing, saxpy};
use serde_json::{Value, json};

fn parcel() -> Value {
    serde_json::to_value(saxpy.configure((4, 2), 256)).unwrap()
}

/// What is wrong with a parcel.
fn refused(parcel: &Value) -> String {
    match serde_json::from_value::<Dispatcher<saxpy>>(parcel.clone()) {
        Err(error) => error.to_string(),
        Ok(kernel) => panic!("accepted: {kernel:?}"),
    }
}

fn with_ptx(ptx: &str) -> Value {
    let mut parcel = parcel();
    parcel["ptx"] = json!(ptx);
    parcel
}

#[test]
fn it_is_grid_block_and_ptx() {
    let expected = json!({
        "grid": {"x": 4, "y": 2, "z": 1},
        "block": {"x": 256, "y": 1, "z": 1, "dynamic_shared": 0},
        "ptx": SAXPY,
    });
    assert_eq!(parcel(), expected);
}

#[test]
fn neither_a_stream_nor_a_launch_leaves_a_trace() {
    let device = Device::any().unwrap();
    let (stream, other) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let bytes = |kernel: &Dispatcher<saxpy>| serde_json::to_string(kernel).unwrap();
    let unbound = saxpy.configure(4, 256);
    let original = bytes(&unbound);
    let bound = unbound.on(&stream);
    assert_eq!(bytes(&bound), original);
    assert_eq!(bytes(&unbound.on(&other)), original);

    let (x, mut y) = (stream.upload(&[1.0f32; 10]).unwrap(), stream.zeros::<f32>(10).unwrap());
    bound.launch((1.0, &x, &mut y)).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(bytes(&bound), original);

    let received: Dispatcher<saxpy> = serde_json::from_str(&original).unwrap();
    assert_eq!(bytes(&received), original);
    assert!(received.stream().is_none());
    received.on(&other).launch((1.0, &x, &mut y)).unwrap();
    assert_eq!(bytes(&received), original);
    assert_eq!(other.download(&y).unwrap(), [2.0; 10]);
    // Other formats than JSON, too, come back by the order of the fields.
    assert!(original.starts_with(r#"{"grid":"#), "{original}");
}

#[test]
fn another_build_of_the_kernel_is_launched_as_it_came() {
    let other = SAXPY.replace("fma.rn.f32 %f4, %f1, %f2, %f3", "sub.rn.f32 %f4, %f3, %f2");
    let kernel: Dispatcher<saxpy> = serde_json::from_value(with_ptx(&other)).unwrap();
    assert_eq!(kernel.ptx(), other);
    assert_eq!(kernel.grid(), Grid::from((4, 2)));
    let stream = Device::any().unwrap().new_stream().unwrap();
    let (x, mut y) = (stream.upload(&[1.0f32; 3]).unwrap(), stream.zeros::<f32>(3).unwrap());
    kernel.configure(1, 32).on(&stream).launch((100.0, &x, &mut y)).unwrap();
    assert_eq!(stream.download(&y).unwrap(), [-1.0; 3]);
}

#[test]
fn a_kernel_without_a_geometry_refuses_to_be_serialized() {
    let text = serde_json::to_string(&saxpy.clone()).unwrap_err().to_string();
    assert!(text.contains("configure(grid, block)"), "{text}");
    let text = serde_json::to_string(&saxpy.configure((1, 70_000), 1)).unwrap_err().to_string();
    assert!(text.contains("grid.y is 70000, and must be between 1 and 65535"), "{text}");
    assert!(serde_json::to_string(&saxpy.configure(1, 0)).is_err());
}

#[test]
fn fields_that_are_missing_unknown_or_twice_are_refused() {
    for field in ["grid", "block", "ptx"] {
        let mut parcel = parcel();
        parcel.as_object_mut().unwrap().remove(field);
        assert!(refused(&parcel).contains(field));
    }
    for (object, field) in [("grid", "y"), ("block", "dynamic_shared")] {
        let mut parcel = parcel();
        parcel[object].as_object_mut().unwrap().remove(field);
        assert!(refused(&parcel).contains(field));
    }
    let mut parcel = parcel();
    parcel["stream"] = json!(140_301_234);
    assert!(refused(&parcel).contains("unknown field `stream`"));
    let mut parcel = self::parcel();
    parcel["grid"]["w"] = json!(1);
    assert!(refused(&parcel).contains("unknown field `w`"));
    let twice = serde_json::to_string(&self::parcel()).unwrap().replacen('{', r#"{"ptx":"","#, 1);
    let error = serde_json::from_str::<Dispatcher<saxpy>>(&twice).unwrap_err().to_string();
    assert!(error.contains("duplicate field `ptx`"), "{error}");
}

#[test]
fn impossible_dimensions_are_refused() {
    let with = |object: &str, field: &str, value: Value| {
        let mut parcel = parcel();
        parcel[object][field] = value;
        refused(&parcel)
    };
    assert!(with("grid", "x", json!(0)).contains("kernel `saxpy`: grid.x is 0"));
    assert!(with("grid", "y", json!(65_536)).contains("grid.y is 65536"));
    assert!(with("block", "y", json!(5)).contains("threads per block is 1280"));
    assert!(with("block", "z", json!(65)).contains("block.z is 65, and must be between 1 and 64"));
    for value in [json!(-1), json!(1.5), json!(1u64 << 32), json!("4"), json!(null), json!([4])] {
        with("grid", "x", value);
    }
}

#[test]
fn ptx_of_something_else_is_refused_with_the_difference() {
    let text = refused(&with_ptx(nothing.ptx()));
    assert!(text.contains("expected the PTX of kernel `saxpy`, and this is that of `nothing`"));

    let double = SAXPY.replace("//@ param a f32", "//@ param a f64");
    let text = refused(&with_ptx(&double));
    assert!(text.contains("fn saxpy(f32, &[f32], &mut [f32])"), "{text}");
    assert!(text.contains("fn saxpy(a: f64, x: &[f32], y: &mut [f32])"), "{text}");

    let shared = SAXPY.replace("//@ param y &mut [f32]", "//@ param y &[f32]");
    assert!(refused(&with_ptx(&shared)).contains("y: &[f32]"));

    // The metadata are as they should be, but the entry is another.
    let renamed = SAXPY.replace(".entry saxpy(", ".entry daxpy(");
    assert!(refused(&with_ptx(&renamed)).contains("without that entry"));
    let shorter = SAXPY.replace("    .param .f32 saxpy_a,\n", "");
    assert!(refused(&with_ptx(&shorter)).contains("contradicts its metadata"));
}

#[test]
fn texts_that_are_no_ptx_are_refused() {
    for text in ["", "//@ end", "not PTX", "{}", ".version 6.0\n.target sm_70\n"] {
        refused(&with_ptx(text));
    }
    let without_metadata: String = SAXPY
        .lines()
        .filter(|line| !line.starts_with("//@"))
        .map(|line| format!("{line}\n"))
        .collect();
    refused(&with_ptx(&without_metadata));
    let text = refused(&with_ptx(&SAXPY.replace("ret;", "ret;\0")));
    assert!(text.contains("NUL at byte"), "{text}");
    for value in [json!(null), json!(1), json!([46, 118]), json!({})] {
        let mut parcel = parcel();
        parcel["ptx"] = value;
        refused(&parcel);
    }
}

#[test]
fn a_text_above_the_size_limit_is_refused() {
    let padding = " ".repeat(16 << 20);
    let text = refused(&with_ptx(&SAXPY.replace("ret;", &format!("ret;{padding}"))));
    assert!(text.contains("16777216"), "{text}");
}

#[test]
fn a_parcel_that_was_cut_short_is_refused_wherever_it_was_cut() {
    let bytes = serde_json::to_vec(&parcel()).unwrap();
    for end in 0..bytes.len() {
        assert!(serde_json::from_slice::<Dispatcher<saxpy>>(&bytes[..end]).is_err(), "at {end}");
    }
    // So is a PTX that was.
    for end in 0..SAXPY.trim_end().len() {
        refused(&with_ptx(&SAXPY[..end]));
    }
}

#[test]
fn a_thousand_parcels_are_one_program() {
    let stream = Device::any().unwrap().new_stream().unwrap();
    let (x, mut y) = (stream.upload(&[1.0f32]).unwrap(), stream.zeros::<f32>(1).unwrap());
    let other = serde_json::to_string(&with_ptx(&SAXPY.replace("%f", "%q"))).unwrap();
    let texts: Vec<*const u8> = (0..1000)
        .map(|_| {
            let kernel: Dispatcher<saxpy> = serde_json::from_str(&other).unwrap();
            kernel.configure(1, 32).on(&stream).launch((1.0, &x, &mut y)).unwrap();
            kernel.ptx().as_ptr()
        })
        .collect();
    assert!(texts.iter().all(|text| *text == texts[0]), "each launch had a program of its own");
    assert_eq!(stream.download(&y).unwrap(), [1000.0]);
    let own: Dispatcher<saxpy> = serde_json::from_value(parcel()).unwrap();
    assert_eq!(own.ptx().as_ptr(), saxpy.ptx().as_ptr(), "its own text is the program's own");
}
