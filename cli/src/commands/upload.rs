//! `upload`.

use std::fs::File;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::path::Path;

use messaging_client::Progress;
use messaging_client::types::CreateMediaUpload;

use crate::args::Upload;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

/// The accepted types by extension.
const TYPES: &[(&str, &str)] = &[
    ("3gp", "video/3gpp"),
    ("aac", "audio/aac"),
    ("amr", "audio/amr"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("m4a", "audio/mp4"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

pub(crate) async fn run(output: Output, session: &Session, upload: &Upload) -> Result<(), Failure> {
    let unreadable =
        |error: std::io::Error| Failure::Usage(format!("{} cannot be read: {error}.", upload.file.display()));
    let file = File::open(&upload.file).map_err(unreadable)?;
    let about = file.metadata().map_err(unreadable)?;
    if !about.is_file() {
        return Err(Failure::Usage(format!("{} is not a file.", upload.file.display())));
    }
    let own_name = upload.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let announced = CreateMediaUpload {
        file_name: upload.name.clone().or(own_name).unwrap_or_default(),
        file_size: i64::try_from(about.len()).unwrap_or(i64::MAX),
        mime_type: match &upload.r#type {
            Some(mime) => mime.clone(),
            None => guessed(&upload.file)?.to_owned(),
        }
        .into(),
    };
    let client = session.app()?;
    let media = client.upload(announced, file, progress(about.len())).await?;
    output.table(
        &media.raw,
        &["ID", "TYPE", "BYTES", "EXPIRES"],
        &[vec![media.id.clone(), media.mime_type.clone(), media.file_size.to_string(), media.expires_at.clone()]],
    )
}

fn guessed(path: &Path) -> Result<&'static str, Failure> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let known = TYPES.iter().find(|(name, _)| extension.as_deref() == Some(name));
    known.map(|(_, mime)| *mime).ok_or_else(|| {
        let names: Vec<_> = TYPES.iter().map(|(name, _)| *name).collect();
        Failure::Usage(format!(
            "{} has no extension of an accepted type ({}). Name its type with --type.",
            path.display(),
            names.join(", ")
        ))
    })
}

/// Draws a bar on a terminal.
fn progress(size: u64) -> Progress {
    if !stderr().is_terminal() {
        return Box::new(|_| ());
    }
    let mut shown = u64::MAX;
    Box::new(move |done| {
        let percent = done * 100 / size.max(1);
        if percent != shown {
            shown = percent;
            // A bar that cannot be drawn must not end the upload.
            let _ = write!(stderr(), "\r{}{}", bar(done, size), if done == size { "\n" } else { "" });
        }
    })
}

fn bar(done: u64, size: u64) -> String {
    let width = 30;
    let full = usize::try_from(done * width / size.max(1)).unwrap_or_default();
    let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
    let percent = done * 100 / size.max(1);
    format!("[{:<30}] {percent:3} %  {:.1} of {:.1} MiB", "#".repeat(full), mib(done), mib(size))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{bar, guessed};

    #[test]
    fn a_bar_grows() {
        assert_eq!(bar(0, 6 << 20), format!("[{}]   0 %  0.0 of 6.0 MiB", " ".repeat(30)));
        assert_eq!(bar(3 << 20, 6 << 20), format!("[{}{}]  50 %  3.0 of 6.0 MiB", "#".repeat(15), " ".repeat(15)));
        assert_eq!(bar(6 << 20, 6 << 20), format!("[{}] 100 %  6.0 of 6.0 MiB", "#".repeat(30)));
    }

    #[test]
    fn the_extension_tells_the_type() {
        assert_eq!(guessed(Path::new("a/b.PDF")).ok(), Some("application/pdf"));
        assert!(guessed(Path::new("b.exe")).is_err());
    }
}
