use serde_json::{Value, json};

use super::*;

fn item(value: Value) -> Item {
    let Value::Object(item) = value else { panic!("not an object") };
    item
}

#[test]
fn conditions_hold_as_dynamodb_says() {
    let call = json!({
        "ExpressionAttributeNames": {"#n": "n", "#set": "set", "#gone": "gone"},
        "ExpressionAttributeValues": {":n": {"N": "3"}, ":m": {"S": "b"}},
    });
    let standing = item(json!({"PK": {"S": "x"}, "n": {"N": "2"}, "set": {"SS": ["a", "b"]}}));
    let placeholders = Placeholders::of(&call);

    for (text, of_standing, of_nothing) in [
        ("(attribute_exists(PK))", true, false),
        ("attribute_not_exists(PK) OR #n <= :n", true, true),
        ("(#n = :n) AND (attribute_not_exists(#gone))", false, false),
        ("(#n < :n) AND (attribute_not_exists(#gone) OR #gone = :m)", true, false),
        ("size(#set) < :n AND contains(#set, :m)", true, false),
        ("#n <> :n", true, false),
        ("NOT contains(#set, :m) OR #n = :n", false, true),
        ("#n < :n AND NOT contains(#gone, :m) AND (attribute_not_exists(#gone) OR #n = :n)", true, false),
        ("NOT #n = :n AND NOT (#n < :n)", false, true),
    ] {
        assert_eq!(holds(text, &placeholders, Some(&standing)), of_standing, "{text}");
        assert_eq!(holds(text, &placeholders, None), of_nothing, "{text}");
    }
}

#[test]
fn updates_change_what_they_name() {
    let call = json!({
        "ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "n", "#set": "set", "#old": "old", "#gone": "gone"},
        "ExpressionAttributeValues": {
            ":a": {"S": "new"}, ":b": {"S": "first"}, ":n": {"N": "-1"}, ":more": {"SS": ["c"]}, ":less": {"SS": ["x"]},
        },
    });
    let mut standing = item(json!({
        "a": {"S": "old"}, "n": {"N": "2"}, "set": {"SS": ["a"]}, "old": {"SS": ["x"]}, "gone": {"S": "x"}, "kept": {"S": "k"},
    }));

    let text = "SET #a = :a, #b = if_not_exists(#b, :b) REMOVE #gone ADD #n :n, #set :more DELETE #old :less";
    apply(text, &Placeholders::of(&call), &mut standing);
    let expected = json!({
        "a": {"S": "new"}, "b": {"S": "first"}, "n": {"N": "1"}, "set": {"SS": ["a", "c"]}, "kept": {"S": "k"},
    });
    assert_eq!(Value::Object(standing), expected);
}
