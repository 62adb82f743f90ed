//! Validation of strings in requests. Lengths are counted in characters.

#[cfg(test)]
mod tests;

use url::Url;

use crate::Failure;

/// The longest name, in characters.
pub const NAME_LENGTH: usize = 255;
/// The longest single-line string of a field without a limit of its own, in characters.
pub const STRING_LENGTH: usize = 2048;
/// The longest slug, in characters.
pub const SLUG_LENGTH: usize = 63;

/// Validates and returns a trimmed string: 1 to `most` characters, no control characters, at least one visible
/// character. The limits apply to the untrimmed text, as in the OpenAPI document.
pub fn bounded(text: &str, param: &str, most: usize) -> Result<String, Failure> {
    let trimmed = text.trim();
    let length = text.chars().count();
    if trimmed.chars().all(is_invisible) {
        return Err(Failure::invalid(param, format!("{param} must not be empty.")));
    }
    if length > most {
        return Err(Failure::invalid(
            param,
            format!("{param} may have at most {most} characters. This one has {length}."),
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(Failure::invalid(param, format!("{param} must not contain control characters.")));
    }
    Ok(trimmed.to_owned())
}

/// Returns whether a character is a soft hyphen, has zero width or sets the text direction. A name of only such
/// characters would look empty.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Validates and returns a trimmed name, as `bounded` with the length limit of names.
pub fn name(text: &str, param: &str) -> Result<String, Failure> {
    bounded(text, param, NAME_LENGTH)
}

/// Validates a text that may be empty, which removes a value: at most `most` characters, without control characters other
/// than line breaks and tabs. Returns it trimmed.
pub fn optional_lines(text: &str, param: &str, most: usize) -> Result<String, Failure> {
    of_lines(text, param, most)?;
    Ok(text.trim().to_owned())
}

/// Validates and returns an email address: visible ASCII characters, one `@`, and a domain of at least two parts.
pub fn email(text: &str, param: &str, most: usize) -> Result<String, Failure> {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_local = |local: &str| !local.is_empty() && local.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'@');
    let is_email = text
        .rsplit_once('@')
        .is_some_and(|(local, domain)| is_local(local) && domain.contains('.') && domain.split('.').all(is_part));
    let length = text.chars().count();
    if !is_email || length > most {
        let message =
            format!("{param} must be an email address of at most {most} characters, such as help@example.com.");
        return Err(Failure::invalid(param, message));
    }
    Ok(text.to_owned())
}

/// Validates and returns an http or https URL without credentials.
pub fn website(text: &str, param: &str, most: usize) -> Result<String, Failure> {
    let is_clean = text.chars().count() <= most && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    let url = absolute_url(text).filter(|url| is_clean && matches!(url.scheme(), "http" | "https"));
    let is_plain = url.is_some_and(|url| url.username().is_empty() && url.password().is_none());
    if !is_plain {
        let message =
            format!("{param} must be an http:// or https:// URL of at most {most} characters, without credentials.");
        return Err(Failure::invalid(param, message));
    }
    Ok(text.to_owned())
}

/// Validates the text of a message: 1 to `most` characters, without control characters other than line breaks and tabs.
/// It is not trimmed.
pub fn message_text(text: &str, param: &str, most: usize) -> Result<String, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::invalid(param, format!("{param} must not be empty.")));
    }
    of_lines(text, param, most)?;
    Ok(text.to_owned())
}

/// Validates at most `most` characters without control characters other than line breaks and tabs.
fn of_lines(text: &str, param: &str, most: usize) -> Result<(), Failure> {
    let length = text.chars().count();
    if length > most {
        return Err(Failure::invalid(
            param,
            format!("{param} may have at most {most} characters. This one has {length}."),
        ));
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(Failure::invalid(param, format!("{param} must not contain control characters.")));
    }
    Ok(())
}

/// Parses a URL that is written as RFC 3986 requires. The parser alone would also repair missing slashes and
/// backslashes, so that other programs could see another host in the same text.
pub fn absolute_url(text: &str) -> Option<Url> {
    let (scheme, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let well_formed = !scheme.is_empty() && !host.is_empty() && !text.contains('\\') && !authority.contains('@');
    // A single dot at the end denotes the DNS root, but two dots in a row are never valid.
    if !well_formed || host.contains("..") {
        return None;
    }
    // The parser ends the scheme at the first colon: in `https:/a://b` it would find the host `a`.
    Url::parse(text).ok().filter(|url| url.scheme().eq_ignore_ascii_case(scheme))
}

/// Returns whether a text is an absolute URI of RFC 3986 with a host and without a fragment. Browsers, and
/// [`absolute_url`], accept more.
pub fn is_absolute_uri(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let (authority, after) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let is_encoded = text
        .split('%')
        .skip(1)
        .all(|after| after.len() >= 2 && after.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()));
    let may_stand = |c: char| c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=%".contains(c);
    let is_plain = authority.chars().all(|c| may_stand(c) || "[]".contains(c)) && after.chars().all(may_stand);
    is_encoded && is_plain && absolute_url(text).is_some()
}

/// Validates an absolute https URL without credentials, and returns it unchanged.
pub fn https_url(text: &str, param: &str) -> Result<String, Failure> {
    let refuse = || {
        Failure::invalid(
            param,
            format!("{param} must be an https:// URL of at most {STRING_LENGTH} characters, without credentials."),
        )
    };
    let clean = text.chars().count() <= STRING_LENGTH && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    let url = absolute_url(text).filter(|_| clean).ok_or_else(refuse)?;
    let plain = url.scheme() == "https" && url.username().is_empty() && url.password().is_none();
    if plain { Ok(text.to_owned()) } else { Err(refuse()) }
}

/// Validates a slug: `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 63 characters.
pub fn slug(text: &str, param: &str) -> Result<String, Failure> {
    let well_formed = (1..=SLUG_LENGTH).contains(&text.len())
        && text.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        });
    well_formed.then(|| text.to_owned()).ok_or_else(|| {
        Failure::invalid(
            param,
            format!(
                "{param} must be 1 to {SLUG_LENGTH} lower-case letters and digits, in parts joined by single hyphens."
            ),
        )
    })
}

/// Derives a slug from a name; `fallback` if the name has no ASCII letter or digit.
pub fn slug_of_name(name: &str, fallback: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(SLUG_LENGTH);
    let trimmed = slug.trim_end_matches('-');
    if trimmed.is_empty() { fallback.to_owned() } else { trimmed.to_owned() }
}

/// Returns `slug` with `-suffix`, cutting the slug so that both fit.
pub fn slug_with_suffix(slug: &str, suffix: &str) -> String {
    let most = SLUG_LENGTH - suffix.len() - 1;
    format!("{}-{suffix}", slug[..slug.len().min(most)].trim_end_matches('-'))
}
