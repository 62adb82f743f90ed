//! What messages cost: SMS by their receipts, chat messages by the rate card.

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{rows, send, status, usage};

const RATE_CARD: &str = "/v1/organization/rate-card";

fn price(country: &str, category: &str, amount: &str) -> Value {
    json!({"country": country, "category": category, "amount": amount})
}

/// Billable messages cost what the rate card says for their country and category, also if the card is set later.
#[tokio::test]
async fn the_rate_card_estimates_what_chat_messages_cost() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5241").await;
    let none = world.admin(Call::get(RATE_CARD)).await.expect(200);
    assert_eq!(none, json!({"currency": null, "prices": [], "updatedAt": null}));
    for (to, category, billable) in [
        ("+4915112345678", "marketing", true),
        ("+4915112345678", "marketing", true),
        ("+33612345678", "marketing", true),
        ("+33612345678", "service", false),
        ("+33612345678", "utility", true),
    ] {
        let sent = world.send(send(&line, to)).await.expect(201);
        let pricing = json!({"billable": billable, "pricing_model": "PMP", "category": category});
        let pricing = json!({"pricing": pricing, "recipient_id": to.trim_start_matches('+')});
        world.notify(&status(&line, &text(&sent, "providerMessageId"), "sent", &pricing)).await.expect(200);
    }
    world.count().await;
    let unpriced = usage(&world, "").await;
    let row = &rows(&unpriced)[0];
    assert_eq!((&row["billable"], &row["unpriced"], &row["price"]), (&json!(4), &json!(4), &Value::Null), "{row}");

    let prices = [price("DE", "marketing", "0.1131"), price("*", "marketing", "0.06")];
    let card = json!({"currency": "EUR", "prices": prices});
    let set = world.admin(Call::put(RATE_CARD).json(&card)).await.expect(200);
    assert_eq!((&set["currency"], &set["prices"]), (&card["currency"], &card["prices"]));
    let page = usage(&world, "").await;
    let row = &rows(&page)[0];
    // Twice 0.1131 and once 0.06.
    assert_eq!(row["price"], json!({"amount": "0.2862", "currency": "EUR", "estimated": true}), "{row}");
    assert_eq!(row["unpriced"], 1, "{row}");
    let by_category = usage(&world, "groupBy=category,country").await;
    let found: Vec<_> = rows(&by_category)
        .iter()
        .map(|row| (text(row, "category"), text(row, "country"), row["price"]["amount"].clone()))
        .collect();
    assert_eq!(
        found,
        [
            ("marketing".to_owned(), "DE".to_owned(), json!("0.2262")),
            ("marketing".to_owned(), "FR".to_owned(), json!("0.06")),
            ("service".to_owned(), "FR".to_owned(), Value::Null),
            ("utility".to_owned(), "FR".to_owned(), Value::Null),
        ]
    );
    let entries =
        world.admin(Call::get("/v1/organization/audit-log?action=organization.rateCard.update")).await.expect(200);
    assert_eq!(entries["data"][0]["changes"][0]["to"], "2 prices in EUR", "{entries}");
}

/// As the document says, which cannot tell a repeated price from another one.
#[tokio::test]
async fn a_repeated_price_counts_once() {
    let world = World::new().await;
    let prices = vec![price("DE", "utility", "1"); 2000];
    let set = world.admin(Call::put(RATE_CARD).json(&json!({"currency": "EUR", "prices": prices}))).await.expect(200);
    assert_eq!(set["prices"], json!([price("DE", "utility", "1")]));
}

#[tokio::test]
async fn a_wrong_rate_card_is_refused() {
    let world = World::new().await;
    let cases = [
        (json!({"currency": "euro", "prices": []}), "currency"),
        (json!({"currency": "EUR", "prices": [price("de", "marketing", "1")]}), "prices[0].country"),
        (json!({"currency": "EUR", "prices": [price("DE", "Marketing", "1")]}), "prices[0].category"),
        (json!({"currency": "EUR", "prices": [price("DE", "marketing", "-1")]}), "prices[0].amount"),
        (json!({"currency": "EUR", "prices": [price("DE", "marketing", "1e3")]}), "prices[0].amount"),
        (
            json!({"currency": "EUR", "prices": [price("DE", "utility", "1"), price("DE", "utility", "2")]}),
            "prices[1].amount",
        ),
        (json!({"currency": "EUR", "prices": vec![price("DE", "utility", "1"); 2001]}), "prices"),
    ];
    for (body, param) in cases {
        world.admin(Call::put(RATE_CARD).json(&body)).await.refused(400, Some(param), None);
    }
    world.admin(Call::put(RATE_CARD).json(&json!({"currency": "EUR"}))).await.refused(400, Some("prices"), None);
    let by_test_key = Call::put(RATE_CARD).key(&world.org.test_admin).json(&json!({"currency": "EUR", "prices": []}));
    world.send(by_test_key).await.refused(403, None, None);
}
