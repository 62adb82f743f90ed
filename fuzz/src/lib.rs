//! Fuzz targets for all untrusted input (docs/fuzzing.md). Each target takes arbitrary bytes and panics if a property does not
//! hold. libFuzzer searches for such bytes (fuzz_targets/); the tests run the inputs that are kept in corpus/.

mod service;
pub mod targets;

/// A target and its name, which is also the name of its folder in corpus/ and of its program.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

macro_rules! targets {
    ($($name:ident)+) => {
        pub const TARGETS: &[Target] = &[$(Target { name: stringify!($name), run: targets::$name::run }),+];
    };
}

targets! { body credential cursor message multipart notification queue request values webhook }
