//! What a launch did.

/// Counts of one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions, each counted once for every lane that executed it.
    pub lane_operations: u64,
    /// Instructions, each counted once for every warp (or diverged part of one) that executed it.
    pub instructions: u64,
    /// Blocks that ran to their end.
    pub blocks: u64,
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.lane_operations += other.lane_operations;
        self.instructions += other.instructions;
        self.blocks += other.blocks;
    }
}
