//! The grouping of messages into calls that stay within the limits of SQS.

/// SQS accepts ten messages per call.
pub(super) const BATCH: usize = 10;
/// The highest number of bytes per message and per call. SQS accepts 1 MiB, attributes included.
pub const LARGEST_CALL: usize = 256 * 1024;

/// Groups items by size, in order, and returns the number of items per group. No group has more than `most` items or
/// `most_bytes` bytes; an item that is larger by itself forms a group of its own.
pub fn chunks(sizes: &[usize], most: usize, most_bytes: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = Vec::new();
    let mut bytes = 0;
    for size in sizes {
        match counts.last_mut() {
            Some(count) if *count < most && bytes + size <= most_bytes => {
                *count += 1;
                bytes += size;
            }
            _ => {
                counts.push(1);
                bytes = *size;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_exceeds_a_limit() {
        assert_eq!(chunks(&[], 10, 100), Vec::<usize>::new());
        assert_eq!(chunks(&[1; 25], 10, 100), [10, 10, 5]);
        assert_eq!(chunks(&[60, 60, 30, 10, 1], 10, 100), [1, 3, 1]);
        assert_eq!(chunks(&[500, 1], 10, 100), [1, 1]);
    }
}
