//! The comparison of parameters with stored carousels, limited-time offers, templates that show products, and GIFs.

use platform::render::{self, Resolved};
use serde_json::{Value, json};

use crate::kit::{accepted, medium, resolved};
use crate::templates::{check, own, raw, template};

/// A carousel of three cards with an image, a text and two buttons, in the two letter cases that the platform uses.
fn plants() -> Value {
    let card = json!({"components": [
        {"type": "HEADER", "format": "IMAGE"},
        {"type": "body", "text": "Buy {{1}} now"},
        {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "More"},
            {"type": "URL", "text": "Shop", "url": "https://example.com/{{1}}"}]}]});
    json!([{"type": "BODY", "text": "Rare plants!"}, {"type": "carousel", "cards": [card, card, card]}])
}

/// A carousel of products: the template has two cards, and a message may have more.
fn products() -> Value {
    let card = json!({"components": [{"type": "HEADER", "format": "PRODUCT"},
        {"type": "BUTTONS", "buttons": [{"type": "SPM", "text": "View"}]}]});
    json!([{"type": "BODY", "text": "Rare plants!"}, {"type": "CAROUSEL", "cards": [card, card]}])
}

fn offer(has_expiration: bool) -> Value {
    json!([
        {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Now", "has_expiration": has_expiration}},
        {"type": "BODY", "text": "Hello"},
        {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "example": "X"}, {"type": "URL", "url": "https://example.com"}]},
    ])
}

fn buttons(kind: &str) -> Value {
    json!([{"type": "BODY", "text": "b"}, {"type": "BUTTONS", "buttons": [{"type": kind}]}])
}

fn header(format: &str) -> Value {
    json!([{"type": "HEADER", "format": format}, {"type": "BODY", "text": "b"}])
}

fn plain() -> Value {
    json!([{"type": "BODY", "text": "b"}])
}

/// The parameters of a card that fit those of `plants`.
fn plant() -> Value {
    json!({"header": {"mediaId": medium("image")}, "body": {"1": "Aloe"}, "buttons": [{"index": 1, "urlSuffix": "aloe"}]})
}

fn a_product() -> Value {
    json!({"product": {"catalogId": "1", "productRetailerId": "sku-1"}})
}

fn cards(cards: &[Value]) -> Value {
    template(&json!({"cards": cards}))
}

fn several() -> Value {
    json!({"index": 0, "products": {"thumbnailProductRetailerId": "a", "sections": [{"title": "t", "productRetailerIds": ["a"]}]}})
}

/// A card in the platform's own form that fits those of `plants`.
fn own_plant() -> Value {
    json!({"components": [
        {"type": "HEADER", "parameters": [{"type": "image", "image": {"link": "https://example.com/a.png"}}]},
        {"type": "body", "parameters": [{"type": "text", "text": "Aloe"}]},
        {"type": "button", "sub_type": "url", "index": "1", "parameters": [{"type": "text", "text": "aloe"}]}]})
}

fn carousel(cards: &[Value]) -> Value {
    json!({"type": "carousel", "cards": cards})
}

fn expires() -> Value {
    json!({"expiresAt": "2026-12-24T18:00:00Z"})
}

fn own_expiry(parameters: &Value) -> Value {
    json!({"type": "limited_time_offer", "parameters": parameters})
}

fn code() -> Value {
    json!({"index": 0, "couponCode": "X"})
}

fn own_code() -> Value {
    json!({"type": "button", "sub_type": "COPY_CODE", "index": 0, "parameters": [{"type": "coupon_code", "coupon_code": "X"}]})
}

