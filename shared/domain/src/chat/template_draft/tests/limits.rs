//! Names, languages and times to live.

use serde_json::json;

use super::{Category, TemplateDraft, body, check_time_to_live, draft};

#[test]
fn names_languages_and_times_to_live_have_their_limits() {
    let good = || draft(Category::Utility, None, json!([body()]));
    for name in ["", "Order", "order-update", "order update", &"x".repeat(513)] {
        let failure = TemplateDraft { name: name.to_owned(), ..good() }.checked().expect_err(name);
        assert_eq!(failure.param(), Some("name"));
    }

    for (language, is_code) in [
        ("en", true),
        ("en_US", true),
        ("fil", true),
        ("zh_HK", true),
        ("prs_AF", true),
        ("", false),
        ("EN", false),
        ("en-US", false),
        ("en_us", false),
        ("english", false),
        ("en_US_x", false),
    ] {
        let outcome = TemplateDraft { language: language.to_owned(), ..good() }.checked();
        assert_eq!(outcome.is_ok(), is_code, "{language}");
    }

    use Category::{Authentication, Marketing, Utility};
    for (category, seconds, is_allowed) in [
        (Authentication, 30, true),
        (Authentication, 900, true),
        (Authentication, -1, true),
        (Authentication, 29, false),
        (Authentication, 901, false),
        (Utility, 43_200, true),
        (Utility, -1, true),
        (Utility, 43_201, false),
        (Utility, 0, false),
        (Marketing, 43_200, true),
        (Marketing, 2_592_000, true),
        (Marketing, 43_199, false),
        (Marketing, -1, false),
    ] {
        assert_eq!(check_time_to_live(Some(seconds), category).is_ok(), is_allowed, "{category:?} {seconds}");
    }
}
