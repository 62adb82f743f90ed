//! JSON that can be mutated at any place.

use serde_json::Value;

/// JSON whose objects may name a field twice, and whose texts need not be Unicode.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Scalar(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub(super) fn of(json: &str) -> Tree {
        fn from(value: Value) -> Tree {
            match value {
                Value::Array(list) => Tree::List(list.into_iter().map(from).collect()),
                Value::Object(object) => {
                    Tree::Object(object.into_iter().map(|(name, value)| (name, from(value))).collect())
                }
                scalar => Tree::Scalar(scalar.to_string()),
            }
        }
        from(serde_json::from_str(json).unwrap())
    }

    pub(super) fn json(&self) -> String {
        match self {
            Tree::Scalar(json) => json.clone(),
            Tree::List(list) => format!("[{}]", list.iter().map(Tree::json).collect::<Vec<_>>().join(",")),
            Tree::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("\"{name}\":{}", value.json())).collect();
                format!("{{{}}}", fields.join(","))
            }
        }
    }

    fn count(&self) -> usize {
        1 + match self {
            Tree::Scalar(_) => 0,
            Tree::List(list) => list.iter().map(Tree::count).sum(),
            Tree::Object(fields) => fields.iter().map(|(_, value)| value.count()).sum(),
        }
    }

    /// Returns the node with this number, in the order in which they are written.
    fn node(&mut self, mut number: usize) -> &mut Tree {
        if number == 0 {
            return self;
        }
        number -= 1;
        let children: Vec<&mut Tree> = match self {
            Tree::Scalar(_) => Vec::new(),
            Tree::List(list) => list.iter_mut().collect(),
            Tree::Object(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
        };
        for child in children {
            let count = child.count();
            if number < count {
                return child.node(number);
            }
            number -= count;
        }
        unreachable!("the number is less than the count")
    }

    /// Changes one node.
    pub(super) fn mutate(&mut self, (at, kind, other): (usize, u8, usize)) {
        let count = self.count();
        let node = self.node(at % count);
        let old = node.clone();
        let scalar = |json: &str| Tree::Scalar(json.to_owned());
        *node = match kind % 19 {
            0 => scalar("null"),
            1 => scalar("true"),
            2 => scalar("0"),
            3 => scalar("-1.5e300"),
            4 => scalar("123456789012345678901234567890"),
            5 => scalar("\"\""),
            6 => scalar("\"odd\""),
            7 => scalar(r#""\ud800 x \udc00\u0000""#),
            8 => scalar("[]"),
            9 => scalar("{}"),
            10 => Tree::List(vec![old]),
            11 => Tree::List(vec![scalar("null"), old.clone(), old]),
            12 => Tree::Object(vec![("0".to_owned(), old)]),
            13 => scalar(&serde_json::to_string(&old.json()).unwrap()),
            14 => scalar(&format!("{}1{}", "[".repeat(200), "]".repeat(200))),
            15 => scalar(&format!("\"{}\"", "long".repeat(200_000))),
            // A field is missing, doubled, or doubled with something else.
            16..=18 => match old {
                Tree::Object(mut fields) if !fields.is_empty() => {
                    let at = other % fields.len();
                    match kind % 19 {
                        16 => drop(fields.remove(at)),
                        17 => fields.push(fields[at].clone()),
                        _ => fields.insert(other % (fields.len() + 1), (fields[at].0.clone(), scalar("[null, {}]"))),
                    }
                    Tree::Object(fields)
                }
                other => other,
            },
            _ => old,
        };
    }
}

/// Adds id and time to a message or status.
pub(super) fn frame(body: &Tree, id: &str) -> String {
    let json = body.json();
    let rest = json.strip_prefix('{').map_or_else(|| format!("\"odd\": {json}}}"), str::to_owned);
    let comma = if rest == "}" { "" } else { "," };
    // The id is last, so that no mutation replaces it.
    let rest = rest.strip_suffix('}').unwrap_or(&rest);
    format!(r#"{{"timestamp": "2000000000", {rest}{comma} "id": "{id}"}}"#)
}
