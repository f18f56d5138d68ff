//! Types of the user's that are called as primitive ones are.

#![allow(non_camel_case_types)]

use gridlaunch::prelude::*;

mod other {
    pub struct str;
    pub struct Option;
    pub struct Into;
}

#[kernel]
fn fill(value: u32, out: &mut [u32]) {
    let i = thread::global_x();
    if i < out.len() {
        out[i] = value;
    }
}

fn main() {
    #[allow(unused_imports)]
    use other::{Into, Option, str};

    #[kernel]
    fn local(value: u32, out: &mut [u32]) {
        out[0] = value;
    }

    let mut out = [0; 4];
    fill::on_host(1, 4, 7, &mut out);
    local::on_host(1, 1, 9, &mut out);
    assert_eq!(out, [9, 7, 7, 7]);
}
