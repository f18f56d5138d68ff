//! A warp: which of its lanes are where, and running them.

use super::context::Context;
use super::lanes::lanes_of;
use crate::counters::Counters;
use crate::fault::FaultKind;
use crate::program::{BarrierOperand, Block, End, Kernel, NONE};

/// Basic blocks that a warp runs before others have their turn.
const SHARE: u32 = 1 << 13;

/// Lanes that are at the same place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    /// Index of the block that they are about to run, or at whose end they wait.
    pub(super) block: u32,
    pub(super) lanes: u32,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At the barrier that ends the block.
    AtBarrier {
        id: u32,
        /// Threads that it takes; all, if `None`.
        count: Option<u32>,
    },
    /// At the end of the block, for other lanes of the warp.
    Converging,
}

/// 32 threads, or fewer in a block's last warp.
#[derive(Debug, Default)]
pub(super) struct Warp {
    /// Disjoint, together the lanes that have not exited.
    pub(super) fragments: Vec<Fragment>,
    /// Lanes that have not exited.
    pub(super) live: u32,
    /// Where the fragment was that has had its share while others were ready.
    overtake: Option<u32>,
}

/// A fault, before it knows its kernel and names.
pub(super) struct WarpFault {
    pub(super) kind: FaultKind,
    pub(super) lane: usize,
    pub(super) place: Place,
}

/// An operation, or the end of a block.
pub(super) enum Place {
    Op(usize),
    End(usize),
}

/// Threads that passed `bar.arrive`, by barrier.
pub(super) type Arrivals = [u32; 16];

impl Warp {
    /// All lanes at the kernel's start.
    pub(super) fn start(&mut self, lanes: u32) {
        self.live = lanes;
        self.overtake = None;
        self.fragments.clear();
        self.fragments.push(Fragment { block: 0, lanes, state: State::Ready });
    }

    pub(super) fn has_ready(&self) -> bool {
        self.fragments.iter().any(|f| f.state == State::Ready)
    }

    /// Adds lanes; where others are in the same place, to them.
    fn add(&mut self, block: u32, lanes: u32, state: State) -> usize {
        let same = |f: &Fragment| f.block == block && f.state == state;
        match self.fragments.iter().position(same) {
            Some(at) => {
                self.fragments[at].lanes |= lanes;
                at
            }
            None => {
                self.fragments.push(Fragment { block, lanes, state });
                self.fragments.len() - 1
            }
        }
    }

    /// The block of the ready fragment that is furthest behind.
    fn lowest_ready(&self) -> Option<u32> {
        let ready = self.fragments.iter().filter(|f| f.state == State::Ready);
        ready.map(|f| f.block).min()
    }

    /// Takes the ready fragment that is furthest behind. If that has had its share, takes the next
    /// one ahead of it, and says so: lanes that spin may wait for lanes ahead of them.
    fn take(&mut self) -> Option<(Fragment, bool)> {
        let ready = |f: &(usize, &Fragment)| f.1.state == State::Ready;
        let by_block = |f: &(usize, &Fragment)| f.1.block;
        let fragments = || self.fragments.iter().enumerate().filter(ready);
        let next = self
            .overtake
            .and_then(|behind| fragments().filter(|f| f.1.block > behind).min_by_key(by_block));
        let overtakes = next.is_some();
        let (at, _) = next.or_else(|| fragments().min_by_key(by_block))?;
        self.overtake = None;
        Some((self.fragments.swap_remove(at), overtakes))
    }

    /// Moves the fragments that wait at a barrier past it.
    pub(super) fn release(&mut self, id: u32) {
        let mut at = 0;
        while at < self.fragments.len() {
            let fragment = self.fragments[at];
            match fragment.state {
                State::AtBarrier { id: own, .. } if own == id => {
                    self.fragments.swap_remove(at);
                    self.add(fragment.block + 1, fragment.lanes, State::Ready);
                    // Those that were moved here have not been looked at.
                    at = 0;
                }
                _ => at += 1,
            }
        }
    }

    /// Lets converging fragments go on whose missing lanes have exited.
    fn recheck_converging(&mut self, kernel: &Kernel, cx: &Context) {
        let converging = |f: &&Fragment| f.state == State::Converging;
        let live = self.live;
        let complete = |f: &&Fragment| missing(kernel, cx, f, live) == 0;
        while let Some(f) = self.fragments.iter().filter(converging).find(complete).copied() {
            self.fragments.retain(|g| g.block != f.block || g.state != State::Converging);
            self.add(f.block + 1, f.lanes, State::Ready);
        }
    }

