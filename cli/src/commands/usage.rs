//! `usage`: how many messages and deliveries there were, as a table with bars.

use messaging_client::Request;
use messaging_client::http::Method;
use serde_json::Value;

use super::messages::{entries, entries_of, note};
use crate::args::Usage;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

/// The longest bar, in characters.
const BAR: f64 = 24.0;
const DIMENSIONS: [&str; 9] =
    ["app", "number", "channel", "direction", "category", "country", "code", "webhook", "event"];

pub(crate) async fn run(output: Output, session: &Session, options: &Usage) -> Result<(), Failure> {
    let is_app = session.profile.app_key.is_some() && session.profile.organization_key.is_none();
    let client = if is_app { session.app()? } else { session.organization()? };
    let path = if is_app { "/v1/usage" } else { "/v1/organization/usage" };
    let period = options.period.to_lowercase();
    let kind = if options.deliveries { "deliveries" } else { "messages" };
    let mut request: Request<Value> = client.request(Method::GET, path).query("period", &period).query("kind", kind);
    let filters =
        [("groupBy", &options.group_by), ("since", &options.since), ("until", &options.until), ("mode", &options.mode)];
    for (name, value) in filters {
        if let Some(value) = value {
            request = request.query(name, value);
        }
    }
    let raw = all(request).await?;
    let rows: Vec<&Value> = entries(&raw).collect();
    output.table(&raw, &columns(options), &table(&rows, options))?;
    if !output.is_json && rows.iter().any(|row| row["unpriced"].is_number()) {
        note("Some billable messages have no price: PUT /v1/organization/rate-card sets prices.");
    }
    if !output.is_json && entries_of(&raw, "gaps").next().is_some() {
        note("The table was restored: changes of some times may not be counted. --json shows them as `gaps`.");
    }
    Ok(())
}

/// Reads all pages: the rows of all, and what the last one says of the counting.
async fn all(mut request: Request<Value>) -> Result<Value, Failure> {
    let mut rows = Vec::new();
    loop {
        let mut page = request.clone().await?.value;
        rows.extend(entries(&page).cloned());
        match page["nextCursor"].as_str() {
            Some(cursor) => request = request.query("cursor", cursor),
            None => {
                page["data"] = Value::Array(rows);
                return Ok(page);
            }
        }
    }
}

fn grouped(options: &Usage) -> impl Iterator<Item = &'static str> {
    let wanted = options.group_by.as_deref().unwrap_or_default();
    DIMENSIONS.into_iter().filter(move |name| wanted.split(',').any(|own| own.trim() == *name))
}

fn columns(options: &Usage) -> Vec<&'static str> {
    let numbers: &[&str] = if options.deliveries {
        &["DELIVERIES", "SUCCEEDED", "FAILED", "ATTEMPTS", ""]
    } else {
        &["MESSAGES", "DELIVERED", "READ", "FAILED", "PRICE", ""]
    };
    ["PERIOD"].into_iter().chain(grouped(options)).chain(numbers.iter().copied()).collect()
}

fn table(rows: &[&Value], options: &Usage) -> Vec<Vec<String>> {
    let all = if options.deliveries { "deliveries" } else { "messages" };
    let count = |row: &Value, name: &str| row[name].as_i64().unwrap_or_default();
    let most = rows.iter().map(|row| count(row, all)).max().unwrap_or_default();
    let is_hourly = options.period.eq_ignore_ascii_case("hour");
    let cells = |row: &&Value| {
        let start = row["period"].as_str().unwrap_or_default();
        let period: String = start.chars().take(if is_hourly { 16 } else { 10 }).collect();
        let groups = grouped(options).map(|name| row[name].as_str().unwrap_or("-").to_owned());
        let not_sent = if options.deliveries { 0 } else { count(row, "refused") + count(row, "expired") };
        let numbers = if options.deliveries {
            vec![count(row, all), count(row, "succeeded"), count(row, "failed"), count(row, "attempts")]
        } else {
            vec![count(row, all), count(row, "delivered"), count(row, "read"), count(row, "failed") + not_sent]
        };
        let numbers = numbers.into_iter().map(|number| number.to_string());
        let price = (!options.deliveries).then(|| price(&row["price"]));
        [period].into_iter().chain(groups).chain(numbers).chain(price).chain([bar(count(row, all), most)]).collect()
    };
    rows.iter().map(cells).collect()
}

fn price(price: &Value) -> String {
    let text = |name: &str| price[name].as_str().unwrap_or_default();
    let about = if price["estimated"] == true { "~" } else { "" };
    if price.is_null() { String::new() } else { format!("{about}{} {}", text("amount"), text("currency")) }
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a picture")]
fn bar(count: i64, most: i64) -> String {
    let length = if most > 0 { (count as f64 / most as f64 * BAR).ceil() as usize } else { 0 };
    "█".repeat(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_that_of_the_highest_number() {
        assert_eq!([bar(0, 10), bar(1, 1000), bar(5, 10), bar(10, 10)].map(|bar| bar.chars().count()), [0, 1, 12, 24]);
        assert_eq!(bar(0, 0), "");
    }
}
