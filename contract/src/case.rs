//! Names in the styles of the languages that clients are generated for.

/// `nextCursor` becomes `next_cursor`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() && !text.ends_with('_') {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text.replace(['.', '-'], "_")
}

/// What serde's `camelCase` makes of a Rust field.
pub(crate) fn camel_case(name: &str) -> String {
    let pascal = pascal_case(name);
    pascal[..1].to_ascii_lowercase() + &pascal[1..]
}

/// `messages.chat.sent`, `image/jpeg` and `LIMIT_EXCEEDED` become `MessagesChatSent`, `ImageJpeg` and `LimitExceeded`.
pub(crate) fn pascal_case(name: &str) -> String {
    let mut text = String::new();
    for word in name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let is_shouted = word.chars().all(|letter| !letter.is_ascii_lowercase());
        let rest = if is_shouted { word[1..].to_ascii_lowercase() } else { word[1..].to_owned() };
        text.push_str(&word[..1].to_ascii_uppercase());
        text.push_str(&rest);
    }
    match text.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("_{text}"),
        false => text,
    }
}
