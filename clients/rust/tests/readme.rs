//! The code of the README is that of examples/readme.rs, which CI compiles and runs.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

/// Returns the lines without their indentation, and without empty ones.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_code_of_the_readme_is_compiled() {
    let readme = include_str!("../README.md");
    let program = include_str!("../examples/readme.rs");
    let blocks: Vec<&str> = readme.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() > 8);
    let program = lines(program);
    for block in blocks {
        let block = lines(block);
        // The first one has an address and a key of its own.
        let is_known = program.windows(block.len()).any(|window| window == block);
        assert!(is_known || block[0].starts_with("let client = Client::new("), "{}", block.join("\n"));
    }
}
