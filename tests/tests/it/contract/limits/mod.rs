//! The limits that texts and attributes repeat are those of the constants in the code. Error messages are made of the
//! constants; attributes of the OpenAPI document, doc comments and pages cannot be, so these tests compare them.

mod attributes;
mod descriptions;
mod pages;
mod tables;

use std::path::Path;

/// Asserts that a page of the repository contains the phrases, each of which is written with the constants.
fn assert_page_says(page: &str, phrases: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    assert_says(page, &std::fs::read_to_string(path).unwrap(), phrases);
}

/// Asserts that a text contains the phrases, wherever its lines end.
fn assert_says(name: &str, text: &str, phrases: &[String]) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing: Vec<_> = phrases.iter().filter(|phrase| !text.contains(phrase.as_str())).collect();
    assert!(missing.is_empty(), "{name} does not say: {missing:#?}");
}

/// Returns a number with separators of thousands, as texts have it.
fn grouped(number: impl TryInto<u64>) -> String {
    let number: u64 = number.try_into().unwrap_or_else(|_| panic!("a limit is not negative"));
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a small number as a word.
fn word(number: impl TryInto<usize>) -> &'static str {
    const WORDS: [&str; 11] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let number: usize = number.try_into().unwrap_or_else(|_| panic!("a limit is not negative"));
    WORDS[number]
}

/// Returns how many KiB some bytes are.
fn kib(bytes: impl TryInto<u64>) -> u64 {
    let bytes: u64 = bytes.try_into().unwrap_or_else(|_| panic!("a limit is not negative"));
    bytes / 1024
}

/// Returns how many MiB some bytes are.
fn mib(bytes: impl TryInto<u64>) -> u64 {
    kib(bytes) / 1024
}
