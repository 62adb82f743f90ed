use super::*;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("JSON")
}

/// Reads field `a` of an object, and returns the value, what is left, and what cannot be read.
fn field<T>(json: &str, take: impl Fn(&mut Object<'_>) -> T) -> (T, Option<String>, Vec<String>) {
    let object = raw(&format!(r#"{{"a":{json}}}"#));
    let reading = read(&object, |object| take(object)).expect("an object");
    (reading.value, reading.left.json().map(|json| json.to_string()), reading.unreadable)
}

#[test]
fn scalars_are_read_in_every_form() {
    for (json, wanted) in [
        (r#""x""#, Some("x")),
        ("25.50", Some("25.50")),
        ("true", Some("true")),
        ("null", None),
        (r#""""#, None),
        ("-122.1000000000000001", Some("-122.1000000000000001")),
    ] {
        let (value, left, unreadable) = field(json, |object| object.text("a"));
        assert_eq!((value.as_deref(), left, unreadable.len()), (wanted, None, 0), "{json}");
    }
    for (json, wanted) in [("true", Some(true)), (r#""False""#, Some(false)), ("1", Some(true)), ("null", None)] {
        assert_eq!(field(json, |object| object.flag("a")), (wanted, None, Vec::new()), "{json}");
    }
    for (json, wanted) in [("7", 7), (r#""7""#, 7), ("7.0", 7), ("9007199254740993", 9_007_199_254_740_993)] {
        assert_eq!(field(json, |object| object.number("a")).0, Some(wanted), "{json}");
    }
    for json in ["1739321024", r#""1739321024""#, "1739321024000", r#""1739321024000""#, r#""2025-02-12T00:43:44Z""#] {
        assert_eq!(field(json, |object| object.time("a")).0.map(Timestamp::seconds), Some(1_739_321_024), "{json}");
    }
}

#[test]
fn unreadable_fields_are_left_and_named() {
    let odd = |json: &str, take: &dyn Fn(&mut Object<'_>) -> bool| {
        let (is_taken, left, unreadable) = field(json, |object| take(object));
        assert_eq!((is_taken, left, unreadable), (false, Some(format!(r#"{{"a":{json}}}"#)), vec!["a".to_owned()]));
    };
    odd("[1]", &|object| object.text("a").is_some());
    odd(r#""maybe""#, &|object| object.flag("a").is_some());
    odd(r#""soon""#, &|object| object.time("a").is_some());
    odd("12345678901234567890123", &|object| object.number("a").is_some());
    odd("7", &|object| object.object("a", |_| ()).is_some());
    odd(r#""x""#, &|object| !object.list("a", |_| ()).is_empty());
    odd("true", &|object| !object.raw_list("a").is_empty());
}

#[test]
fn lists_and_objects_stand_for_each_other_and_keep_their_rest() {
    let id = |object: &mut Object<'_>| object.text("id");
    let read = |json: &str| field(json, |object| object.list("a", id));
    assert_eq!(read(r#"{"id": 1}"#), (vec![Some("1".to_owned())], None, Vec::new()));
    let (values, left, unreadable) = read(r#"[null, {"id": [], "ref": 12345678901234567890123}, "x"]"#);
    assert_eq!((values, unreadable), (vec![None], vec!["a[0].id".to_owned(), "a[1]".to_owned()]));
    assert_eq!(left.as_deref(), Some(r#"{"a":[{"id":[],"ref":12345678901234567890123},"x"]}"#));
    let (value, left, _) = field(r#"[{"id": "1", "b": 2}, {"id": "2"}]"#, |object| object.object("a", id));
    assert_eq!((value.flatten().as_deref(), left.as_deref()), (Some("1"), Some(r#"{"a":{"b":2}}"#)));
}

#[test]
fn the_last_readable_field_of_a_name_wins_and_lists_are_joined() {
    let object = raw(r#"{"a": "1", "a": null, "b": [{}], "b": {}, "a": "2", "a": []}"#);
    let reading = read(&object, |object| (object.text("a"), object.raw_list("b").len())).expect("an object");
    assert_eq!(reading.value, (Some("2".to_owned()), 2));
    assert!(reading.unreadable.is_empty());
}
