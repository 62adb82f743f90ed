//! Values of options.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// A value of one of the API's enumerations, in any letter case. Shells complete it.
pub(super) fn one_of(values: &'static [&'static str]) -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(values).map(|value| value.to_ascii_uppercase())
}