#[test]
fn parameters_that_fit_are_accepted() {
    let in_time =
        json!([{"type": "limited_time_offer", "limited_time_offer": {"expiration_time_ms": 1_798_135_200_000_i64}}]);
    let gif = |kind: &str| json!([{"type": "header", "parameters": [{"type": kind, kind: {"link": "https://example.com/a.mp4"}}]}]);
    for (sent, components) in [
        (cards(&[plant(), plant(), plant()]), plants()),
        (own(&json!([carousel(&[own_plant(), own_plant(), own_plant()])])), plants()),
        (raw(&json!([carousel(&[own_plant(), own_plant(), own_plant()])])), plants()),
        (cards(&[json!({"header": a_product()}), json!({"header": a_product()})]), products()),
        (cards(&vec![json!({"header": a_product()}); 10]), products()),
        (template(&json!({"offer": expires(), "buttons": [code()]})), offer(true)),
        (template(&json!({"buttons": [code()]})), offer(false)),
        (template(&json!({"offer": expires(), "buttons": [code()]})), offer(false)),
        (own(&json!([own_expiry(&in_time), own_code()])), offer(true)),
        (own(&json!([own_code()])), offer(false)),
        (template(&json!({"buttons": [{"index": 0, "thumbnailProductRetailerId": "a"}]})), buttons("CATALOG")),
        (template(&json!({})), buttons("CATALOG")),
        (template(&json!({"buttons": [several()]})), buttons("MPM")),
        (template(&json!({"header": a_product()})), header("PRODUCT")),
        (own(&json!([{"type": "header", "parameters": [{"type": "product", "product": {}}]}])), header("product")),
        (template(&json!({"header": {"url": "https://example.com/a"}})), header("GIF")),
        (own(&gif("gif")), header("GIF")),
        (own(&gif("video")), header("GIF")),
        // Cards that are not known are not compared.
        (cards(&[plant(), plant()]), json!([{"type": "BODY", "text": "b"}, {"type": "CAROUSEL", "cards": []}])),
    ] {
        assert_eq!(check(&sent, &components), Ok(()), "{sent}");
    }
}

#[test]
fn the_first_parameter_of_a_card_that_differs_is_named() {
    let changed = |field: &str, value: Value| {
        let mut card = plant();
        card[field] = value;
        cards(&[plant(), card, plant()])
    };
    let own_changed = |index: usize, part: Value| {
        let mut card = own_plant();
        card["components"][index] = part;
        own(&json!([carousel(&[own_plant(), card, own_plant()])]))
    };
    let (at, own_at) = ("template.cards[1]", "template.components[0].cards[1].components");
    let without = json!({"components": own_plant()["components"].as_array().unwrap()[..1]});
    for (param, says, sent, components) in [
        ("template.cards".to_owned(), "3 entries", cards(&[plant(), plant()]), plants()),
        ("template.cards".to_owned(), "is missing", template(&json!({})), plants()),
        ("template.cards".to_owned(), "no cards", cards(&[plant(), plant()]), plain()),
        (format!("{at}.header"), "kind image", changed("header", json!({"mediaId": medium("video")})), plants()),
        (format!("{at}.header"), "kind image", changed("header", a_product()), plants()),
        (format!("{at}.body.1"), "expects: 1", changed("body", json!({"name": "a"})), plants()),
        (format!("{at}.body.2"), "expects: 1", changed("body", json!({"1": "a", "2": "b"})), plants()),
        (format!("{at}.buttons"), "button 1", changed("buttons", json!([{"index": 0, "payload": "p"}])), plants()),
        (
            format!("{at}.buttons[0].payload"),
            "of kind url",
            changed("buttons", json!([{"index": 1, "payload": "p"}])),
            plants(),
        ),
        ("template.cards[0].header".to_owned(), "product", cards(&[plant(), plant()]), products()),
        (
            "template.cards[1].body.1".to_owned(),
            "Omit template.cards[1].body",
            cards(&[json!({"header": a_product()}), json!({"header": a_product(), "body": {"1": "a"}})]),
            products(),
        ),
        (
            "template.cards[2].buttons[0].urlSuffix".to_owned(),
            "of kind spm",
            cards(&[
                json!({"header": a_product()}),
                json!({"header": a_product()}),
                json!({"header": a_product(), "buttons": [{"index": 0, "urlSuffix": "1"}]}),
            ]),
            products(),
        ),
        // The platform's own form.
        ("template.components".to_owned(), "carousel", own(&json!([])), plants()),
        ("template.components[0]".to_owned(), "no cards", own(&json!([carousel(&[own_plant()])])), plain()),
        ("template.components[0].cards".to_owned(), "3 entries", own(&json!([carousel(&[own_plant()])])), plants()),
        (
            "raw.template.components[0].cards".to_owned(),
            "This one has 1",
            raw(&json!([carousel(&[own_plant()])])),
            plants(),
        ),
        (
            format!("{own_at}[0].parameters"),
            "type image",
            own_changed(0, json!({"type": "header", "parameters": []})),
            plants(),
        ),
        (
            format!("{own_at}[1].parameters"),
            "1 entries",
            own_changed(1, json!({"type": "body", "parameters": []})),
            plants(),
        ),
        (own_at.to_owned(), "body with 1", own(&json!([carousel(&[own_plant(), without, own_plant()])])), plants()),
        (
            format!("{own_at}[2].index"),
            "2 buttons",
            own_changed(2, json!({"type": "button", "sub_type": "url", "index": "2"})),
            plants(),
        ),
    ] {
        let (found, message) = check(&sent, &components).expect_err(&param);
        assert_eq!(found, param, "{sent}: {message}");
        assert!(message.contains(says), "{sent}: {message}");
    }
}

