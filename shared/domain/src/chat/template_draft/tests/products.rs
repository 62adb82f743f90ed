//! Templates that show products: catalog, multi-product and single-product templates.

use serde_json::{Value, json};

use super::{Category, TemplateDraft, body, draft, refused};

fn buttons(buttons: &Value) -> Value {
    json!({"type": "BUTTONS", "buttons": buttons})
}

fn catalog() -> Value {
    buttons(&json!([{"type": "CATALOG", "text": "View catalog"}]))
}

fn items() -> Value {
    buttons(&json!([{"type": "MPM", "text": "View items"}]))
}

fn view() -> Value {
    buttons(&json!([{"type": "SPM", "text": "View"}]))
}

fn product() -> Value {
    json!({"type": "HEADER", "format": "PRODUCT"})
}

fn title() -> Value {
    json!({"type": "HEADER", "format": "TEXT", "text": "Forget something, {{1}}?", "example": {"header_text": ["Pablo"]}})
}

fn footer() -> Value {
    json!({"type": "FOOTER", "text": "Best deals"})
}

#[test]
fn templates_with_products_are_accepted() {
    let longest = json!({"type": "BODY", "text": "x".repeat(160)});
    for components in [
        json!([body(), catalog()]),
        json!([body(), footer(), catalog()]),
        json!([title(), body(), items()]),
        json!([title(), body(), footer(), items()]),
        json!([product(), body(), view()]),
        json!([product(), longest, footer(), view()]),
        json!([{"type": "header", "format": "product"}, body(), {"type": "buttons", "buttons": [{"type": "spm", "text": "View"}]}]),
    ] {
        draft(Category::Marketing, None, components).checked().expect("accepted");
    }
    // In other languages, WhatsApp does not document the text.
    let translated = json!([body(), buttons(&json!([{"type": "CATALOG", "text": "Ver catálogo"}]))]);
    let spanish =
        TemplateDraft { language: "es_MX".to_owned(), ..draft(Category::Marketing, None, translated.clone()) };
    spanish.checked().expect("accepted");
    let message = refused(Category::Marketing, None, translated, "components[1].buttons[0].text");
    assert!(message.contains("must be View catalog"), "{message}");
}

#[test]
fn templates_with_products_have_their_limits() {
    let stop = json!({"type": "QUICK_REPLY", "text": "Stop"});
    let of = |kind: &str, text: &str| json!({"type": kind, "text": text});
    let long = json!({"type": "BODY", "text": "x".repeat(161)});
    let image =
        json!({"type": "HEADER", "format": "IMAGE", "example": {"mediaId": "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}});
    for (components, param, says) in [
        (json!([title(), body(), catalog()]), "components[0]", "a catalog template has components of these types only"),
        (json!([body(), buttons(&json!([of("CATALOG", "View catalog"), stop]))]), "components[1].buttons", "CATALOG"),
        (json!([body(), buttons(&json!([{"type": "CATALOG"}]))]), "components[1].buttons[0].text", "required"),
        (json!([body(), buttons(&json!([of("CATALOG", "Shop")]))]), "components[1].buttons[0].text", "View catalog"),
        (json!([catalog()]), "components", "BODY"),
        (json!([body(), items()]), "components", "HEADER"),
        (json!([image, body(), items()]), "components[0].format", "TEXT"),
        (json!([title(), body(), buttons(&json!([of("MPM", "View items"), stop]))]), "components[2].buttons", "MPM"),
        (json!([title(), body(), buttons(&json!([of("MPM", "Shop")]))]), "components[2].buttons[0].text", "View items"),
        (json!([body(), view()]), "components", "HEADER"),
        (json!([product(), body()]), "components", "BUTTONS"),
        (json!([product(), body(), catalog()]), "components[2].buttons", "SPM"),
        (json!([image, body(), view()]), "components[0].format", "PRODUCT"),
        (json!([product(), long, view()]), "components[1].text", "at most 160"),
        (
            json!([{"type": "HEADER", "format": "PRODUCT", "text": "x"}, body(), view()]),
            "components[0].text",
            "Allowed",
        ),
        (json!([product(), body(), buttons(&json!([of("SPM", "Look")]))]), "components[2].buttons[0].text", "View"),
    ] {
        let message = refused(Category::Marketing, None, components, param);
        assert!(message.contains(says), "{message}");
    }
    for (components, param) in [
        (json!([body(), catalog()]), "components[1].buttons[0].type"),
        (json!([title(), body(), items()]), "components[2].buttons[0].type"),
        (json!([product(), body(), view()]), "components[0].format"),
    ] {
        refused(Category::Utility, None, components, param);
    }
}
