//! The error classes.

use std::fmt::Write as _;

use super::HEADER;
use super::text::comment;
use crate::error_classes::{BASE, CLASSES, Class};

/// Returns the source text.
pub(super) fn module() -> String {
    let mut text = format!("{HEADER}import {{ {BASE} }} from \"../errors.ts\";\n\n");
    for Class(name, base, statuses, meaning) in &CLASSES {
        let statuses: Vec<String> = statuses.iter().map(ToString::to_string).collect();
        let head = if statuses.is_empty() { String::new() } else { format!("{}: ", statuses.join(" and ")) };
        let _ = writeln!(text, "{}export class {name} extends {base} {{}}", comment(0, &format!("{head}{meaning}")));
    }

    text.push_str("\n/** The classes of statuses that have one. */\nexport const BY_STATUS: Record<number, typeof MessagingError> = {\n");
    for Class(name, _, statuses, _) in &CLASSES {
        let entries: Vec<String> = statuses.iter().map(|status| format!("{status}: {name}")).collect();
        if !entries.is_empty() {
            let _ = writeln!(text, "  {},", entries.join(", "));
        }
    }
    text + "};\n"
}
