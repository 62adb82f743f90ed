//! Small files of each kind.

/// A 1x1 PNG.
pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82";
pub const PDF: &[u8] = b"%PDF-1.4\n%%EOF\n";
pub const TEXT: &[u8] = "Grüße\n".as_bytes();

/// A file of this many bytes that begins like a JPEG.
pub fn jpeg(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    bytes[..4].copy_from_slice(b"\xFF\xD8\xFF\xE0");
    bytes
}

/// A file of this many bytes that begins like a PDF.
pub fn pdf(size: usize) -> Vec<u8> {
    let mut bytes = vec![b' '; size];
    bytes[..PDF.len()].copy_from_slice(PDF);
    bytes
}
