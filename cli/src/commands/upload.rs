//! `upload`.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use messaging_client::{Progress, UploadSource};

use crate::args::Upload;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

pub(crate) async fn run(output: Output, session: &Session, upload: &Upload) -> Result<(), Failure> {
    let unreadable =
        |error: std::io::Error| Failure::Usage(format!("{} cannot be read: {error}.", upload.file.display()));
    let about = std::fs::metadata(&upload.file).map_err(unreadable)?;
    if !about.is_file() {
        return Err(Failure::Usage(format!("{} is not a file.", upload.file.display())));
    }
    let mut request = session.app()?.media().upload(UploadSource::path(&upload.file));
    if let Some(name) = &upload.name {
        request = request.file_name(name);
    }

    request = match &upload.r#type {
        Some(mime) => request.mime_type(mime),
        None => request.mime_type(guessed(&upload.file)?),
    };
    if stderr().is_terminal() {
        request = request.on_progress(draw());
    }
    let media = request.await?;

    output.table(
        &media.raw,
        &["ID", "TYPE", "BYTES", "EXPIRES"],
        &[vec![media.id.clone(), media.mime_type.clone(), media.file_size.to_string(), media.expires_at.clone()]],
    )
}

/// The name of the file says its type, even if it is uploaded under another name.
fn guessed(path: &Path) -> Result<&'static str, Failure> {
    UploadSource::type_of(path).ok_or_else(|| {
        Failure::Usage(format!(
            "{} has no extension of an accepted type ({}). Name its type with --type.",
            path.display(),
            UploadSource::EXTENSIONS.join(", ")
        ))
    })
}

/// Draws a bar on a terminal.
fn draw() -> impl Fn(Progress) + Send + Sync {
    let shown = AtomicU64::new(u64::MAX);
    move |Progress { loaded, total }| {
        let percent = loaded * 100 / total.max(1);
        if shown.swap(percent, Ordering::Relaxed) != percent {
            // A bar that cannot be drawn must not end the upload.
            let _ = write!(stderr(), "\r{}{}", bar(loaded, total), if loaded == total { "\n" } else { "" });
        }
    }
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
