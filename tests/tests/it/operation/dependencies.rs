//! Crates that functions must not link (docs/adr/0003-start-up.md), and the length of their main functions.

use std::process::Command;

fn tree(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none", "--edges", "normal"])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn no_function_links_a_legacy_or_second_tls_stack() {
    let tree = tree(&["--workspace", "--exclude", "tests"]);
    assert!(tree.contains("rustls v0.23") && tree.contains("aws-sdk-dynamodb v1"));
    for banned in [
        "rustls v0.21",
        "hyper v0.14",
        "aws-lc-sys ",
        "aws-lc-rs ",
        "aws-config ",
        "native-tls ",
        "openssl-sys ",
        "rustls-native-certs v0.6",
    ] {
        assert!(!tree.contains(banned), "{banned}");
    }
}

#[test]
fn a_function_links_only_the_sdk_crates_it_uses() {
    let events: &[&str] = &["dynamodb", "sqs"];
    let platform: &[&str] = &["dynamodb", "secretsmanager", "sqs"];
    let carrier: &[&str] = &["dynamodb", "pinpointsmsvoicev2", "secretsmanager", "sqs"];
    let all: &[&str] = &["dynamodb", "pinpointsmsvoicev2", "s3", "secretsmanager", "sqs"];
    for (function, expected) in [
        ("organization", &["dynamodb"] as &[&str]),
        ("people", &["dynamodb", "secretsmanager"]),
        ("apps", events),
        // The playground's simulated users write in the platform's format. It calls nothing else of that crate.
        ("playground", platform),
        ("operator", &["dynamodb", "pinpointsmsvoicev2", "s3", "secretsmanager"]),
        ("reference", &["dynamodb"]),
        ("media", &["dynamodb", "s3"]),
        ("notifications", platform),
        ("chat", platform),
        ("sending", carrier),
        ("worker", all),
        // The sweep ends messages that wait, with code that also sends them. What it does not call is not in its binary.
        ("delivery", all),
    ] {
        let tree = tree(&["--package", function]);
        let linked: Vec<&str> =
            all.iter().copied().filter(|service| tree.contains(&format!("aws-sdk-{service} "))).collect();
        assert_eq!(linked, expected, "{function}");
    }
}

#[test]
fn functions_behind_the_gateway_link_lambda_http_and_no_other() {
    for (function, expected) in [("organization", true), ("reference", true), ("worker", false), ("operator", false)] {
        assert_eq!(tree(&["--package", function]).contains("lambda_http "), expected, "{function}");
    }
}

#[test]
fn the_crates_that_apply_updates_do_not_depend_on_http() {
    let tree = tree(&["--package", "inbound"]);
    for banned in ["axum ", "lambda_http ", "api v"] {
        assert!(!tree.lines().any(|line| line.starts_with(banned)), "{banned}");
    }
}

#[test]
fn a_main_function_wires_and_nothing_else() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../functions")).unwrap() {
        let source = entry.unwrap().path().join("src");
        let mains: Vec<_> = match std::fs::read_dir(source.join("bin")) {
            Ok(programs) => programs.map(|program| program.unwrap().path()).collect(),
            Err(_) => vec![source.join("main.rs")],
        };
        for main in mains {
            let lines = std::fs::read_to_string(&main).unwrap().lines().count();
            assert!(lines <= 22, "{} has {lines} lines", main.display());
        }
    }
}
