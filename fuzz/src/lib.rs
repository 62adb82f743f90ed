//! What everybody may send, tried with what nobody thought of (docs/fuzzing.md). Each target takes any bytes and panics where a
//! promise is broken; libFuzzer looks for such bytes (fuzz_targets/), and the tests hold those that are kept in corpus/.

mod memory;
mod service;
pub mod targets;

/// A target by its name, which its folder in corpus/ and its program have too.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

macro_rules! targets {
    ($($name:ident)+) => {
        pub const TARGETS: &[Target] = &[$(Target { name: stringify!($name), run: targets::$name::run }),+];
    };
}

targets! { body credential cursor multipart notification queue request values webhook }