#[test]
fn the_first_other_parameter_that_differs_is_named() {
    let late = json!([{"type": "limited_time_offer", "limited_time_offer": {"expiration_time_ms": "tomorrow"}}]);
    let header_of = |kind: &str| json!([{"type": "header", "parameters": [{"type": kind}]}]);
    for (param, says, sent, components) in [
        ("template.offer", "expiresAt", template(&json!({"buttons": [code()]})), offer(true)),
        ("template.offer", "Omit it", template(&json!({"offer": expires()})), plain()),
        ("template.buttons", "copy_code", template(&json!({"offer": expires()})), offer(true)),
        ("template.components", "limited_time_offer", own(&json!([own_code()])), offer(true)),
        (
            "template.components[1].parameters",
            "expiration_time_ms",
            own(&json!([own_code(), own_expiry(&late)])),
            offer(true),
        ),
        (
            "template.components[0].parameters",
            "expiration_time_ms",
            own(&json!([own_expiry(&json!([])), own_code()])),
            offer(true),
        ),
        ("template.components[0]", "no offer", own(&json!([own_expiry(&late)])), plain()),
        ("template.buttons", "of kind mpm", template(&json!({})), buttons("MPM")),
        (
            "template.buttons[0].products",
            "of kind catalog",
            template(&json!({"buttons": [several()]})),
            buttons("CATALOG"),
        ),
        (
            "template.buttons[0].thumbnailProductRetailerId",
            "of kind mpm",
            template(&json!({"buttons": [{"index": 0, "thumbnailProductRetailerId": "a"}]})),
            buttons("MPM"),
        ),
        ("template.header", "product", template(&json!({})), header("PRODUCT")),
        ("template.header", "product", template(&json!({"header": {"text": "a"}})), header("PRODUCT")),
        ("template.header", "kind image", template(&json!({"header": a_product()})), header("IMAGE")),
        ("template.header", "kind video", template(&json!({"header": {"mediaId": medium("image")}})), header("GIF")),
        ("template.header", "kind video", template(&json!({})), header("GIF")),
        ("template.components[0].parameters", "type gif", own(&header_of("text")), header("GIF")),
        ("template.components[0].parameters", "type product", own(&header_of("text")), header("PRODUCT")),
    ] {
        let (found, message) = check(&sent, &components).expect_err(param);
        assert_eq!(found, param, "{sent}: {message}");
        assert!(message.contains(says), "{sent}: {message}");
    }
}

#[test]
fn the_stored_template_decides_the_form_of_media() {
    let body = |sent: &Value, components: Value| {
        let message = accepted(sent);
        let resolved = Resolved { template: Some(components), ..resolved(&message) };
        render::body(&message, &resolved).unwrap()["template"]["components"].clone()
    };
    let link = format!("https://bucket.example.com/{}", medium("video"));
    let gif = template(&json!({"header": {"mediaId": medium("video")}}));
    let expected = json!([{"type": "header", "parameters": [{"type": "gif", "gif": {"link": link}}]}]);
    assert_eq!(body(&gif, header("GIF")), expected);
    let expected = json!([{"type": "header", "parameters": [{"type": "video", "video": {"link": link}}]}]);
    assert_eq!(body(&gif, plain()), expected);

    let film = json!({"components": [{"type": "HEADER", "format": "VIDEO"}]});
    let films = json!([{"type": "BODY", "text": "b"}, {"type": "CAROUSEL", "cards": [film, film]}]);
    let url = json!({"header": {"url": "https://example.com/stream"}});
    let sent = body(&cards(&[url.clone(), url]), films);
    let first = json!({"type": "video", "video": {"link": "https://example.com/stream"}});
    assert_eq!(sent[0]["cards"][1]["components"][0]["parameters"][0], first);
}
