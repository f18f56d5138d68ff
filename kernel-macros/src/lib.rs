//! The attribute macros of Gridlaunch.
//!
//! This crate is a shell: it hands the function's tokens to [`nvptx_builder::compile`] and quotes
//! what comes back. Use it through the `gridlaunch` crate, which re-exports [`macro@kernel`].

#![deny(missing_docs)]

mod attr;
mod expand;
mod item;
mod signature;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Turns a function into a GPU kernel.
///
/// The function is compiled to PTX while the crate is built. In its place come a type and a value
/// of the function's name:
///
/// - the value is the kernel's dispatcher: `saxpy.configure(grid, block)`;
/// - the type stands for the kernel in signatures, `Dispatcher<saxpy>`, and has the function
///   `saxpy::on_host(grid, block, …)`, which runs the kernel's Rust code on the CPU, once for every
///   thread: the reference to test against.
///
/// Like any `static`, the value keeps its name to itself: in the same module, no variable can be
/// called as the kernel is.
///
/// # Arguments
/// - `contract = false`: `a * b + c` keeps its two roundings. By default it may become one fused
///   multiply-add, as in every GPU compiler.
/// - `crate = path`: where the `gridlaunch` crate is, if not at `::gridlaunch`.
///
/// # What a kernel can be
/// A free function that returns nothing. Its parameters are scalars (`bool`, the integers up to 64
/// bits, `f32`, `f64`), `&[T]` and `&mut [T]` of them. What its body can use is in the
/// documentation of the `gridlaunch` crate; anything else is an error at its own place in the
/// source that says what to write instead.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::kernel(arguments.into(), item.into(), &nvptx_builder::compile).into()
}
