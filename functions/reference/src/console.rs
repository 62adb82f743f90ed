//! The console's files. They lie beside the function's binary, compressed, because cargo builds the function without Node
//! (docs/adr/0066-console.md).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use bytes::Bytes;
use domain::text;
use http::HeaderValue;
use runtime::Environment;

use crate::encoded::Encoded;

const FOLDER: &str = "console";
const PAGE: &str = "index.html.gz";
/// The types of the files that the page loads. A page is not among them: it needs a policy.
const CONTENT_TYPES: [(&str, &str); 4] = [
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("woff2", "font/woff2"),
];

/// The console of an installation. Its files are read by the first request that needs them, and kept.
#[derive(Default)]
pub struct Console {
    folder: Option<PathBuf>,
    policy: Option<HeaderValue>,
    files: OnceLock<Option<Files>>,
}

/// All files of the console.
pub(crate) struct Files {
    pub(crate) page: Encoded,
    assets: BTreeMap<String, ConsoleFile>,
}

/// A file that the page loads, compressed with gzip.
pub(crate) struct ConsoleFile {
    pub(crate) content_type: &'static str,
    pub(crate) gzip: Bytes,
}

impl Console {
    /// Returns the console whose files are in this folder. `storage` is the origin of the media bucket.
    pub fn at(folder: PathBuf, storage: Option<&str>) -> Self {
        Console { folder: Some(folder), policy: HeaderValue::try_from(policy(storage)).ok(), files: OnceLock::new() }
    }

    /// Returns the console beside this program, unless the installation's setting is to have none.
    pub(crate) fn from_environment() -> Self {
        if Environment::optional("CONSOLE").as_deref() == Some("off") {
            return Console::default();
        }
        // The emulator's buckets have the address of all its services, as in presigned URLs.
        let storage = Environment::optional("AWS_ENDPOINT_URL").or_else(|| Environment::optional("STORAGE_ORIGIN"));
        let storage = storage.and_then(|url| text::absolute_url(&url)).map(|url| url.origin().ascii_serialization());
        beside_this_program().map_or_else(Console::default, |folder| Console::at(folder, storage.as_deref()))
    }

    /// Returns the files; `None` if this installation has no console.
    pub(crate) fn files(&self) -> Option<&Files> {
        self.files.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<Files> {
        let found = Files::read(self.folder.as_ref()?);
        if let Err(error) = &found
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::error!("the files of the console cannot be read: {error}");
        }
        found.ok()
    }

    /// Returns the content security policy of the page.
    pub(crate) fn policy(&self) -> Option<HeaderValue> {
        self.policy.clone()
    }
}

/// Allows the page nothing but its own files, this API, and the media of the bucket.
fn policy(storage: Option<&str>) -> String {
    let storage = storage.map(|origin| format!(" {origin}")).unwrap_or_default();
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'{storage}; media-src 'self'{storage}; \
         connect-src 'self'{storage}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
    )
}

fn beside_this_program() -> Option<PathBuf> {
    let root = Environment::optional("LAMBDA_TASK_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(std::env::current_exe().ok()?.parent()?.to_owned()));
    root.map(|root| root.join(FOLDER))
}

impl Files {
    /// Reads all files of the folder, so that no name in a request ever reaches the file system.
    fn read(folder: &Path) -> io::Result<Files> {
        let page = Encoded::of_gzip(fs::read(folder.join(PAGE))?)?;
        let mut assets = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix(".gz"));
            if let Some((name, content_type)) = name.and_then(|name| Some((name, content_type(name)?))) {
                assets.insert(name.to_owned(), ConsoleFile { content_type, gzip: fs::read(&path)?.into() });
            }
        }
        Ok(Files { page, assets })
    }

    pub(crate) fn asset(&self, name: &str) -> Option<&ConsoleFile> {
        self.assets.get(name)
    }
}

/// Returns the content type of a file that is served; `None` for any other file.
fn content_type(name: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if name.contains("..") || !name.bytes().all(is_plain) {
        return None;
    }
    let (_, extension) = name.rsplit_once('.')?;
    CONTENT_TYPES.into_iter().find(|(known, _)| *known == extension).map(|(_, content_type)| content_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/console");

    #[test]
    fn only_compressed_files_of_known_types_are_served() {
        let console = Console::at(FIXTURE.into(), None);
        let files = console.files().into_iter().flat_map(|files| &files.assets);
        let names: Vec<_> = files.map(|(name, file)| (name.as_str(), file.content_type)).collect();
        let expected = [
            ("icon-Gh7.svg", "image/svg+xml"),
            ("index-AbC123.js", "text/javascript; charset=utf-8"),
            ("index-dEf_4-5.css", "text/css; charset=utf-8"),
        ];
        // The folder also has the page, a text, a file that is not compressed, and one with two dots.
        assert_eq!(names, expected);
        assert_eq!(fs::read_dir(FIXTURE).map(Iterator::count).ok(), Some(expected.len() + 4));
    }

    #[test]
    fn names_cannot_lead_elsewhere() {
        for name in [
            "",
            ".",
            "..",
            "a..js",
            "../a.js",
            "a/b.js",
            "a%2fb.js",
            "a b.js",
            "é.js",
            "js",
            "index.html",
            "manifest.json",
        ] {
            assert_eq!(content_type(name), None, "{name}");
        }
        assert_eq!(content_type("letters-2.woff2"), Some("font/woff2"));
    }

    #[test]
    fn an_installation_without_the_folder_has_no_console() {
        assert!(Console::default().files().is_none());
        assert!(Console::at("/nowhere/console".into(), None).files().is_none());
    }

    #[test]
    fn the_policy_names_the_bucket_if_there_is_one() {
        assert!(policy(None).contains("img-src 'self'; media-src 'self'; connect-src 'self'; base-uri"));
        let with_bucket = policy(Some("https://bucket.s3.eu-central-1.amazonaws.com"));
        assert_eq!(with_bucket.matches("'self' https://bucket.s3.eu-central-1.amazonaws.com;").count(), 3);
    }
}
