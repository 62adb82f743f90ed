//! Edits of templates.

use serde_json::json;

use super::{Category, ParameterFormat, TemplateEdit, expect_editable};
use crate::chat::Template;
use crate::{ErrorKind, Timestamp};

#[test]
fn edits_keep_the_shape_of_the_category() {
    let to = |category| TemplateEdit { category: Some(category), ..TemplateEdit::default() };
    let format = ParameterFormat::Positional;
    assert!(to(Category::Marketing).checked(Category::Utility, format, "en_US").is_ok());

    let failure = to(Category::Authentication).checked(Category::Utility, format, "en_US").expect_err("no components");
    assert_eq!(failure.param(), Some("components"));

    let seconds = TemplateEdit { message_send_ttl_seconds: Some(43_200), ..to(Category::Marketing) };
    assert!(seconds.checked(Category::Utility, format, "en_US").is_ok(), "the new category decides");
}

fn template(status: &str) -> Template {
    serde_json::from_value(json!({
        "id": "1", "chatBusinessProfileId": "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "status": status,
        "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z",
    }))
    .expect("a template")
}

#[test]
fn approved_templates_are_edited_once_a_day_and_ten_times_in_thirty_days() {
    const HOUR: i64 = 3_600_000;
    let at = |hours: i64| Timestamp::from_millis(1_790_000_000_000 + hours * HOUR);
    let again = |status: &str, edits: &[i64], now: i64| {
        let edits: Vec<_> = edits.iter().map(|hours| at(*hours)).collect();
        expect_editable(&template(status), &edits, false, at(now)).err()
    };
    assert!(again("APPROVED", &[], 0).is_none());
    let failure = again("APPROVED", &[0], 23).expect("too early");
    assert_eq!((failure.kind(), failure.param()), (ErrorKind::Conflict, Some("templateId")));
    assert_eq!(failure.retry_after(), Some(3600));
    assert!(failure.message().contains(&at(24).to_string()), "{}", failure.message());
    assert!(again("APPROVED", &[0], 24).is_none());

    let daily: Vec<i64> = (0..10).map(|day| day * 24).collect();
    let failure = again("APPROVED", &daily, 10 * 24).expect("the eleventh");
    assert!(failure.message().contains(&at(30 * 24).to_string()), "{}", failure.message());
    assert!(again("APPROVED", &daily, 30 * 24).is_none());

    for status in ["REJECTED", "PAUSED"] {
        assert!(again(status, &daily, 10 * 24).is_none(), "{status}");
    }
    for status in ["PENDING", "DISABLED", "IN_APPEAL"] {
        assert_eq!(again(status, &[], 0).expect(status).retry_after(), None);
    }

    assert!(expect_editable(&template("REJECTED"), &[], true, at(0)).is_ok());
    assert_eq!(
        expect_editable(&template("APPROVED"), &[], true, at(0)).expect_err("category").param(),
        Some("category")
    );
}
