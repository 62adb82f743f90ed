//! What can be uploaded, and how its bytes are sent.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::{Error, mime};

const CHUNK: usize = 64 * 1024;

/// How much of a file was read and handed to the connection. A retry begins anew.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Progress {
    /// In bytes.
    pub loaded: u64,
    /// The size of the file in bytes.
    pub total: u64,
}

pub(crate) type Report = Option<Arc<dyn Fn(Progress) + Send + Sync>>;

/// A file: its bytes, its path, or whatever can be read.
#[derive(Debug)]
pub struct UploadSource(Origin);

enum Origin {
    Bytes(Bytes),
    Path(PathBuf),
    Reader(Box<dyn Read + Send>, u64),
}

impl UploadSource {
    /// The file's bytes.
    pub fn bytes(bytes: impl Into<Bytes>) -> UploadSource {
        UploadSource(Origin::Bytes(bytes.into()))
    }

    /// The file at a path.
    pub fn path(path: impl Into<PathBuf>) -> UploadSource {
        UploadSource(Origin::Path(path.into()))
    }

    /// A stream with exactly so many bytes. One of more than 4 MiB is read once, so that its transfer is not repeated.
    pub fn reader(reader: impl Read + Send + 'static, size: u64) -> UploadSource {
        UploadSource(Origin::Reader(Box::new(reader), size))
    }

    /// The endings of names whose type is known.
    pub const EXTENSIONS: &[&str] = mime::EXTENSIONS;

    /// Returns the type that the ending of a name says, if it is an accepted one.
    pub fn type_of(name: impl AsRef<Path>) -> Option<&'static str> {
        mime::of(name.as_ref())
    }

    /// Returns the content. A stream of up to `small` bytes is read, so that it can be sent again.
    pub(crate) async fn open(self, small: u64) -> Result<Content, Error> {
        match self.0 {
            Origin::Bytes(bytes) => {
                Ok(Content { size: bytes.len() as u64, name: None, origin: Repeatable::Bytes(bytes) })
            }
            Origin::Path(path) => blocking(move || of_path(path)).await,
            Origin::Reader(reader, size) if size <= small => blocking(move || read_whole(reader, size)).await,
            Origin::Reader(reader, size) => {
                Ok(Content { size, name: None, origin: Repeatable::Once(Mutex::new(Some(reader))) })
            }
        }
    }
}

async fn blocking(read: impl FnOnce() -> Result<Content, Error> + Send + 'static) -> Result<Content, Error> {
    let read = tokio::task::spawn_blocking(read).await;
    read.unwrap_or_else(|error| Err(Error::usage(format!("The file cannot be read: {error}."))))
}

fn of_path(path: PathBuf) -> Result<Content, Error> {
    let about = std::fs::metadata(&path);
    let about = about.map_err(|error| Error::usage(format!("{} cannot be read: {error}.", path.display())))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Content { size: about.len(), name, origin: Repeatable::Path(path) })
}

fn read_whole(mut reader: Box<dyn Read + Send>, size: u64) -> Result<Content, Error> {
    let mut bytes = Vec::new();
    let read = reader.by_ref().take(size + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::usage(format!("The content cannot be read: {error}.")))?;
    if bytes.len() as u64 != size {
        return Err(Error::usage(wrong_size(bytes.len() as u64 > size, size)));
    }
    Ok(Content { size, name: None, origin: Repeatable::Bytes(bytes.into()) })
}

/// The content of a file.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) size: u64,
    pub(crate) name: Option<String>,
    origin: Repeatable,
}

enum Repeatable {
    Bytes(Bytes),
    Path(PathBuf),
    Once(Mutex<Option<Box<dyn Read + Send>>>),
}

impl Content {
    /// Whether it can be read again.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self.origin, Repeatable::Once(_))
    }

    fn reader(&self) -> std::io::Result<Box<dyn Read + Send>> {
        match &self.origin {
            Repeatable::Bytes(bytes) => Ok(Box::new(std::io::Cursor::new(bytes.clone()))),
            Repeatable::Path(path) => Ok(Box::new(File::open(path)?)),
            Repeatable::Once(reader) => {
                let reader = reader.lock().ok().and_then(|mut reader| reader.take());
                reader.ok_or_else(|| std::io::Error::other("the stream was read before"))
            }
        }
    }

    /// Returns the content as a body, between what stands around it in a form.
    pub(crate) fn stream(&self, head: Bytes, tail: Bytes, report: Report) -> Stream {
        let (sender, chunks) = channel(2);
        let left = head.len() as u64 + self.size + tail.len() as u64;
        let (reader, size) = (self.reader(), self.size);
        // On a thread of its own, at most two chunks ahead of the connection.
        tokio::task::spawn_blocking(move || {
            let pump = Pump { sender, size, report };
            let pumped = reader.and_then(|reader| pump.run(reader, head, tail));
            if let Err(error) = pumped {
                let _ = pump.sender.blocking_send(Err(error));
            }
        });
        Stream { chunks, left }
    }
}

/// Moves the bytes of a file to the connection.
struct Pump {
    sender: Sender<std::io::Result<Bytes>>,
    size: u64,
    report: Report,
}

impl Pump {
    fn run(&self, mut reader: Box<dyn Read + Send>, head: Bytes, tail: Bytes) -> std::io::Result<()> {
        self.send(head)?;
        let mut loaded = 0;
        loop {
            let mut chunk = vec![0; CHUNK];
            let length = reader.read(&mut chunk)?;
            if length == 0 {
                break;
            }
            loaded += length as u64;
            if loaded > self.size {
                break;
            }
            chunk.truncate(length);
            self.send(chunk.into())?;
            if let Some(report) = &self.report {
                report(Progress { loaded, total: self.size });
            }
        }

        if loaded != self.size {
            return Err(std::io::Error::other(WrongContent(wrong_size(loaded > self.size, self.size))));
        }
        self.send(tail)
    }

    fn send(&self, bytes: Bytes) -> std::io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.sender.blocking_send(Ok(bytes)).map_err(|_| std::io::ErrorKind::BrokenPipe.into())
    }
}

/// A body that another thread reads.
#[derive(Debug)]
pub(crate) struct Stream {
    chunks: Receiver<std::io::Result<Bytes>>,
    pub(crate) left: u64,
}

impl Stream {
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<std::io::Result<Bytes>>> {
        let chunk = std::task::ready!(self.chunks.poll_recv(context));
        if let Some(Ok(chunk)) = &chunk {
            self.left = self.left.saturating_sub(chunk.len() as u64);
        }
        Poll::Ready(chunk)
    }
}

/// The content of a file is not what its size says.
#[derive(Debug)]
pub(crate) struct WrongContent(pub(crate) String);

impl std::error::Error for WrongContent {}

impl fmt::Display for WrongContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn wrong_size(is_more: bool, size: u64) -> String {
    let relation = if is_more { "more" } else { "less" };
    format!("The content has {relation} than {size} bytes. Set the exact size.")
}

/// Without the bytes.
impl fmt::Debug for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Origin::Path(path) => path.fmt(formatter),
            Origin::Reader(_, size) => write!(formatter, "a stream of {size} bytes"),
        }
    }
}

/// Without the bytes.
impl fmt::Debug for Repeatable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repeatable::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Repeatable::Path(path) => path.fmt(formatter),
            Repeatable::Once(_) => formatter.write_str("a stream"),
        }
    }
}
