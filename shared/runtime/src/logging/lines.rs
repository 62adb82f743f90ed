//! Writes one JSON line per log event, with its fields and those of its spans at the top level.

use std::fmt::Debug;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::is_workspace_crate;

pub(super) struct Lines<W>(Mutex<W>);

impl<W: Write> Lines<W> {
    pub(super) fn new(output: W) -> Self {
        Lines(Mutex::new(output))
    }

    /// Writes a line in one call, so that lines do not interleave. If stdout fails, there is nowhere to report it.
    fn write(&self, fields: Map<String, Value>) {
        let line = format!("{}\n", Value::Object(fields));
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Write + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut line = Fields::default();
        // Starts at the outermost span, because fields of inner spans take precedence.
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(Fields(known)) = span.extensions().get() {
                line.0.extend(known.clone());
            }
        }
        let metadata = event.metadata();
        if is_workspace_crate(metadata) {
            event.record(&mut line)
        } else {
            log_place(metadata, &mut line)
        }
        line.set("level", metadata.level().as_str());
        self.write(line.0);
    }
}

/// Logs only the location of a dependency's event; its message and fields may contain a body or a header.
fn log_place(metadata: &Metadata<'_>, line: &mut Fields) {
    line.set("message", "a dependency reports an error");
    line.set("place", format!("{}:{}", metadata.target(), metadata.line().unwrap_or_default()));
}

impl Fields {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field.name(), format!("{value:?}"));
    }
}
