//! Tests of the validation of strings: names, texts, URLs, email addresses and slugs.

use super::*;
use crate::ErrorKind;

#[test]
fn uris_hold_no_character_that_must_be_encoded() {
    for uri in
        ["https://example.com", "http://a.b:8080/c?d=%2F&e=f:@!$'()*+,;~", "app://callback/", "https://[2001:db8::1]/"]
    {
        assert!(is_absolute_uri(uri), "{uri}");
    }
    for url in [
        "https://example.com/a b",
        "https://example.com/\"",
        "https://example.com/é",
        "https://exämple.com/",
        "https://exam\"ple.com/",
        "https://{example}/",
        "https://example.com/[x]",
        "https://example.com/?{x}",
        "https://example.com/%",
        "https://example.com/%2",
        "https://example.com/%zz",
        "https://example.com/#x",
        "https:///x",
        "example.com/x",
        "/x",
    ] {
        assert!(!is_absolute_uri(url), "{url}");
    }
}

#[test]
fn names_are_trimmed_and_bounded_in_characters() {
    assert_eq!(name("  Ünï  ", "name").ok().as_deref(), Some("Ünï"));
    assert!(name(&"é".repeat(255), "name").is_ok());
    for text in [
        String::new(),
        "   ".into(),
        "é".repeat(256),
        "a\u{0}b".into(),
        "a\nb".into(),
        "a\n".into(),
        format!("{} ", "é".repeat(255)),
        "a\u{85}b".into(),
        "\u{200b}\u{202e}".into(),
    ] {
        let failure = name(&text, "name").expect_err("refused");
        assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some("name")));
    }
}

#[test]
fn emails_and_websites_are_plain_and_bounded() {
    for sent in ["help@example.com", "a.b+c@shop.example-1.co.uk", "\"x\"@a.b"] {
        assert_eq!(email(sent, "email", 128).ok().as_deref(), Some(sent), "{sent}");
    }
    let long = format!("{}@example.com", "a".repeat(120));
    for sent in [
        "",
        "help",
        "@example.com",
        "a@b",
        "a@b.",
        "a@.b",
        "a b@example.com",
        " help@example.com",
        "a@b@example.com",
        "é@example.com",
        &long,
    ] {
        assert!(email(sent, "email", 128).is_err(), "{sent}");
    }
    for sent in ["https://example.com", "http://example.com/a?b=c#d", "HTTPS://example.com/é"] {
        assert_eq!(website(sent, "websites[0]", 256).ok().as_deref(), Some(sent), "{sent}");
    }
    let long = format!("https://example.com/{}", "a".repeat(256));
    for sent in [
        "",
        "example.com",
        "ftp://example.com",
        "https://a:b@example.com",
        "https://example.com/a b",
        "https://example.com/ ",
        "https:/x",
        &long,
    ] {
        assert!(website(sent, "websites[0]", 256).is_err(), "{sent}");
    }
    assert_eq!(optional_lines(" \n ", "address", 5).ok().as_deref(), Some(""));
    assert_eq!(optional_lines("a\nb ", "address", 4).ok().as_deref(), Some("a\nb"));
    for refused in ["abcd", "abc ", "a\u{0}"] {
        assert!(optional_lines(refused, "address", 3).is_err(), "{refused:?}");
    }
}

#[test]
fn suggested_slugs_are_slugs() {
    for name in ["My App", "  --Ünï 9!  ", "日本", "a".repeat(300).as_str(), "x-".repeat(100).as_str()] {
        let suggested = slug_of_name(name, "app");
        assert!(slug(&suggested, "slug").is_ok(), "{suggested}");
        assert!(slug(&slug_with_suffix(&suggested, "k3x9"), "slug").is_ok(), "{suggested}");
    }
}

#[test]
fn invalid_slugs_are_rejected() {
    for text in ["", "-", "a-", "-a", "a--b", "A", "a_b", "ä", "a b", &"a".repeat(64)] {
        assert!(slug(text, "slug").is_err(), "{text}");
    }
}
