//! `GRIDLAUNCH_DEVICE`, and what is taken without it.

use std::sync::OnceLock;

use super::Device;
use crate::error::{Error, Result};

/// What the environment variable can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Cuda(u32),
    Emulator,
}

fn parse(value: &str) -> Result<Choice> {
    let choice = match value.split_once(':') {
        None if value == "cuda" => Some(Choice::Cuda(0)),
        None if value == "emulator" => Some(Choice::Emulator),
        // `parse` alone would take "+1".
        Some(("cuda", digits)) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse().ok().map(Choice::Cuda)
        }
        _ => None,
    };
    choice.ok_or_else(|| Error::DeviceChoice { value: value.to_owned() })
}

pub(super) fn any() -> Result<Device> {
    if let Some(value) = std::env::var_os("GRIDLAUNCH_DEVICE") {
        return match parse(&value.to_string_lossy())? {
            Choice::Cuda(ordinal) => Device::cuda(ordinal),
            Choice::Emulator => Ok(shared_emulator()),
        };
    }
    match Device::cuda(0) {
        Err(Error::NoDriver { .. } | Error::NoDevice { .. }) => Ok(shared_emulator()),
        found_or_broken => found_or_broken,
    }
}

/// One for the process, so that two calls give the same device, as they do with a GPU.
fn shared_emulator() -> Device {
    static SHARED: OnceLock<Device> = OnceLock::new();
    SHARED.get_or_init(Device::emulator).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_a_gpu_or_the_emulator() {
        assert_eq!(parse("cuda"), Ok(Choice::Cuda(0)));
        assert_eq!(parse("cuda:0"), Ok(Choice::Cuda(0)));
        assert_eq!(parse("cuda:17"), Ok(Choice::Cuda(17)));
        assert_eq!(parse("emulator"), Ok(Choice::Emulator));
    }

    #[test]
    fn anything_else_is_an_error_that_lists_the_choices() {
        for value in [
            "",
            "gpu",
            "CUDA",
            "cuda:",
            "cuda:-1",
            "cuda:+1",
            "cuda:1:2",
            "cuda:99999999999",
            "cuda 1",
            "emulator:0",
        ] {
            let error = parse(value).unwrap_err();
            assert_eq!(error, Error::DeviceChoice { value: value.to_owned() });
            let text = error.to_string();
            for choice in ["cuda", "cuda:N", "emulator", value] {
                assert!(text.contains(choice), "{text}");
            }
        }
    }
}