    /// Runs the warp that the context points at, until no lane is ready or it has had its share.
    pub(super) fn run(
        &mut self,
        kernel: &Kernel,
        cx: &mut Context,
        counters: &mut Counters,
        arrivals: &mut Arrivals,
    ) -> Result<(), WarpFault> {
        let mut share = SHARE;
        cx.dead = !self.live;
        loop {
            let Some((Fragment { block: mut at, mut lanes, .. }, overtaking)) = self.take() else {
                return Ok(());
            };
            // While a fragment overtakes, those behind it stay where they are.
            let lowest = |warp: &Warp| {
                if overtaking { u32::MAX } else { warp.lowest_ready().unwrap_or(u32::MAX) }
            };
            let mut others = lowest(self);
            loop {
                let block = &kernel.blocks[at as usize];
                run_operations(kernel, block, cx, lanes, counters)?;
                let place = Place::End(at as usize);
                match block.end {
                    End::Fall => at += 1,
                    End::Jump(target) => at = target,
                    End::Branch { predicate, negated, target } => {
                        // SAFETY: `decode` gave it a predicate of the kernel.
                        let predicate = unsafe { cx.predicate(predicate) };
                        let taken = lanes & if negated { !predicate } else { predicate };
                        let next = at + 1;
                        if taken == lanes {
                            at = target;
                        } else if taken == 0 {
                            at = next;
                        } else {
                            let rest = lanes & !taken;
                            let (behind, ahead) = if target < next {
                                ((target, taken), (next, rest))
                            } else {
                                ((next, rest), (target, taken))
                            };
                            self.add(ahead.0, ahead.1, State::Ready);
                            (at, lanes) = behind;
                            others = lowest(self);
                        }
                    }
                    End::Exit { guard } => {
                        let leaving = match guard {
                            // SAFETY: `decode` gave it a predicate of the kernel.
                            Some((p, negated)) => unsafe {
                                lanes & if negated { !cx.predicate(p) } else { cx.predicate(p) }
                            },
                            None => lanes,
                        };
                        self.live &= !leaving;
                        cx.dead = !self.live;
                        lanes &= !leaving;
                        self.recheck_converging(kernel, cx);
                        if lanes == 0 {
                            break;
                        }
                        others = lowest(self);
                        at += 1;
                    }
                    End::Trap => {
                        let lane = lanes.trailing_zeros() as usize;
                        return Err(WarpFault { kind: FaultKind::Trap, lane, place });
                    }
                    End::Barrier { id, count, wait, .. } => {
                        let lane = lanes.trailing_zeros() as usize;
                        let id = value(cx, id, lane) % 16;
                        let count = count.map(|count| value(cx, count, lane));
                        if wait {
                            self.add(at, lanes, State::AtBarrier { id, count });
                            break;
                        }
                        arrivals[id as usize] += (lanes | !self.live).count_ones();
                        at += 1;
                    }
                    End::Converge { .. } => {
                        let place = self.add(at, lanes, State::Converging);
                        if missing(kernel, cx, &self.fragments[place], self.live) != 0 {
                            break;
                        }
                        lanes = self.fragments.swap_remove(place).lanes;
                        at += 1;
                    }
                }
                share -= 1;
                if share == 0 {
                    self.add(at, lanes, State::Ready);
                    self.overtake = Some(at);
                    return Ok(());
                }
                if at >= others {
                    self.add(at, lanes, State::Ready);
                    break;
                }
            }
        }
    }
}

/// Lanes that a converging fragment still waits for.
pub(super) fn missing(kernel: &Kernel, cx: &Context, fragment: &Fragment, live: u32) -> u32 {
    let End::Converge { mask } = kernel.blocks[fragment.block as usize].end else { return 0 };
    // SAFETY: `decode` gave it a 32-bit register of the kernel.
    let members = unsafe { cx.get::<u32>(mask) };
    members[fragment.lanes.trailing_zeros() as usize & 31] & live & !fragment.lanes
}

fn value(cx: &Context, operand: BarrierOperand, lane: usize) -> u32 {
    match operand {
        BarrierOperand::Value(value) => value,
        // SAFETY: `decode` gave it a 32-bit register of the kernel.
        BarrierOperand::Slot(slot) => unsafe { cx.get::<u32>(slot)[lane] },
    }
}

/// Runs a block up to its end.
#[inline(always)]
fn run_operations(
    kernel: &Kernel,
    block: &Block,
    cx: &mut Context,
    lanes: u32,
    counters: &mut Counters,
) -> Result<(), WarpFault> {
    let instructions = u64::from(block.instructions);
    cx.clock += instructions;
    counters.instructions += instructions;
    counters.lane_operations += instructions * u64::from(lanes.count_ones());
    for (at, op) in kernel.ops[block.start as usize..block.stop as usize].iter().enumerate() {
        let mut mask = lanes;
        if op.guard != NONE {
            // SAFETY: `decode` gave it a predicate of the kernel.
            let guard = unsafe { cx.predicate(op.guard) };
            mask &= if op.guard_negated { !guard } else { guard };
            if !op.helper {
                counters.lane_operations -= u64::from((lanes & !mask).count_ones());
            }
            if mask == 0 {
                continue;
            }
        }
        // SAFETY: `decode` picked the handler for this processor and gave it its slots.
        if !unsafe { (op.handler)(cx, op, mask) } {
            return Err(lane_fault(cx, mask, block.start as usize + at));
        }
    }
    Ok(())
}

#[cold]
fn lane_fault(cx: &mut Context, mask: u32, op: usize) -> WarpFault {
    let place = Place::Op(op);
    match cx.fault.take() {
        Some(fault) => WarpFault { kind: fault.kind, lane: fault.lane, place },
        // A handler that reports a fault describes it.
        None => {
            let lane = lanes_of(mask).next().unwrap_or(0);
            WarpFault { kind: FaultKind::Trap, lane, place }
        }
    }
}
