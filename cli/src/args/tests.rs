use clap::CommandFactory as _;

use super::*;

/// Visits a command and all commands below it, with their full names.
fn visit(command: &clap::Command, parent: &str, look: &mut impl FnMut(&str, &clap::Command)) {
    let name = format!("{parent} {}", command.get_name()).trim().to_owned();
    look(&name, command);
    command.get_subcommands().for_each(|inner| visit(inner, &name, look));
}

#[test]
fn every_command_option_and_argument_has_help() {
    let mut program = Arguments::command();
    program.build();
    let (mut missing, mut seen) = (Vec::new(), 0);
    visit(&program, "", &mut |name, command| {
        if command.get_about().is_none() {
            missing.push(name.to_owned());
        }
        for argument in command.get_arguments() {
            seen += 1;
            if argument.get_help().is_none_or(|help| help.to_string().trim().is_empty()) {
                missing.push(format!("{name}: {}", argument.get_id()));
            }
        }
    });
    assert_eq!(missing, Vec::<String>::new());
    assert!(seen > 300, "{seen}");
}

#[test]
fn closed_sets_are_completed_with_the_values_of_the_api() {
    let values = |path: &[&str], option: &str| {
        let mut program = Arguments::command();
        program.build();
        let command = path.iter().fold(&program, |command, name| command.find_subcommand(name).expect(name));
        let argument = command.get_arguments().find(|argument| argument.get_long() == Some(option)).expect(option);
        let values = argument.get_possible_values();
        values.iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(" ")
    };
    for (path, option, expected) in [
        (&["messages", "list"][..], "outcome", "PENDING ACCEPTED UNKNOWN REFUSED EXPIRED"),
        (&["messages", "list"], "direction", "INBOUND OUTBOUND"),
        (&["messages", "tail"], "direction", "INBOUND OUTBOUND"),
        (&["deliveries", "list"], "status", "PENDING DELIVERED FAILED SKIPPED"),
        (&["webhooks", "recover"], "status", "FAILED SKIPPED DELIVERED"),
        (&["templates", "create"], "category", "AUTHENTICATION MARKETING UTILITY"),
        (&["templates", "edit"], "category", "AUTHENTICATION MARKETING UTILITY"),
    ] {
        let (mut found, mut expected): (Vec<_>, Vec<_>) = (Vec::new(), expected.split(' ').collect());
        let known = values(path, option);
        found.extend(known.split(' '));
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path:?} --{option}");
    }
}

#[test]
fn values_may_be_written_in_any_letter_case() {
    let parsed = Arguments::try_parse_from(["messaging", "messages", "list", "--outcome", "refused"]).expect("a value");
    let Command::Messages(Messages::List(list)) = parsed.command else { panic!("another command") };
    assert_eq!(list.outcome.as_deref(), Some("REFUSED"));
    let error =
        Arguments::try_parse_from(["messaging", "messages", "list", "--outcome", "FAILED"]).expect_err("no outcome");
    assert!(error.to_string().contains("EXPIRED"), "{error}");
}
