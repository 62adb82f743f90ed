//! The options for templates.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use messaging_client::types::NewChatTemplateCategory;

use super::values::one_of;

#[derive(Debug, Subcommand)]
pub(crate) enum Templates {
    /// Lists the templates of a business profile
    List {
        /// The business profile whose templates are listed: wabp_...
        #[arg(long, value_name = "PROFILE_ID")]
        account: String,
        /// Only templates of this name
        #[arg(long)]
        name: Option<String>,
        /// Only templates of this language, such as en_US
        #[arg(long)]
        language: Option<String>,
        /// Only templates of this category, such as MARKETING
        #[arg(long)]
        category: Option<String>,
        /// Only templates with this status, such as APPROVED
        #[arg(long)]
        status: Option<String>,
    },
    /// Creates a template, which WhatsApp reviews
    Create(CreateTemplate),
    /// Shows a template
    Show {
        /// The id of the template at WhatsApp
        #[arg(value_name = "TEMPLATE_ID")]
        id: String,
    },
    /// Edits a template, which WhatsApp reviews again
    Edit {
        /// The id of the template at WhatsApp
        #[arg(value_name = "TEMPLATE_ID")]
        id: String,
        /// Another category
        #[arg(long, value_parser = one_of(NewChatTemplateCategory::KNOWN), ignore_case = true)]
        category: Option<String>,
        /// A file with the list of all components, as JSON; - is standard input
        #[arg(long, value_name = "FILE")]
        components: Option<PathBuf>,
        /// How long WhatsApp tries to deliver a message
        #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
        ttl: Option<i64>,
    },
    /// Deletes a template
    Delete {
        /// The id of the template at WhatsApp
        #[arg(value_name = "TEMPLATE_ID")]
        id: String,
        /// Deletes all templates of its name
        #[arg(long)]
        all_languages: bool,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  echo '[{\"type\": \"BODY\", \"text\": \"Your order is on its way.\"}]' > components.json
  messaging templates create --account wabp_... --name order_shipped --category UTILITY --components components.json --dry-run")]
pub(crate) struct CreateTemplate {
    /// The WhatsApp account (business profile) in which the template is created
    #[arg(long, value_name = "PROFILE_ID")]
    pub(crate) account: String,
    /// Lower-case letters, digits and underscores
    #[arg(long)]
    pub(crate) name: String,
    /// The language
    #[arg(long, default_value = "en_US")]
    pub(crate) language: String,
    /// The category
    #[arg(long, value_parser = one_of(NewChatTemplateCategory::KNOWN), ignore_case = true)]
    pub(crate) category: String,
    /// A file with the list of components, as JSON; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) components: PathBuf,
    /// The variables have names, such as {{first_name}}
    #[arg(long)]
    pub(crate) named: bool,
    /// How long WhatsApp tries to deliver a message
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) ttl: Option<i64>,
    /// Validates the template without creating it
    #[arg(long)]
    pub(crate) dry_run: bool,
}
