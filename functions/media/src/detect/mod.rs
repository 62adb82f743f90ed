//! Detects the media type of a file from its content. A declared type is accepted only if the content allows it.

#[cfg(test)]
mod tests;

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use domain::Failure;
use domain::media::MediaType;

const HEAD: usize = 64;
const CFB: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
const ZIP: &[u8] = b"PK\x03\x04";
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const EXCEL: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const POWERPOINT: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

/// Returns the type of the file, or the reason for its rejection. `declared` is the type that the caller declared, if
/// any: the `Content-Type` of the part, or the announced type of a direct upload.
pub(crate) fn media_type<R: Read + Seek>(mut file: R, declared: Option<&str>) -> Result<MediaType, Failure> {
    let declared = declared.map(str::trim).filter(|mime| !mime.is_empty() && !is_unspecific(mime));
    let declared = match declared {
        None => None,
        Some(mime) => {
            let known = MediaType::parse(mime);
            Some(
                known
                    .ok_or_else(|| MediaType::unsupported("The declared type of the file is not an accepted type."))?,
            )
        }
    };
    let possible = possible_types(&mut file).map_err(Failure::internal)?;
    let found = match declared {
        Some(declared) if possible.contains(&declared.mime) => Some(declared),
        Some(_) if !possible.is_empty() => {
            return Err(MediaType::unsupported(
                "The content of the file does not match its declared type. Send the file with its actual type.",
            ));
        }
        _ => possible.first().and_then(|mime| MediaType::parse(mime)),
    };
    found.ok_or_else(|| MediaType::unsupported("The content of the file is not of an accepted type."))
}

/// Whether the type is the default of clients that do not know the actual one.
fn is_unspecific(mime: &str) -> bool {
    mime.eq_ignore_ascii_case("application/octet-stream")
}

/// Returns the accepted types that the content may have, most likely first.
fn possible_types<R: Read + Seek>(file: &mut R) -> std::io::Result<&'static [&'static str]> {
    let head = head(file)?;
    if let Some(types) = by_signature(&head) {
        return Ok(types);
    }
    file.seek(SeekFrom::Start(0))?;
    let metered = Metered { inner: &mut *file, left: MOST_DIRECTORY_BYTES };
    if head.starts_with(CFB) {
        return Ok(compound_file(metered));
    }
    if head.starts_with(ZIP) {
        return Ok(office_package(BufReader::new(metered)));
    }
    Ok(if is_plain_text(file)? { &["text/plain"] } else { &[] })
}

fn head<R: Read>(file: &mut R) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn by_signature(head: &[u8]) -> Option<&'static [&'static str]> {
    let found: &[&str] = match head {
        [0xFF, 0xD8, 0xFF, ..] => &["image/jpeg"],
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => &["image/png"],
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => &["image/webp"],
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => iso_media(head),
        [b'O', b'g', b'g', b'S', ..] => ogg(head),
        [b'#', b'!', b'A', b'M', b'R', b'\n', ..] | [b'#', b'!', b'A', b'M', b'R', b'-', b'W', b'B', b'\n', ..] => {
            &["audio/amr"]
        }
        [b'I', b'D', b'3', ..] => &["audio/mpeg"],
        // ADTS: twelve bits of sync, layer 0.
        [0xFF, second, ..] if second & 0xF6 == 0xF0 => &["audio/aac"],
        // MPEG audio: eleven bits of sync, layer III, a valid version, bit rate and sampling rate.
        [0xFF, second, third, ..]
            if second & 0xE6 == 0xE2 && second & 0x18 != 0x08 && third & 0xF0 != 0xF0 && third & 0x0C != 0x0C =>
        {
            &["audio/mpeg"]
        }
        [b'%', b'P', b'D', b'F', b'-', ..] => &["application/pdf"],
        _ => return None,
    };
    Some(found)
}

