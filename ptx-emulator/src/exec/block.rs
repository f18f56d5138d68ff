//! A block: its warps in turn, and its barriers.

use super::Job;
use super::context::Context;
use super::lanes::{FULL, LANES};
use super::presets;
use super::warp::{Arrivals, Fragment, Place, State, Warp, WarpFault, missing};
use crate::counters::Counters;
use crate::fault::{Fault, FaultKind, ThreadId};
use crate::program::{End, Preset};

/// Runs blocks, one after the other, on one host thread.
pub(super) struct Worker<'a> {
    job: &'a Job<'a>,
    cx: Context,
    warps: Vec<Warp>,
    counters: Counters,
    /// Of `counters.instructions`, what the job knows of.
    reported: u64,
    arrivals: Arrivals,
    /// Presets that change from block to block.
    varying: Vec<Preset>,
}

/// What a barrier waits for, and what it has.
#[derive(Clone, Copy, Default)]
struct Waiting {
    /// Threads that wait.
    threads: u32,
    /// As thread-count barriers see it: a warp that waits as a whole counts 32.
    arrived: u32,
    count: Option<u32>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(job: &'a Job<'a>) -> Worker<'a> {
        let (kernel, launch) = (job.kernel, job.launch);
        let threads: usize = launch.block.iter().map(|d| *d as usize).product();
        let warps = threads.div_ceil(LANES);
        let shared = (kernel.dynamic_shared_at + launch.dynamic_shared) as usize;
        let mut cx = Context::new(kernel, warps, shared, job.table.clone());
        for warp in 0..warps {
            cx.switch_to(kernel, warp);
            for preset in kernel.presets.iter().filter(|preset| !presets::varies(preset)) {
                presets::fill(&mut cx, preset, kernel, launch, (warp, [0; 3]));
            }
        }
        let varying = kernel.presets.iter().filter(|preset| presets::varies(preset));
        Worker {
            job,
            cx,
            warps: (0..warps).map(|_| Warp::default()).collect(),
            counters: Counters::default(),
            reported: 0,
            arrivals: Arrivals::default(),
            varying: varying.copied().collect(),
        }
    }

    pub(super) fn counters(&self) -> Counters {
        self.counters
    }

    /// Runs a block to its end, or until nobody wants its result any more.
    pub(super) fn run(&mut self, block: u64) -> Result<(), Fault> {
        let [x, y, _] = self.job.launch.grid.map(u64::from);
        let index = [block % x, block / x % y, block / (x * y)].map(|i| i as u32);
        self.start(index);
        loop {
            for warp in 0..self.warps.len() {
                if !self.warps[warp].has_ready() {
                    continue;
                }
                self.cx.switch_to(self.job.kernel, warp);
                let ran = self.warps[warp].run(
                    self.job.kernel,
                    &mut self.cx,
                    &mut self.counters,
                    &mut self.arrivals,
                );
                ran.map_err(|fault| self.fault(fault, warp, index))?;
            }
            if self.warps.iter().all(|warp| warp.live == 0) {
                self.counters.blocks += 1;
                return self.report(index);
            }
            self.report(index)?;
            if self.job.is_stopped(block) {
                return Ok(());
            }
            let released = self.release_barriers(index)?;
            if !released && !self.warps.iter().any(Warp::has_ready) {
                return Err(self.deadlock(index));
            }
        }
    }

    fn start(&mut self, index: [u32; 3]) {
        let (kernel, launch) = (self.job.kernel, self.job.launch);
        let threads: usize = launch.block.iter().map(|d| *d as usize).product();
        self.arrivals = Arrivals::default();
        self.cx.reset_memory();
        self.cx.dead = 0;
        for (at, warp) in self.warps.iter_mut().enumerate() {
            let threads = (threads - at * LANES).min(LANES);
            warp.start(FULL >> (LANES - threads));
            self.cx.switch_to(kernel, at);
            for preset in &self.varying {
                presets::fill(&mut self.cx, preset, kernel, launch, (at, index));
            }
            // SAFETY: `decode` lists slots and predicates of the kernel.
            unsafe {
                for slot in &kernel.cleared {
                    self.cx.set(*slot, &[0u32; LANES], FULL);
                }
                for slot in &kernel.cleared_wide {
                    self.cx.set(*slot, &[0u64; LANES], FULL);
                }
                for predicate in &kernel.cleared_predicates {
                    self.cx.set_predicate(*predicate, 0, FULL);
                }
            }
        }
    }

    /// Tells the job what was spent.
    fn report(&mut self, index: [u32; 3]) -> Result<(), Fault> {
        let spent = self.counters.instructions - self.reported;
        self.reported = self.counters.instructions;
        let Some(budget) = self.job.spend(spent) else { return Ok(()) };
        let kind = FaultKind::BudgetExceeded { budget };
        let ready = self.warps.iter().enumerate().find_map(|(warp, w)| {
            w.fragments.iter().find(|f| f.state == State::Ready).map(|f| (warp, *f))
        });
        Err(match ready {
            Some((warp, f)) => {
                let lane = f.lanes.trailing_zeros() as usize;
                let block = &self.job.kernel.blocks[f.block as usize];
                let place = match block.start < block.stop {
                    true => Place::Op(block.start as usize),
                    false => Place::End(f.block as usize),
                };
                self.fault(WarpFault { kind, lane, place }, warp, index)
            }
            None => {
                Fault { kernel: self.job.kernel.name.clone(), kind, location: None, thread: None }
            }
        })
    }

    fn fault(&self, fault: WarpFault, warp: usize, block: [u32; 3]) -> Fault {
        let kernel = self.job.kernel;
        Fault {
            kernel: kernel.name.clone(),
            kind: fault.kind,
            location: match fault.place {
                Place::Op(op) => kernel.location(op),
                Place::End(block) => kernel.end_location(block),
            },
            thread: Some(ThreadId {
                block,
                thread: presets::thread_index(self.job.launch.block, warp, fault.lane),
            }),
        }
    }

    fn running(&self) -> u32 {
        self.warps.iter().map(|warp| warp.live.count_ones()).sum()
    }

    /// Lets the threads go on that wait at barriers which are complete.
    fn release_barriers(&mut self, index: [u32; 3]) -> Result<bool, Fault> {
        let mut barriers = [Waiting::default(); 16];
        for warp in &self.warps {
            for f in &warp.fragments {
                let State::AtBarrier { id, count } = f.state else { continue };
                let barrier = &mut barriers[id as usize];
                barrier.threads += f.lanes.count_ones();
                barrier.arrived += (f.lanes | !warp.live).count_ones();
                barrier.count = barrier.count.or(count);
            }
        }
        let running = self.running();
        let mut released = false;
        for (id, barrier) in barriers.iter().enumerate().filter(|(_, b)| b.threads > 0) {
            let complete = match barrier.count {
                Some(count) => barrier.arrived + self.arrivals[id] >= count,
                None => barrier.threads == running,
            };
            if complete {
                self.check_together(id as u32, index)?;
                self.arrivals[id] = 0;
                for warp in &mut self.warps {
                    warp.release(id as u32);
                }
                released = true;
            }
        }
        Ok(released)
    }

    /// The lanes of a warp must wait at the same instruction, if it is an aligned barrier.
    fn check_together(&self, id: u32, index: [u32; 3]) -> Result<(), Fault> {
        for (number, warp) in self.warps.iter().enumerate() {
            let here =
                |f: &&Fragment| matches!(f.state, State::AtBarrier { id: own, .. } if own == id);
            let mut waiting = warp.fragments.iter().filter(here);
            let Some(first) = waiting.next() else { continue };
            if let Some(second) = waiting.find(|f| f.block != first.block)
                && self.is_aligned(first)
            {
                return Err(self.divergent_barrier((number, first), Some(second.block), index));
            }
        }
        Ok(())
    }

    fn is_aligned(&self, fragment: &Fragment) -> bool {
        let end = self.job.kernel.blocks[fragment.block as usize].end;
        matches!(end, End::Barrier { aligned: true, .. })
    }

    fn divergent_barrier(
        &self,
        (warp, waiting): (usize, &Fragment),
        elsewhere: Option<u32>,
        index: [u32; 3],
    ) -> Fault {
        let same = |f: &&Fragment| f.block == waiting.block;
        let all = self.warps.iter().flat_map(|warp| &warp.fragments);
        let kind = FaultKind::DivergentBarrier {
            waiting: all.filter(same).map(|f| f.lanes.count_ones()).sum(),
            running: self.running(),
            elsewhere: elsewhere.and_then(|at| self.job.kernel.end_location(at as usize)),
        };
        let lane = waiting.lanes.trailing_zeros() as usize;
        self.fault(WarpFault { kind, lane, place: Place::End(waiting.block as usize) }, warp, index)
    }

    /// No thread can run, and not all have exited: says why.
    fn deadlock(&mut self, index: [u32; 3]) -> Fault {
        let kernel = self.job.kernel;
        let mut stuck = self.warps.iter().enumerate().flat_map(|(number, warp)| {
            warp.fragments.iter().map(move |fragment| (number, fragment))
        });
        let all: Vec<(usize, Fragment)> = stuck.by_ref().map(|(n, f)| (n, *f)).collect();
        if let Some((number, first)) =
            all.iter().find(|(_, f)| matches!(f.state, State::AtBarrier { .. }))
        {
            let other = all.iter().find(|(_, f)| f.block != first.block);
            return self.divergent_barrier((*number, first), other.map(|(_, f)| f.block), index);
        }
        // Only a fragment that waits for its warp is left.
        let (number, fragment) = all[0];
        self.cx.switch_to(kernel, number);
        let live = self.warps[number].live;
        let members = fragment.lanes | missing(kernel, &self.cx, &fragment, live);
        let kind = FaultKind::DivergentWarp { members };
        let lane = fragment.lanes.trailing_zeros() as usize;
        self.fault(
            WarpFault { kind, lane, place: Place::End(fragment.block as usize) },
            number,
            index,
        )
    }
}
