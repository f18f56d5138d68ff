//! Slots that are filled before a warp runs: constants, parameters and special registers.

use super::context::Context;
use super::lanes::{FULL, LANES};
use crate::launch::Launch;
use crate::program::{Kernel, Preset, PresetSource, Special};

/// Whether the value changes from block to block.
pub(super) fn varies(preset: &Preset) -> bool {
    matches!(preset.source, PresetSource::Special(Special::Ctaid(_)))
}

/// Fills a slot of the warp that the context points at.
pub(super) fn fill(
    cx: &mut Context,
    preset: &Preset,
    kernel: &Kernel,
    launch: &Launch<'_>,
    (warp, block): (usize, [u32; 3]),
) {
    let mut values = [0u64; LANES];
    match preset.source {
        PresetSource::Constant(bits) => values.fill(bits),
        PresetSource::Param { offset, bytes, signed } => {
            values.fill(param(launch.params, offset as usize, bytes as usize, signed));
        }
        PresetSource::Special(special) => {
            for (lane, value) in values.iter_mut().enumerate() {
                *value = read(special, kernel, launch, (warp, lane), block).into();
            }
        }
    }
    // SAFETY: `decode` gave the preset a slot of its width inside the frame.
    unsafe {
        if preset.wide {
            cx.set(preset.slot, &values, FULL);
        } else {
            cx.set(preset.slot, &values.map(|value| value as u32), FULL);
        }
    }
}

fn param(params: &[u8], offset: usize, bytes: usize, signed: bool) -> u64 {
    let mut word = [0; 8];
    // The launch was validated and `decode` keeps parameters inside the block.
    word[..bytes].copy_from_slice(&params[offset..offset + bytes]);
    let value = u64::from_le_bytes(word);
    let unused = 64 - 8 * bytes as u32;
    if signed { (((value << unused) as i64) >> unused) as u64 } else { value }
}

fn read(
    special: Special,
    kernel: &Kernel,
    launch: &Launch<'_>,
    (warp, lane): (usize, usize),
    block: [u32; 3],
) -> u32 {
    let lane_bit = 1u32 << lane;
    match special {
        Special::Tid(axis) => thread_index(launch.block, warp, lane)[axis as usize],
        Special::Ntid(axis) => launch.block[axis as usize],
        Special::Ctaid(axis) => block[axis as usize],
        Special::Nctaid(axis) => launch.grid[axis as usize],
        Special::LaneId => lane as u32,
        Special::WarpId => warp as u32,
        Special::WarpCount => launch.block.iter().product::<u32>().div_ceil(LANES as u32),
        Special::Zero => 0,
        Special::One => 1,
        Special::LaneMaskEq => lane_bit,
        Special::LaneMaskLe => lane_bit | (lane_bit - 1),
        Special::LaneMaskLt => lane_bit - 1,
        Special::LaneMaskGe => !(lane_bit - 1),
        Special::LaneMaskGt => !(lane_bit | (lane_bit - 1)),
        Special::DynamicShared => launch.dynamic_shared,
        Special::TotalShared => kernel.dynamic_shared_at + launch.dynamic_shared,
    }
}

/// `%tid` of a lane; meaningless for the lanes past the end of the block.
pub(super) fn thread_index(block: [u32; 3], warp: usize, lane: usize) -> [u32; 3] {
    let linear = (warp * LANES + lane) as u32;
    let [x, y, _] = block;
    [linear % x, linear / x % y, linear / (x * y)]
}