/// Returns the types of an ISO base media file by its major brand (ISO/IEC 14496-12). Files of a general brand may hold video
/// or audio only.
fn iso_media(head: &[u8]) -> &'static [&'static str] {
    match head.get(8..12) {
        Some(b"M4A " | b"M4B ") => &["audio/mp4"],
        Some([b'3', b'g', b'p', _]) => &["video/3gpp"],
        Some(b"isom" | b"avc1" | b"mp41" | b"mp42" | b"mp71" | b"MSNV" | b"M4V " | b"mmp4" | b"dash") => {
            &["video/mp4", "audio/mp4"]
        }
        Some([b'i', b's', b'o', b'2'..=b'9']) => &["video/mp4", "audio/mp4"],
        _ => &[],
    }
}

/// Returns the type of an Ogg file, which may also hold video: the first page names the codec.
fn ogg(head: &[u8]) -> &'static [&'static str] {
    let codec = head.get(28..).unwrap_or_default();
    let is_audio =
        [b"OpusHead".as_slice(), b"\x01vorbis", b"Speex   ", b"\x7fFLAC"].iter().any(|id| codec.starts_with(id));
    if is_audio { &["audio/ogg"] } else { &[] }
}

/// A reader that fails after a number of bytes. The directory of a container is read into memory as a whole, and a hostile
/// file may consist of nothing but a directory.
struct Metered<R> {
    inner: R,
    left: usize,
}

const MOST_DIRECTORY_BYTES: usize = 4 * 1024 * 1024;

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left =
            self.left.checked_sub(read).ok_or_else(|| io::Error::other("the container's directory is too large"))?;
        Ok(read)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

/// Returns the type of an older Office format by the stream that holds the document.
fn compound_file<R: Read + Seek>(file: R) -> &'static [&'static str] {
    let Ok(compound) = cfb::CompoundFile::open(file) else { return &[] };
    if compound.is_stream("/WordDocument") {
        &["application/msword"]
    } else if compound.is_stream("/Workbook") || compound.is_stream("/Book") {
        &["application/vnd.ms-excel"]
    } else if compound.is_stream("/PowerPoint Document") {
        &["application/vnd.ms-powerpoint"]
    } else {
        &[]
    }
}

/// Returns the type of an Office Open XML package by its main part. Any other ZIP file, and any package with macros, is
/// rejected.
fn office_package<R: Read + Seek>(file: R) -> &'static [&'static str] {
    let Ok(archive) = zip::ZipArchive::new(file) else { return &[] };
    let Ok(parts) = archive.file_names().collect::<Result<Vec<_>, _>>() else { return &[] };
    let has = |part: &str| parts.iter().any(|name| name == part);
    let has_macros = parts.iter().any(|name| name.ends_with("vbaProject.bin"));
    if !has("[Content_Types].xml") || has_macros {
        &[]
    } else if has("word/document.xml") {
        &[WORD]
    } else if has("xl/workbook.xml") {
        &[EXCEL]
    } else if has("ppt/presentation.xml") {
        &[POWERPOINT]
    } else {
        &[]
    }
}

/// Whether the content is non-empty UTF-8 without NUL that begins neither with markup nor with an interpreter line.
fn is_plain_text<R: Read>(file: &mut R) -> std::io::Result<bool> {
    let mut buffer = vec![0; 64 * 1024];
    let mut kept = 0;
    let (mut at_start, mut is_empty) = (true, true);
    loop {
        let read = file.read(&mut buffer[kept..])?;
        if read == 0 {
            // The remaining bytes are an incomplete character.
            return Ok(kept == 0 && !is_empty);
        }
        let filled = kept + read;
        let valid = match std::str::from_utf8(&buffer[..filled]) {
            Ok(_) => filled,
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Ok(false),
        };
        let text = String::from_utf8_lossy(&buffer[..valid]);
        if text.contains('\0') || (at_start && begins_like_code(&text)) {
            return Ok(false);
        }
        is_empty = false;
        at_start = at_start && after_blank(&text).is_empty();
        buffer.copy_within(valid..filled, 0);
        kept = filled - valid;
    }
}

/// Returns the text after leading white space and byte order marks.
fn after_blank(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

fn begins_like_code(text: &str) -> bool {
    let text = after_blank(text);
    text.starts_with('<') || text.starts_with("#!")
}
