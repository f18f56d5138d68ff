//! Runs one kernel twice, as ordinary Rust and as PTX on the emulator, and compares.

use nvptx_builder::metadata::PanicRecord;
use nvptx_builder::{Compiled, Options, compile};
use ptx_emulator::{Launch, Memory, Program, run};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// `tid`, `ctaid`, `ntid`, `nctaid`, all along x.
    static PLACE: Cell<[usize; 4]> = const { Cell::new([0; 4]) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The device intrinsics, on the host.
#[allow(dead_code)]
pub(crate) mod device {
    pub(crate) mod thread {
        pub(crate) fn x() -> usize {
            super::super::PLACE.get()[0]
        }
        pub(crate) fn global_x() -> usize {
            let [tid, ctaid, ntid, _] = super::super::PLACE.get();
            ctaid * ntid + tid
        }
    }
    pub(crate) mod block {
        pub(crate) fn x() -> usize {
            super::super::PLACE.get()[1]
        }
        pub(crate) fn dim_x() -> usize {
            super::super::PLACE.get()[2]
        }
    }
    pub(crate) mod grid {
        pub(crate) fn dim_x() -> usize {
            super::super::PLACE.get()[3]
        }
    }
}

/// What slices and scalars consist of.
pub(crate) trait Element: Copy + std::fmt::Debug {
    fn bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Equal, or both NaN.
    fn same(self, other: Self) -> bool;
}

macro_rules! elements {
    ($($ty:ty),*) => { $(
        impl Element for $ty {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                <$ty>::from_le_bytes(bytes.try_into().expect("one element"))
            }
            #[allow(clippy::eq_op)]
            fn same(self, other: Self) -> bool {
                self.to_le_bytes() == other.to_le_bytes() || self != self && other != other
            }
        }
        impl Argument for $ty {
            type Again<'b> = $ty;
            fn again(&mut self) -> $ty {
                *self
            }
            fn upload(&self, device: &mut Device) {
                device.param(&self.bytes());
            }
            fn compare(&self, _: &mut Device, _: &str) {}
        }
    )* };
}

elements!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

impl Element for bool {
    fn bytes(self) -> Vec<u8> {
        vec![u8::from(self)]
    }
    fn from_bytes(bytes: &[u8]) -> Self {
        assert!(bytes[0] < 2, "a bool of {}", bytes[0]);
        bytes[0] == 1
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
}

impl Argument for bool {
    type Again<'b> = bool;
    fn again(&mut self) -> bool {
        *self
    }
    fn upload(&self, device: &mut Device) {
        device.param(&self.bytes());
    }
    fn compare(&self, _: &mut Device, _: &str) {}
}

/// A kernel argument.
pub(crate) trait Argument {
    type Again<'b>
    where
        Self: 'b;
    /// The same argument for the next thread.
    fn again(&mut self) -> Self::Again<'_>;
    fn upload(&self, device: &mut Device);
    fn compare(&self, device: &mut Device, name: &str);
}

impl<T: Element> Argument for &[T] {
    type Again<'b>
        = &'b [T]
    where
        Self: 'b;
    fn again(&mut self) -> &[T] {
        self
    }
    fn upload(&self, device: &mut Device) {
        device.slice(self);
    }
    fn compare(&self, device: &mut Device, name: &str) {
        device.compare(self, name);
    }
}

impl<T: Element> Argument for &mut [T] {
    type Again<'b>
        = &'b mut [T]
    where
        Self: 'b;
    fn again(&mut self) -> &mut [T] {
        self
    }
    fn upload(&self, device: &mut Device) {
        device.slice(self);
    }
    fn compare(&self, device: &mut Device, name: &str) {
        device.compare(self, name);
    }
}

/// Memory and parameters of one launch.
#[derive(Default)]
pub(crate) struct Device {
    memory: Memory,
    params: Vec<u8>,
    slices: Vec<u64>,
    compared: usize,
}

impl Device {
    fn param(&mut self, bytes: &[u8]) {
        self.params.resize(self.params.len().next_multiple_of(bytes.len()), 0);
        self.params.extend(bytes);
    }

    fn slice<T: Element>(&mut self, slice: &[T]) {
        let bytes: Vec<u8> = slice.iter().flat_map(|element| element.bytes()).collect();
        let address = self.memory.allocate(bytes.len() as u64).expect("memory");
        self.memory.write(address, &bytes).expect("inside the allocation");
        self.slices.push(address);
        self.param(&address.to_le_bytes());
        self.param(&(slice.len() as u64).to_le_bytes());
    }

