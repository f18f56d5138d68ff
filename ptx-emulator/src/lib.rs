//! Runs NVIDIA PTX on the CPU: warps in lockstep, blocks in parallel, every memory access checked.
//!
//! ```
//! use ptx_emulator::{Launch, Memory, Program, run};
//!
//! let program = Program::load(
//!     ".version 6.0
//!      .target sm_70
//!      .address_size 64
//!      .visible .entry double(.param .u64 data)
//!      {
//!          .reg .b32 %r<3>;
//!          .reg .b64 %rd<3>;
//!          ld.param.u64 %rd0, [data];
//!          mov.u32 %r0, %tid.x;
//!          mul.wide.u32 %rd1, %r0, 4;
//!          add.s64 %rd2, %rd0, %rd1;
//!          ld.global.u32 %r1, [%rd2];
//!          add.s32 %r2, %r1, %r1;
//!          st.global.u32 [%rd2], %r2;
//!          ret;
//!      }",
//! )?;
//! let kernel = program.kernel("double").expect("the text has it");
//! let memory = Memory::new();
//! let address = memory.allocate(8)?;
//! memory.write(address, &[1, 0, 0, 0, 2, 0, 0, 0])?;
//!
//! let params = address.to_le_bytes();
//! let launch = Launch {
//!     grid: [1, 1, 1],
//!     block: [2, 1, 1],
//!     dynamic_shared: 0,
//!     params: &params,
//!     workers: None,
//! };
//! let counters = run(kernel, &launch, &memory)?;
//! assert_eq!(counters.lane_operations, 16);
//!
//! let mut bytes = [0; 8];
//! memory.read(address, &mut bytes)?;
//! assert_eq!(bytes, [2, 0, 0, 0, 4, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//! [`Program::load`] parses the text and decodes it once: registers become dense slots that are
//! shared by registers which do not live at the same time, constants, parameters and special
//! registers become slots that are filled beforehand, and each instruction becomes a function
//! pointer with its slots. [`run`] executes that, 32 lanes at a time. The text's types are taken
//! from its instructions alone: a register is bits, so PTX in LLVM's style, where `.b32` registers
//! hold floats, runs as well.
//!
//! # What is checked
//! Every global access is inside one live allocation, every shared access inside the block's
//! shared memory, every local access inside the thread's; all are naturally aligned. Barriers are
//! reached by all threads that have not exited. What is not so ends the launch with a [`Fault`] that
//! names the source line, the block and the thread.
//!
//! # What differs from a GPU
//! - The `.approx` instructions are as accurate as f32 allows, and not bit for bit the GPU's.
//! - `%clock` counts instructions.
//! - A freed buffer's addresses are not used again for a while, and fresh memory is `0xff` bytes.

#![deny(missing_docs)]

mod counters;
mod decode;
mod exec;
mod fault;
mod launch;
mod memory;
mod program;

pub use counters::Counters;
pub use decode::{LoadError, Refusal};
pub use exec::{run, run_with};
pub use fault::{Access, Fault, FaultKind, Nearest, Space, ThreadId};
pub use launch::{LIMITS, Launch, Limits, Options};
pub use memory::{Memory, MemoryError, OutOfMemory};
pub use program::{Kernel, Program, SourceLocation};
