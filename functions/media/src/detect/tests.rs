//! Tests of the detection: accepted, rejected and wrongly declared content.

use std::io::{Cursor, Write as _};

use domain::ErrorKind;

use super::*;

const REJECTED: Result<&str, ErrorKind> = Err(ErrorKind::UnsupportedMediaType);

fn detect(content: &[u8], declared: Option<&str>) -> Result<&'static str, ErrorKind> {
    media_type(Cursor::new(content), declared).map(|found| found.mime).map_err(|failure| failure.kind())
}

fn package(parts: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for part in parts {
        let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(*part, stored).expect("a part");
        archive.write_all(b"<x/>").expect("bytes");
    }
    archive.finish().expect("an archive").into_inner()
}

fn compound(stream: &str) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).expect("a compound file");
    file.create_stream(stream).expect("a stream").write_all(b"x").expect("bytes");
    file.flush().expect("flushed");
    file.into_inner().into_inner()
}

fn ogg_page(codec: &[u8]) -> Vec<u8> {
    [b"OggS".as_slice(), &[0; 24], codec, &[0; 20]].concat()
}

#[test]
fn accepted_types_are_detected_by_their_content() {
    let webp = b"RIFF\x24\0\0\0WEBPVP8 ";
    for (content, mime) in [
        (b"\xFF\xD8\xFF\xE0\0\x10JFIF".to_vec(), "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "image/png"),
        (webp.to_vec(), "image/webp"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0".to_vec(), "video/mp4"),
        (b"\0\0\0\x18ftypiso5\0\0\0\0".to_vec(), "video/mp4"),
        (b"\0\0\0\x18ftyp3gp4\0\0\0\0".to_vec(), "video/3gpp"),
        (b"\0\0\0\x18ftypM4A \0\0\0\0".to_vec(), "audio/mp4"),
        (b"\xFF\xF1\x50\x80".to_vec(), "audio/aac"),
        (b"#!AMR\n\x3c".to_vec(), "audio/amr"),
        (b"ID3\x04\0\0".to_vec(), "audio/mpeg"),
        (b"\xFF\xFB\x90\x64".to_vec(), "audio/mpeg"),
        (ogg_page(b"OpusHead"), "audio/ogg"),
        (b"%PDF-1.7\n".to_vec(), "application/pdf"),
        ("Grüße\n".into(), "text/plain"),
        (compound("/WordDocument"), "application/msword"),
        (compound("/Workbook"), "application/vnd.ms-excel"),
        (compound("/PowerPoint Document"), "application/vnd.ms-powerpoint"),
        (package(&["[Content_Types].xml", "word/document.xml"]), WORD),
        (package(&["[Content_Types].xml", "xl/workbook.xml"]), EXCEL),
        (package(&["[Content_Types].xml", "ppt/presentation.xml"]), POWERPOINT),
    ] {
        for declared in [None, Some("application/octet-stream"), Some(mime), Some("")] {
            assert_eq!(detect(&content, declared), Ok(mime), "{mime} declared as {declared:?}");
        }
    }
    assert_eq!(detect(b"\0\0\0\x18ftypisom\0\0\0\0", Some("audio/mp4")), Ok("audio/mp4"));
}

#[test]
fn all_other_content_is_rejected() {
    for content in [
        b"GIF89a\x01\0\x01\0\x80".to_vec(),
        b"\0\0\0\x18ftypheic\0\0\0\0".to_vec(),
        b"\0\0\0\x18ftypqt  \0\0\0\0".to_vec(),
        ogg_page(b"\x80theora"),
        b"<html>".to_vec(),
        b"  \n<svg/>".to_vec(),
        b"\xEF\xBB\xBF<!DOCTYPE html>".to_vec(),
        b"#!/bin/sh\n".to_vec(),
        b"a\0b".to_vec(),
        b"\xC3".to_vec(),
        b"caf\xE9".to_vec(),
        b"MZ\x90\0".to_vec(),
        b"\x7fELF\x02\x01\x01\0".to_vec(),
        package(&["a.txt"]),
        package(&["word/document.xml"]),
        b"PK\x03\x04broken".to_vec(),
        package(&["[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"]),
        CFB.to_vec(),
        compound("/Other"),
        [b" ".repeat(70_000), b"<script>".to_vec()].concat(),
        "\u{a0}<svg>".into(),
        b"RIFF\x24\0\0\0WAVE".to_vec(),
    ] {
        assert_eq!(detect(&content, None), REJECTED, "{content:?}");
    }
}

#[test]
fn a_declared_type_must_fit_the_content() {
    assert_eq!(detect(b"%PDF-1.7", Some("image/png")), REJECTED);
    assert_eq!(detect(b"hello", Some("application/pdf")), REJECTED);
    assert_eq!(detect(b"hello", Some("text/html")), REJECTED);
    assert_eq!(detect(b"hello", Some("Text/Plain; charset=utf-8")), Ok("text/plain"));
    assert_eq!(detect(b"\0\0\0\x18ftypM4A \0\0\0\0", Some("video/mp4")), REJECTED);
}

#[test]
fn a_container_with_nothing_but_a_directory_is_rejected() {
    let names: Vec<String> = (0..60_000).map(|n| format!("{n:0>100}")).collect();
    let mut parts: Vec<&str> = names.iter().map(String::as_str).collect();
    parts.extend(["[Content_Types].xml", "word/document.xml"]);
    assert_eq!(detect(&package(&parts), None), REJECTED);
}

#[test]
fn text_is_read_to_its_end() {
    let mut long = "é".repeat(100_000).into_bytes();
    assert_eq!(detect(&long, None), Ok("text/plain"));
    long.push(0);
    assert_eq!(detect(&long, None), REJECTED);
    long.pop();
    long.push(0xC3);
    assert_eq!(detect(&long, None), REJECTED);
}