    fn compare<T: Element>(&mut self, host: &[T], name: &str) {
        let address = self.slices[self.compared];
        self.compared += 1;
        let size = size_of::<T>();
        let mut bytes = vec![0; size_of_val(host)];
        self.memory.read(address, &mut bytes).expect("inside the allocation");
        for (i, (element, bytes)) in host.iter().zip(bytes.chunks(size)).enumerate() {
            let device = T::from_bytes(bytes);
            assert!(
                element.same(device),
                "{name}[{i}]: {element:?} on the host, {device:?} in PTX"
            );
        }
    }

    /// Runs the kernel; the message of its panic, if one happened.
    pub(crate) fn launch(
        &mut self,
        source: &str,
        optimize: bool,
        grid: u32,
        block: u32,
    ) -> Option<String> {
        let item = syn::parse_str(source).expect("a function");
        let options = Options { optimize, contract: false, ..Options::default() };
        let Compiled { ptx, metadata, .. } =
            compile(&item, &options).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
        let record = self.memory.allocate(PanicRecord::SIZE as u64).expect("memory");
        self.memory.write(record, &[0; PanicRecord::SIZE]).expect("inside the allocation");
        if metadata.panics.is_some() {
            self.param(&record.to_le_bytes());
        }
        let program = Program::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let kernel = program.kernel(&metadata.kernel).expect("the entry");
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
            params: &self.params,
            workers: Some(1),
        };
        run(kernel, &launch, &self.memory).unwrap_or_else(|fault| panic!("{fault}\n{ptx}"));
        let mut bytes = [0; PanicRecord::SIZE];
        self.memory.read(record, &mut bytes).expect("inside the allocation");
        let record = PanicRecord::from_bytes(&bytes);
        if record.state == PanicRecord::EMPTY {
            return None;
        }
        assert_eq!(record.state, PanicRecord::COMPLETE);
        let panics = metadata.panics.expect("a panic needs a table");
        assert_eq!(record.kernel, panics.id);
        Some(panics.sites[record.site as usize].format(&record.values))
    }
}

/// Runs the twin once for every thread; the message of the first panic.
pub(crate) fn on_host(grid: u32, block: u32, mut thread: impl FnMut()) -> Option<String> {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let message = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
        MESSAGE.set(message);
    }));
    let mut first = None;
    for ctaid in 0..grid as usize {
        for tid in 0..block as usize {
            PLACE.set([tid, ctaid, block as usize, grid as usize]);
            if catch_unwind(AssertUnwindSafe(&mut thread)).is_err() && first.is_none() {
                first = MESSAGE.take().map(|message| translate(&message));
            }
        }
    }
    let _ = std::panic::take_hook();
    first
}

/// rustc's message for an index in our words.
fn translate(message: &str) -> String {
    let numbers: Vec<&str> =
        message.split(|c: char| !c.is_ascii_digit()).filter(|s| !s.is_empty()).collect();
    match numbers.as_slice() {
        [len, index] if message.starts_with("index out of bounds") => {
            format!("index {index} is out of bounds for length {len}")
        }
        _ => message.to_owned(),
    }
}

/// A kernel, as a function and as its source. Where it would overflow, which panics in a test build
/// but wraps in a release build and on a device, another body follows for the host.
macro_rules! twin {
    ($(fn $name:ident($($param:ident: $ty:ty),* $(,)?) $body:block $(host $host:block)?)*) => { $(
        #[allow(unused, clippy::all)]
        mod $name {
            use crate::harness::{Argument, Device, device::*, on_host};

            fn host($($param: $ty),*) {
                $crate::harness::last!($body $($host)?)
            }

            const SOURCE: &str = stringify!(fn $name($($param: $ty),*) $body);

            pub(super) fn check(grid: u32, block: u32, $(mut $param: $ty),*) {
                let mut optimized = Device::default();
                let mut plain = Device::default();
                $( Argument::upload(&$param, &mut optimized); )*
                $( Argument::upload(&$param, &mut plain); )*
                let expected = on_host(grid, block, || host($(Argument::again(&mut $param)),*));
                for (device, optimize) in [(&mut plain, false), (&mut optimized, true)] {
                    let panic = device.launch(SOURCE, optimize, grid, block);
                    assert_eq!(panic, expected, "optimized: {optimize}");
                    $( Argument::compare(&$param, device, stringify!($param)); )*
                }
            }
        }
    )* };
}
pub(crate) use twin;

macro_rules! last {
    ($body:block) => {
        $body
    };
    ($body:block $host:block) => {
        $host
    };
}
pub(crate) use last;
