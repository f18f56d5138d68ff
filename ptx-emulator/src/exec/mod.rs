//! Runs launches.
//!
//! Blocks are taken in order by worker threads, one at a time each. A block's warps run in turn on
//! their worker, each until it waits at a barrier (or has had its share, so that a warp may wait for
//! another in a loop); a warp's 32 lanes run in lockstep, and where they diverge, the lanes that are
//! furthest behind in the text run first, so that the others wait for them where the paths join.

#![allow(clippy::needless_range_loop, reason = "a lane's number indexes several arrays")]

pub(crate) mod atomic;
pub(crate) mod bits;
mod block;
mod context;
pub(crate) mod convert;
pub(crate) mod cross_lane;
pub(crate) mod double;
mod element;
pub(crate) mod float;
pub(crate) mod global;
pub(crate) mod integer;
pub(crate) mod isa;
pub(crate) mod lanes;
pub(crate) mod local;
pub(crate) mod moves;
pub(crate) mod pattern;
mod presets;
pub(crate) mod shapes;
pub(crate) mod shared;
mod warp;

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use context::Context;
pub(crate) use element::Element;

use self::block::Worker;
use crate::counters::Counters;
use crate::fault::Fault;
use crate::launch::{self, Launch, Options};
use crate::memory::{Memory, Table};
use crate::program::Kernel;

/// Runs a launch to its end.
///
/// # Errors
/// A [`Fault`]: the launch was refused, or a thread did something that it must not. Memory then
/// holds what was written until then.
pub fn run(kernel: &Kernel, launch: &Launch<'_>, memory: &Memory) -> Result<Counters, Fault> {
    run_with(kernel, launch, memory, &Options::default())
}

/// [`run`] with options.
///
/// # Errors
/// As [`run`], and [`FaultKind::BudgetExceeded`](crate::FaultKind::BudgetExceeded).
pub fn run_with(
    kernel: &Kernel,
    launch: &Launch<'_>,
    memory: &Memory,
    options: &Options,
) -> Result<Counters, Fault> {
    launch::validate(kernel, launch)?;
    let job = Job::new(kernel, launch, memory.snapshot(), options);
    let most = usize::try_from(job.blocks).unwrap_or(usize::MAX);
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let workers = launch.workers.unwrap_or_else(processors).clamp(1, most);
    if workers == 1 {
        job.work();
    } else {
        std::thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(|| job.work());
            }
            job.work();
        });
    }
    let outcome = job.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    match outcome.fault {
        Some((_, fault)) => Err(fault),
        None => Ok(outcome.counters),
    }
}

/// A launch that is running: what its workers share.
pub(crate) struct Job<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) table: Arc<Table>,
    /// How many there are.
    blocks: u64,
    /// The next block that nobody has taken.
    next: AtomicU64,
    /// Blocks from this one on need not run: it, or an earlier one, has faulted.
    stop_at: AtomicU64,
    budget: Option<u64>,
    /// Instructions that workers have reported.
    spent: AtomicU64,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    counters: Counters,
    /// The fault of the lowest block that had one.
    fault: Option<(u64, Fault)>,
}

impl<'a> Job<'a> {
    fn new(
        kernel: &'a Kernel,
        launch: &'a Launch<'a>,
        table: Arc<Table>,
        options: &Options,
    ) -> Job<'a> {
        Job {
            kernel,
            launch,
            table,
            blocks: launch.grid.iter().map(|d| u64::from(*d)).product(),
            next: AtomicU64::new(0),
            stop_at: AtomicU64::new(u64::MAX),
            budget: options.instruction_budget,
            spent: AtomicU64::new(0),
            outcome: Mutex::new(Outcome::default()),
        }
    }

    /// Takes blocks until there are none. A block below the lowest one that has faulted still runs,
    /// so that the same fault is reported in every run.
    fn work(&self) {
        let mut worker = Worker::new(self);
        loop {
            let block = self.next.fetch_add(1, Ordering::Relaxed);
            if block >= self.blocks || self.is_stopped(block) {
                break;
            }
            if let Err(fault) = worker.run(block) {
                self.stop_at.fetch_min(block, Ordering::Relaxed);
                let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
                if outcome.fault.as_ref().is_none_or(|(lowest, _)| block < *lowest) {
                    outcome.fault = Some((block, fault));
                }
                break;
            }
        }
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.counters += worker.counters();
    }

    /// Whether a block's results are not wanted any more.
    pub(crate) fn is_stopped(&self, block: u64) -> bool {
        block > self.stop_at.load(Ordering::Relaxed)
    }

    /// Adds to what the launch has spent; the budget, if it is exceeded.
    pub(crate) fn spend(&self, instructions: u64) -> Option<u64> {
        let budget = self.budget?;
        let spent = self.spent.fetch_add(instructions, Ordering::Relaxed) + instructions;
        (spent > budget).then_some(budget)
    }
}
