//! Runs each input in corpus/, and truncated copies of it, through its target. Needs no libFuzzer.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use fuzz::{TARGETS, Target};

fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

fn corpus(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder(target)).expect("a folder of the target's name");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect()
}

#[test]
fn kept_inputs_break_no_promise() {
    for target in TARGETS {
        let corpus = corpus(target);
        assert!(!corpus.is_empty(), "{} has no inputs", target.name);
        for (path, input) in corpus {
            let tried = catch_unwind(|| (target.run)(&input));
            assert!(tried.is_ok(), "{}", path.display());
        }
    }
}

#[test]
fn truncated_inputs_break_no_promise() {
    for target in TARGETS {
        (target.run)(b"");
        for (path, input) in corpus(target) {
            for cut in [1, input.len() / 3, input.len() / 2, input.len().saturating_sub(1)] {
                let tried = catch_unwind(|| (target.run)(&input[..cut.min(input.len())]));
                assert!(tried.is_ok(), "{}, cut after {cut} bytes", path.display());
            }
        }
    }
}

#[test]
fn every_target_has_its_program_and_its_dictionary_is_not_forgotten() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = fs::read_dir(manifest.join("fuzz_targets")).expect("the programs").count();
    assert_eq!(programs, TARGETS.len());
    for target in TARGETS {
        assert!(manifest.join("fuzz_targets").join(format!("{}.rs", target.name)).exists(), "{}", target.name);
        assert!(manifest.join("dictionaries").join(format!("{}.dict", target.name)).exists(), "{}", target.name);
    }
}
