//! Carousels.

use serde_json::{Value, json};

use super::{Category, HeaderSample, ParameterFormat, body, draft, refused};

const MEDIA: &str = "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

fn header(format: &str) -> Value {
    json!({"type": "HEADER", "format": format, "example": {"mediaId": MEDIA}})
}

fn text(text: &str) -> Value {
    json!({"type": "BODY", "text": text})
}

fn buttons(buttons: &Value) -> Value {
    json!({"type": "BUTTONS", "buttons": buttons})
}

fn shop() -> Value {
    json!({"type": "URL", "text": "Shop", "url": "https://example.com/{{1}}", "example": ["aloe"]})
}

fn more() -> Value {
    json!({"type": "QUICK_REPLY", "text": "More"})
}

fn card(components: &[Value]) -> Value {
    json!({"components": components})
}

/// A template of these cards.
fn carousel(cards: &[Value]) -> Value {
    json!([body(), {"type": "CAROUSEL", "cards": cards}])
}

/// Cards with an image, a text and two buttons.
fn plain(count: usize) -> Vec<Value> {
    vec![card(&[header("IMAGE"), text("Aloe"), buttons(&json!([more(), shop()]))]); count]
}

fn product(buttons: &Value) -> Value {
    card(&[json!({"type": "HEADER", "format": "PRODUCT"}), json!({"type": "BUTTONS", "buttons": buttons})])
}

fn view() -> Value {
    json!({"type": "SPM", "text": "View"})
}

#[test]
fn carousels_are_accepted_and_written_in_upper_case() {
    let call = json!({"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+12015550123"});
    for cards in [
        plain(2),
        plain(10),
        vec![card(&[header("VIDEO")]); 3],
        vec![card(&[header("IMAGE"), text(&"x".repeat(160))]), card(&[text("Aloe"), header("IMAGE")])],
        vec![card(&[header("IMAGE"), buttons(&json!([call, shop()]))]); 2],
        vec![card(&[header("IMAGE"), buttons(&json!([more(), more()]))]); 2],
        // The texts of buttons may differ.
        vec![
            card(&[header("IMAGE"), buttons(&json!([more()]))]),
            card(&[header("IMAGE"), buttons(&json!([{"type": "QUICK_REPLY", "text": "Less"}]))]),
        ],
        vec![product(&json!([view()])); 2],
        vec![product(&json!([shop()])); 2],
    ] {
        draft(Category::Marketing, None, carousel(&cards)).checked().expect("accepted");
    }

    let lower = json!({"components": [{"type": "header", "format": "image", "example": {"mediaId": MEDIA}},
        {"type": "buttons", "buttons": [{"type": "quick_reply", "text": "More"}]}]});
    let components = json!([body(), {"type": "carousel", "cards": [lower, lower]}]);
    let checked = draft(Category::Marketing, None, components).checked().expect("accepted");
    let upper = card(&[header("IMAGE"), buttons(&json!([more()]))]);
    assert_eq!(checked.components[1], json!({"type": "CAROUSEL", "cards": [upper, upper]}));
    let samples = HeaderSample::all(&checked.components);
    let places: Vec<_> = samples.iter().map(|sample| (sample.param.as_str(), sample.pointer.as_str())).collect();
    assert_eq!(
        places,
        [
            ("components[1].cards[0].components[0].example.mediaId", "/1/cards/0/components/0"),
            ("components[1].cards[1].components[0].example.mediaId", "/1/cards/1/components/0"),
        ]
    );

    let example = json!({"body_text_named_params": [{"param_name": "plant", "example": "Aloe"}]});
    let named = card(&[header("IMAGE"), json!({"type": "BODY", "text": "Buy {{plant}} now", "example": example})]);
    let components = json!([{"type": "BODY", "text": "Look"}, {"type": "CAROUSEL", "cards": [named, named]}]);
    draft(Category::Marketing, Some(ParameterFormat::Named), components).checked().expect("accepted");
}

