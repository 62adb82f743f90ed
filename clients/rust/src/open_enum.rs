//! Enums of strings that keep values they do not know, because the API may add some.

/// Defines an enum of strings. A value that is not listed becomes `Unrecognized`.
macro_rules! open_enum {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $value:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
        #[serde(from = "String", into = "String")]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
            /// A value that this version of the crate does not know.
            Unrecognized(String),
        }

        impl $name {
            /// The values that this version of the crate knows, as the API writes them.
            pub const KNOWN: &[&str] = &[$($value),*];

            /// Returns the value as the API writes it.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Unrecognized(value) => value,
                }
            }
        }

        impl From<String> for $name {
            fn from(value: String) -> Self {
                match value.as_str() {
                    $($value => Self::$variant,)*
                    _ => Self::Unrecognized(value),
                }
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.as_str().to_owned()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }
    };
}
pub(crate) use open_enum;
