//! One value a device, made when it is first asked for.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::device::DeviceId;

/// One value for every CUDA device, and one for all emulated devices together, which run the same
/// decoded program. Reading takes no lock.
pub(crate) struct PerDevice<T> {
    /// A list that only ever grows at its end; nearly always it has one node.
    head: OnceLock<Box<Node<T>>>,
    /// Held while a value is made, so that it is made once.
    making: Mutex<()>,
}

struct Node<T> {
    key: Key,
    value: T,
    next: OnceLock<Box<Node<T>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Cuda(u32),
    Emulator,
}

impl From<DeviceId> for Key {
    fn from(id: DeviceId) -> Key {
        match id {
            DeviceId::Cuda(ordinal) => Key::Cuda(ordinal),
            DeviceId::Emulator(_) => Key::Emulator,
        }
    }
}

impl<T> PerDevice<T> {
    pub(crate) const fn new() -> PerDevice<T> {
        PerDevice { head: OnceLock::new(), making: Mutex::new(()) }
    }

    /// The value for `device`, or the place where it belongs.
    #[inline]
    fn find(&self, key: Key) -> Result<&T, &OnceLock<Box<Node<T>>>> {
        let mut place = &self.head;
        while let Some(node) = place.get() {
            if node.key == key {
                return Ok(&node.value);
            }
            place = &node.next;
        }
        Err(place)
    }

    /// The value for `device`, made by `make` if there is none. If that fails, nothing is kept.
    #[inline]
    pub(crate) fn get_or_try_init<E>(
        &self,
        device: DeviceId,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        match self.find(device.into()) {
            Ok(value) => Ok(value),
            Err(_) => self.make(device.into(), make),
        }
    }

    #[cold]
    fn make<E>(&self, key: Key, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        // The lock guards no data, so a thread that panicked while it held it broke nothing.
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        match self.find(key) {
            Ok(value) => Ok(value),
            Err(place) => {
                let value = make()?;
                let node = || Box::new(Node { key, value, next: OnceLock::new() });
                Ok(&place.get_or_init(node).value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn threads_that_ask_at_once_share_one_value_per_device() {
        let made = AtomicUsize::new(0);
        let values = PerDevice::<u32>::new();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (made, values) = (&made, &values);
                scope.spawn(move || {
                    for round in 0..100u32 {
                        let ordinal = (round + thread) % 3;
                        let value = values.get_or_try_init(DeviceId::Cuda(ordinal), || {
                            made.fetch_add(1, Ordering::Relaxed);
                            Ok::<_, ()>(ordinal * 10)
                        });
                        assert_eq!(value, Ok(&(ordinal * 10)));
                    }
                });
            }
        });
        assert_eq!(made.into_inner(), 3);
    }

    #[test]
    fn emulated_devices_share_a_value_and_a_failure_is_not_kept() {
        let values = PerDevice::<u32>::new();
        assert_eq!(values.get_or_try_init(DeviceId::Emulator(1), || Err("no")), Err("no"));
        assert_eq!(values.get_or_try_init(DeviceId::Emulator(1), || Ok::<_, ()>(1)), Ok(&1));
        assert_eq!(values.get_or_try_init(DeviceId::Emulator(2), || Err("not asked")), Ok(&1));
        assert_eq!(values.get_or_try_init(DeviceId::Cuda(0), || Ok::<_, ()>(2)), Ok(&2));
    }
}