#[test]
fn cards_have_their_limits() {
    let at = "components[1].cards";
    let first = |components: &[Value]| vec![card(components), card(&[header("IMAGE")])];
    let of_buttons = |sent: Value| vec![card(&[header("IMAGE"), buttons(&sent)]); 2];
    let long = json!({"type": "QUICK_REPLY", "text": "x".repeat(26)});
    for (cards, param, says) in [
        (plain(0), at.to_owned(), "2 to 10 cards"),
        (plain(1), at.to_owned(), "2 to 10 cards"),
        (plain(11), at.to_owned(), "This one has 11"),
        (vec![json!("card"), json!("card")], format!("{at}[0]"), "an object"),
        (vec![json!({}); 2], format!("{at}[0].components"), "required"),
        (vec![json!({"components": [], "card_index": 0}); 2], format!("{at}[0].card_index"), "Allowed: components"),
        (first(&[]), format!("{at}[0].components"), "type HEADER"),
        (first(&[text("Aloe")]), format!("{at}[0].components"), "type HEADER"),
        (
            first(&[json!({"type": "FOOTER", "text": "x"})]),
            format!("{at}[0].components[0].type"),
            "HEADER, BODY, BUTTONS",
        ),
        (first(&[header("IMAGE"), header("IMAGE")]), format!("{at}[0].components[1]"), "second HEADER"),
        (first(&[header("DOCUMENT")]), format!("{at}[0].components[0].format"), "IMAGE, VIDEO, PRODUCT"),
        (first(&[header("GIF")]), format!("{at}[0].components[0].format"), "IMAGE, VIDEO, PRODUCT"),
        (
            first(&[json!({"type": "HEADER", "format": "IMAGE"})]),
            format!("{at}[0].components[0].example.mediaId"),
            "required",
        ),
        (first(&[header("IMAGE"), text(&"x".repeat(161))]), format!("{at}[0].components[1].text"), "at most 160"),
        (first(&[header("IMAGE"), text("a {{1}} b")]), format!("{at}[0].components[1].example.body_text"), "required"),
        (of_buttons(json!([])), format!("{at}[0].components[1].buttons"), "1 to 2 buttons"),
        (of_buttons(json!([more(), more(), more()])), format!("{at}[0].components[1].buttons"), "This one has 3"),
        (of_buttons(json!([long])), format!("{at}[0].components[1].buttons[0].text"), "at most 25"),
        (
            of_buttons(json!([view()])),
            format!("{at}[0].components[1].buttons[0].type"),
            "QUICK_REPLY, URL, PHONE_NUMBER",
        ),
        (
            of_buttons(json!([{"type": "COPY_CODE", "example": "X"}])),
            format!("{at}[0].components[1].buttons[0].type"),
            "QUICK_REPLY",
        ),
        (vec![product(&json!([more()])); 2], format!("{at}[0].components[1].buttons[0].type"), "SPM, URL"),
        (vec![product(&json!([view(), shop()])); 2], format!("{at}[0].components[1].buttons"), "one button"),
        (
            vec![product(&json!([{"type": "SPM", "text": "Look"}])); 2],
            format!("{at}[0].components[1].buttons[0].text"),
            "must be View",
        ),
        (vec![card(&[json!({"type": "HEADER", "format": "PRODUCT"})]); 2], format!("{at}[0].components"), "BUTTONS"),
        (
            vec![card(&[json!({"type": "HEADER", "format": "PRODUCT"}), text("x")]); 2],
            format!("{at}[0].components[1]"),
            "catalog",
        ),
        (
            vec![card(&[header("PRODUCT"), buttons(&json!([view()]))]); 2],
            format!("{at}[0].components[0].example"),
            "not allowed",
        ),
    ] {
        let message = refused(Category::Marketing, None, carousel(&cards), &param);
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn all_cards_have_the_same_components() {
    let with = |components: &[Value]| vec![plain(1).remove(0), plain(1).remove(0), card(components)];
    let both = json!([more(), shop()]);
    let at = "components[1].cards[2].components";
    for (components, param, says) in [
        (
            vec![header("VIDEO"), text("x"), buttons(&both)],
            format!("{at}[0].format"),
            "must be IMAGE, as in the first card",
        ),
        (vec![header("IMAGE"), buttons(&both)], at.to_owned(), "type BODY"),
        (vec![header("IMAGE"), text("x")], at.to_owned(), "type BUTTONS"),
        (vec![header("IMAGE"), text("x"), buttons(&json!([more()]))], format!("{at}[2].buttons"), "QUICK_REPLY, URL"),
        (
            vec![header("IMAGE"), text("x"), buttons(&json!([shop(), more()]))],
            format!("{at}[2].buttons[0].type"),
            "QUICK_REPLY, URL",
        ),
        (
            vec![header("IMAGE"), text("x"), buttons(&json!([more(), more()]))],
            format!("{at}[2].buttons[1].type"),
            "QUICK_REPLY, URL",
        ),
    ] {
        let message = refused(Category::Marketing, None, carousel(&with(&components)), &param);
        assert!(message.contains(says), "{message}");
    }
    let only_second = [card(&[header("IMAGE")]), card(&[header("IMAGE"), text("x")])];
    refused(Category::Marketing, None, carousel(&only_second), "components[1].cards[1].components[1]");
    let only_second = [card(&[header("IMAGE")]), card(&[header("IMAGE"), buttons(&both)])];
    refused(Category::Marketing, None, carousel(&only_second), "components[1].cards[1].components[1].buttons");
}

#[test]
fn a_carousel_has_a_body_beside_its_cards_and_is_for_marketing() {
    let cards = json!({"type": "CAROUSEL", "cards": plain(2)});
    let beside = |component: Value| json!([body(), cards, component]);
    for (components, param) in [
        (json!([cards]), "components"),
        (json!([body(), {"type": "CAROUSEL"}]), "components[1].cards"),
        (json!([body(), {"type": "CAROUSEL", "cards": plain(2), "text": "x"}]), "components[1].text"),
        (beside(cards.clone()), "components[2]"),
        (beside(json!({"type": "FOOTER", "text": "x"})), "components[2]"),
        (beside(header("IMAGE")), "components[2]"),
        (beside(buttons(&json!([more()]))), "components[2]"),
        (beside(json!({"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Now"}})), "components[2]"),
    ] {
        refused(Category::Marketing, None, components, param);
    }
    let message = refused(Category::Utility, None, carousel(&plain(2)), "components[1]");
    assert!(message.contains("category MARKETING"), "{message}");
    let codes = json!([{"type": "BODY"}, {"type": "CAROUSEL", "cards": plain(2)}]);
    refused(Category::Authentication, None, codes, "components[1]");
}
