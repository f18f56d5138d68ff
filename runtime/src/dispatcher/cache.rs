//! The prepared launches of a program, by geometry.

use std::sync::{Arc, PoisonError, RwLock};

use crate::device::Device;
use crate::error::Result;
use crate::geometry::{Block, Bounds, Grid};
use crate::program::{Loaded, PerDevice, Program};

/// Geometries that a program remembers.
const CAPACITY: usize = 128;

/// A geometry, and for each device on which it was launched the kernel that takes it. Once made, it
/// does not change but for a device that is added at the first launch there.
pub(crate) struct Prepared {
    pub(crate) grid: Grid,
    pub(crate) block: Block,
    devices: PerDevice<Loaded>,
}

impl Prepared {
    pub(crate) const fn new(grid: Grid, block: Block) -> Prepared {
        Prepared { grid, block, devices: PerDevice::new() }
    }

    /// The kernel on `device`, which has checked the geometry at the first call.
    ///
    /// # Errors
    /// [`Error::Dimension`](crate::Error::Dimension),
    /// [`Error::SharedMemory`](crate::Error::SharedMemory), and as [`Program::load`].
    #[inline]
    pub(crate) fn on(&self, program: &Program, device: &Device) -> Result<&Loaded> {
        self.devices.get_or_try_init(device.id(), || {
            let limits = device.limits();
            let bounds = |threads| Bounds { grid: limits.grid, block: limits.block, threads };
            bounds(limits.threads_per_block).check(program.name(), self.grid, self.block)?;
            let loaded = program.load(device)?;
            // Registers can make it less than what the device has in general.
            let threads = loaded.kernel.max_threads().min(limits.threads_per_block);
            bounds(threads).check(program.name(), self.grid, self.block)?;
            loaded.kernel.prepare(self.block.dynamic_shared)?;
            Ok(loaded.clone())
        })
    }
}

/// At most [`CAPACITY`] geometries; the oldest one makes room for a new one. Dispatchers that have
/// it keep it.
pub(crate) struct LaunchCache(RwLock<Entries>);

struct Entries {
    prepared: Vec<Entry>,
    /// Where the next one goes once all places are taken.
    oldest: usize,
}

/// The geometry is here as well, so that a search does not have to follow pointers.
struct Entry {
    grid: Grid,
    block: Block,
    prepared: Arc<Prepared>,
}

impl LaunchCache {
    pub(crate) const fn new() -> LaunchCache {
        LaunchCache(RwLock::new(Entries { prepared: Vec::new(), oldest: 0 }))
    }

    /// The prepared launch of that geometry, a new one if there is none.
    pub(crate) fn get(&self, grid: Grid, block: Block) -> Arc<Prepared> {
        // Nothing is left half done by a panic, so a poisoned lock is as good as any.
        if let Some(found) = self.0.read().unwrap_or_else(PoisonError::into_inner).find(grid, block)
        {
            return found;
        }
        let (prepared, evicted) = {
            let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
            match entries.find(grid, block) {
                Some(found) => (found, None),
                None => entries.insert(grid, block),
            }
        };
        drop(evicted);
        prepared
    }
}

impl Entries {
    /// Most programs have few geometries, so that a search from the first one is the fastest.
    #[inline]
    fn find(&self, grid: Grid, block: Block) -> Option<Arc<Prepared>> {
        let same = |entry: &&Entry| entry.grid == grid && entry.block == block;
        self.prepared.iter().find(same).map(|entry| Arc::clone(&entry.prepared))
    }

    /// The new launch, and what had to go for it.
    fn insert(&mut self, grid: Grid, block: Block) -> (Arc<Prepared>, Option<Entry>) {
        let prepared = Arc::new(Prepared::new(grid, block));
        let entry = Entry { grid, block, prepared: Arc::clone(&prepared) };
        if self.prepared.len() < CAPACITY {
            self.prepared.push(entry);
            return (prepared, None);
        }
        let evicted = std::mem::replace(&mut self.prepared[self.oldest], entry);
        self.oldest = (self.oldest + 1) % CAPACITY;
        (prepared, Some(evicted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &LaunchCache, x: u32) -> Arc<Prepared> {
        cache.get(Grid::from(x), Block::from(32))
    }

    #[test]
    fn the_same_geometry_is_prepared_once() {
        let cache = LaunchCache::new();
        let first = get(&cache, 1);
        assert!(Arc::ptr_eq(&first, &get(&cache, 1)));
        assert!(!Arc::ptr_eq(&first, &get(&cache, 2)));
        let shared = cache.get(Grid::from(1), Block::from(32).dynamic_shared(1));
        assert!(!Arc::ptr_eq(&first, &shared), "dynamic shared memory is part of the geometry");
        assert_eq!((shared.grid, shared.block.dynamic_shared), (Grid::from(1), 1));
    }

    #[test]
    fn the_cache_is_bounded_and_its_oldest_entry_goes_first() {
        let cache = LaunchCache::new();
        let (first, second) = (get(&cache, 1), get(&cache, 2));
        for x in 3..=CAPACITY as u32 + 1 {
            get(&cache, x);
        }
        assert_eq!(cache.0.read().unwrap().prepared.len(), CAPACITY);
        assert!(Arc::ptr_eq(&second, &get(&cache, 2)));
        assert!(!Arc::ptr_eq(&first, &get(&cache, 1)));
        assert_eq!(Arc::strong_count(&first), 1, "the cache has let go of it");
    }

    #[test]
    fn threads_that_configure_at_once_get_one_prepared_launch() {
        let cache = LaunchCache::new();
        let barrier = std::sync::Barrier::new(8);
        let all: Vec<_> = std::thread::scope(|scope| {
            let thread = || {
                barrier.wait();
                (1..=64).map(|x| get(&cache, x)).collect::<Vec<_>>()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(thread)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for of_thread in &all {
            assert!(of_thread.iter().zip(&all[0]).all(|(a, b)| Arc::ptr_eq(a, b)));
        }
    }
}
