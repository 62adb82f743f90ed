//! The templates with rules of their own: carousels, limited-time offers, and those that show products of a catalog. Their
//! components decide which of them a template is.

use serde_json::Value;

use super::fields::Fields;
use super::{Category, ParameterFormat};
use crate::Failure;

pub const BODY_LENGTH: usize = 1024;
/// The longest body of a template with an offer.
pub const OFFER_BODY_LENGTH: usize = 600;
/// The longest body of a template that shows one product, which is laid out as a card.
pub const PRODUCT_BODY_LENGTH: usize = 160;

const FORMATS: &[&str] = &["TEXT", "LOCATION", "IMAGE", "VIDEO", "GIF", "DOCUMENT", "PRODUCT"];

/// What a template is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    Carousel,
    Offer,
    Catalog,
    /// Several products of a catalog, in sections.
    Products,
    /// One product of a catalog.
    Product,
}

/// What the rules for a component depend on, apart from the component itself.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) category: Category,
    pub(super) format: ParameterFormat,
    pub(super) shape: Shape,
    /// Whether the template is in English: only then are the platform's own texts of buttons documented.
    pub(super) is_english: bool,
}

impl Rules {
    /// Fails unless the category is `MARKETING`. `what` is what stands in `param`, such as "a CAROUSEL".
    pub(super) fn expect_marketing(self, param: &str, what: &str) -> Result<(), Failure> {
        if self.category == Category::Marketing {
            return Ok(());
        }
        let message = format!(
            "{param} is not allowed: {what} is for templates of category MARKETING. This one's category is {}.",
            self.category.as_str()
        );
        Err(Failure::invalid(param, message))
    }
}

impl Shape {
    /// Returns what the components make of a template. They need not be valid.
    pub(super) fn of(components: &[Value]) -> Self {
        let has = |kind: &str| components.iter().any(|component| is(&component["type"], kind));
        let has_button = |kind: &str| {
            let mut buttons = components.iter().filter_map(|component| component["buttons"].as_array()).flatten();
            buttons.any(|button| is(&button["type"], kind))
        };
        let has_product =
            components.iter().any(|component| is(&component["type"], "HEADER") && is(&component["format"], "PRODUCT"));

        if has("CAROUSEL") {
            Shape::Carousel
        } else if has("LIMITED_TIME_OFFER") {
            Shape::Offer
        } else if has_product || has_button("SPM") {
            Shape::Product
        } else if has_button("CATALOG") {
            Shape::Catalog
        } else if has_button("MPM") {
            Shape::Products
        } else {
            Shape::Plain
        }
    }

    fn name(self) -> &'static str {
        match self {
            Shape::Plain => "a template",
            Shape::Carousel => "a carousel template",
            Shape::Offer => "a limited-time offer template",
            Shape::Catalog => "a catalog template",
            Shape::Products => "a multi-product template",
            Shape::Product => "a single-product template",
        }
    }

    fn allowed(self) -> &'static [&'static str] {
        match self {
            Shape::Plain | Shape::Products | Shape::Product => &["HEADER", "BODY", "FOOTER", "BUTTONS"],
            Shape::Carousel => &["BODY", "CAROUSEL"],
            Shape::Offer => &["HEADER", "LIMITED_TIME_OFFER", "BODY", "BUTTONS"],
            Shape::Catalog => &["BODY", "FOOTER", "BUTTONS"],
        }
    }

    /// Returns the types of components that the template must have.
    pub(super) fn required(self) -> &'static [&'static str] {
        match self {
            Shape::Plain => &["BODY"],
            Shape::Carousel => &["BODY", "CAROUSEL"],
            Shape::Offer => &["LIMITED_TIME_OFFER", "BODY", "BUTTONS"],
            Shape::Catalog => &["BODY", "BUTTONS"],
            Shape::Products | Shape::Product => &["HEADER", "BODY", "BUTTONS"],
        }
    }

    /// Fails if the template cannot have a component of this type.
    pub(super) fn expect_allows(self, component: &Fields<'_>, kind: &str) -> Result<(), Failure> {
        if self.allowed().contains(&kind) {
            return Ok(());
        }
        let (at, name, allowed) = (component.at(), self.name(), self.allowed().join(", "));
        let message = format!("{at} is not allowed: {name} has components of these types only: {allowed}. Remove it.");
        Err(Failure::invalid(at, message))
    }

    /// Returns the formats that the header can have.
    pub(super) fn header_formats(self) -> &'static [&'static str] {
        match self {
            Shape::Offer => &["IMAGE", "VIDEO"],
            Shape::Products => &["TEXT"],
            Shape::Product => &["PRODUCT"],
            Shape::Plain | Shape::Carousel | Shape::Catalog => FORMATS,
        }
    }

    /// Returns the length limit of the body, in characters.
    pub(super) fn body_length(self) -> usize {
        match self {
            Shape::Offer => OFFER_BODY_LENGTH,
            Shape::Product => PRODUCT_BODY_LENGTH,
            Shape::Plain | Shape::Carousel | Shape::Catalog | Shape::Products => BODY_LENGTH,
        }
    }

    /// Fails if the template must have other buttons than these in `param`.
    pub(super) fn expect_buttons(self, kinds: &[&'static str], param: &str) -> Result<(), Failure> {
        let allowed: &[&[&str]] = match self {
            Shape::Offer => &[&["COPY_CODE", "URL"], &["URL"]],
            Shape::Catalog => &[&["CATALOG"]],
            Shape::Products => &[&["MPM"]],
            Shape::Product => &[&["SPM"]],
            Shape::Plain | Shape::Carousel => return Ok(()),
        };
        if allowed.contains(&kinds) {
            return Ok(());
        }
        let shown: Vec<String> = allowed.iter().map(|kinds| kinds.join(" and ")).collect();
        let message = format!(
            "{param} of {} must have these types, in this order: {}. These are: {}.",
            self.name(),
            shown.join(", or only "),
            kinds.join(", ")
        );
        Err(Failure::invalid(param, message))
    }
}

fn is(value: &Value, name: &str) -> bool {
    value.as_str().is_some_and(|sent| sent.eq_ignore_ascii_case(name))
}
