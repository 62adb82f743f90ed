//! The limits of cards, offers and products of templates, tested like those in [`limits`](crate::limits).

use domain::ErrorKind;
use serde_json::{Value, json};

use crate::kit::{medium, read};
use crate::limits::{Limit, button, expect_limits, limit, template, text, token};

/// The parameters of a card, with a header.
fn card(more: &Value) -> Value {
    let mut card = json!({"header": {"mediaId": medium("image")}});
    card.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    card
}

/// A carousel with this first card.
fn first_card(more: &Value) -> Value {
    template(&json!({"cards": [card(more), card(&json!({}))]}))
}

/// A button with several products.
fn products(more: &Value) -> Value {
    let mut products =
        json!({"thumbnailProductRetailerId": "a", "sections": [{"title": "t", "productRetailerIds": ["a"]}]});
    products.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    template(&json!({"buttons": [{"index": 0, "products": products}]}))
}

fn largest() -> Vec<Limit> {
    vec![
        limit("template.header.product.catalogId", 100, |n| {
            template(&json!({"header": {"product": {"catalogId": token(n), "productRetailerId": "a"}}}))
        }),
        limit("template.header.product.productRetailerId", 100, |n| {
            template(&json!({"header": {"product": {"catalogId": "1", "productRetailerId": token(n)}}}))
        }),
        limit("template.cards", 10, |n| template(&json!({"cards": vec![card(&json!({})); n]}))),
        limit("template.cards[0].body.1", 160, |n| first_card(&json!({"body": {"1": text(n)}}))),
        limit("template.cards[0].buttons", 2, |n| {
            let buttons: Vec<Value> = (0..n).map(|index| json!({"index": index, "payload": "p"})).collect();
            first_card(&json!({"buttons": buttons}))
        }),
        limit("template.cards[0].buttons[0].index", 1, |n| {
            first_card(&json!({"buttons": [{"index": n, "payload": "p"}]}))
        }),
        limit("template.cards[0].buttons[0].urlSuffix", 2000, |n| {
            first_card(&json!({"buttons": [{"index": 0, "urlSuffix": token(n)}]}))
        }),
        limit("template.buttons[0].thumbnailProductRetailerId", 100, |n| {
            button("thumbnailProductRetailerId", &token(n))
        }),
        limit("template.buttons[0].products.thumbnailProductRetailerId", 100, |n| {
            products(&json!({"thumbnailProductRetailerId": token(n)}))
        }),
        limit("template.buttons[0].products.sections", 10, |n| {
            products(&json!({"sections": vec![json!({"title": "t", "productRetailerIds": ["a"]}); n]}))
        }),
        limit("template.buttons[0].products.sections[0].title", 24, |n| {
            products(&json!({"sections": [{"title": text(n), "productRetailerIds": ["a"]}]}))
        }),
        limit("template.buttons[0].products.sections[0].productRetailerIds", 30, |n| {
            products(&json!({"sections": [{"title": "t", "productRetailerIds": vec!["a"; n]}]}))
        }),
        limit("template.buttons[0].products.sections", 20, |n| {
            let section = |count: usize| json!({"title": "t", "productRetailerIds": vec!["a"; count]});
            products(&json!({"sections": [section(10), section(n)]}))
        }),
        limit("template.buttons[0].products.sections[0].productRetailerIds[0]", 100, |n| {
            products(&json!({"sections": [{"title": "t", "productRetailerIds": [token(n)]}]}))
        }),
    ]
}

#[test]
fn cards_and_products_have_the_documented_limits() {
    expect_limits(largest());
}

#[test]
fn fewer_cards_and_products_are_rejected() {
    for (param, request) in [
        ("template.cards", template(&json!({"cards": []}))),
        ("template.cards", template(&json!({"cards": [card(&json!({}))]}))),
        ("template.cards[0].body", first_card(&json!({"body": {}}))),
        ("template.cards[0].body.1", first_card(&json!({"body": {"1": ""}}))),
        ("template.cards[0].buttons", first_card(&json!({"buttons": []}))),
        ("template.cards[0].buttons[0].index", first_card(&json!({"buttons": [{"index": -1, "payload": "p"}]}))),
        ("template.buttons[0].products.sections", products(&json!({"sections": []}))),
        (
            "template.buttons[0].products.sections[0].productRetailerIds",
            products(&json!({"sections": [{"title": "t", "productRetailerIds": []}]})),
        ),
    ] {
        let failure = read(&request).expect_err(param);
        assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some(param)), "{request}");
    }
}
