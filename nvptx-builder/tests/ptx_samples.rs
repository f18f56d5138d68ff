//! What other compilers write, and what becomes of damaged text.

#[path = "ptx/random.rs"]
mod random;

use nvptx_builder::{metadata::Metadata, ptx};
use random::Random;

const SAMPLES: [(&str, &str); 5] = [
    ("saxpy", include_str!("ptx/saxpy.ptx")),
    ("nvcc_optimised", include_str!("ptx/nvcc_optimised.ptx")),
    ("nvcc_lineinfo", include_str!("ptx/nvcc_lineinfo.ptx")),
    ("nvcc_debug", include_str!("ptx/nvcc_debug.ptx")),
    ("triton_softmax", include_str!("ptx/triton_softmax.ptx")),
];

/// Whatever parses must print to text that parses to the same tree and prints the same.
fn check_fixed_point(text: &str) -> bool {
    let Ok(module) = ptx::parse(text) else {
        return false;
    };
    let printed = module.to_string();
    let again =
        ptx::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{text}\n=>\n{printed}"));
    assert_eq!(again, module, "{text}\n=>\n{printed}");
    assert_eq!(again.to_string(), printed);
    true
}

#[test]
fn what_nvcc_and_triton_write_parses_and_prints_to_a_fixed_point() {
    for (name, text) in SAMPLES {
        assert!(check_fixed_point(text), "{name}: {:?}", ptx::parse(text).err());
    }
}

#[test]
fn nothing_but_comments_and_debugging_sections_is_lost_from_a_sample() {
    // Every statement ends in a semicolon, and there are none elsewhere but in comments.
    let text = SAMPLES[1].1;
    let count = |text: &str| -> usize {
        let code = |line: &str| line.split("//").next().unwrap_or_default().matches(';').count();
        text.lines().map(code).sum()
    };
    assert!(count(text) > 300);
    assert_eq!(count(&ptx::parse(text).unwrap().to_string()), count(text));
}

#[test]
fn every_prefix_of_our_text_is_an_error() {
    let text = SAMPLES[0].1;
    for end in 0..text.len() - 1 {
        assert!(ptx::parse(&text[..end]).is_err(), "{}", &text[..end]);
    }
}

#[test]
fn damaged_text_never_panics_and_what_still_parses_is_a_fixed_point() {
    let mut random = Random::new(7);
    for (_, text) in SAMPLES {
        for _ in 0..400 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                damage(&mut bytes, &mut random);
            }
            let damaged = String::from_utf8_lossy(&bytes);
            check_fixed_point(&damaged);
            if let Ok(metadata) = damaged.parse::<Metadata>() {
                assert_eq!(metadata.to_string().parse(), Ok(metadata));
            }
        }
    }
}

#[test]
fn damaged_metadata_never_panics_and_what_still_parses_is_a_fixed_point() {
    let head: String = SAMPLES[0].1.lines().take(8).map(|line| format!("{line}\n")).collect();
    let mut random = Random::new(11);
    let mut intact = 0;
    for _ in 0..20_000 {
        let mut bytes = head.clone().into_bytes();
        damage(&mut bytes, &mut random);
        if let Ok(metadata) = String::from_utf8_lossy(&bytes).parse::<Metadata>() {
            assert_eq!(metadata.to_string().parse(), Ok(metadata));
            intact += 1;
        }
    }
    assert!(intact > 0);
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    const INTERESTING: &[u8] = b".;:,{}[]()<>\"\\/*+-@!|=%_$0fdx9 \n\0\xc3";
    let at = random.below(bytes.len());
    match random.below(7) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = INTERESTING[random.below(INTERESTING.len())],
        2 => bytes.insert(at, INTERESTING[random.below(INTERESTING.len())]),
        3 => {
            bytes.remove(at);
        }
        4 => {
            // A piece is repeated elsewhere.
            let end = bytes.len().min(at + 1 + random.below(60));
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        5 => {
            let end = bytes.len().min(at + 1 + random.below(60));
            bytes.drain(at..end);
        }
        _ => bytes.truncate(at.max(1)),
    }
    if bytes.is_empty() {
        bytes.push(b'.');
    }
}
