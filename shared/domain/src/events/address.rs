//! The classification of network addresses: which ones may be contacted on a customer's behalf. All protection against
//! server-side request forgery (SSRF) relies on it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address is part of the public internet. An IPv6 address that embeds an IPv4 address is treated
/// like the embedded one.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(v4) => is_public_v4(v4),
            None => is_public_v6(v6),
        },
    }
}

/// Returns whether an address is in none of the special ranges: those that are not globally reachable according to the
/// IANA IPv4 Special-Purpose Address Registry, multicast and class E.
fn is_public_v4(address: Ipv4Addr) -> bool {
    const SPECIAL: [(Ipv4Addr, u32); 15] = [
        (Ipv4Addr::new(0, 0, 0, 0), 8),
        (Ipv4Addr::new(10, 0, 0, 0), 8),
        (Ipv4Addr::new(100, 64, 0, 0), 10),
        (Ipv4Addr::new(127, 0, 0, 0), 8),
        (Ipv4Addr::new(169, 254, 0, 0), 16),
        (Ipv4Addr::new(172, 16, 0, 0), 12),
        (Ipv4Addr::new(192, 0, 0, 0), 24),
        (Ipv4Addr::new(192, 0, 2, 0), 24),
        (Ipv4Addr::new(192, 88, 99, 0), 24),
        (Ipv4Addr::new(192, 168, 0, 0), 16),
        (Ipv4Addr::new(198, 18, 0, 0), 15),
        (Ipv4Addr::new(198, 51, 100, 0), 24),
        (Ipv4Addr::new(203, 0, 113, 0), 24),
        (Ipv4Addr::new(224, 0, 0, 0), 4),
        (Ipv4Addr::new(240, 0, 0, 0), 4),
    ];
    let bits = address.to_bits();
    !SPECIAL.iter().any(|(network, length)| (bits ^ network.to_bits()) >> (32 - length) == 0)
}

/// Returns whether an address is in 2000::/3 but not in its special ranges (IANA IPv6 Special-Purpose Address
/// Registry).
fn is_public_v6(address: Ipv6Addr) -> bool {
    const SPECIAL: [(Ipv6Addr, u32); 4] = [
        (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
        (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
        (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
        (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    ];
    let bits = address.to_bits();
    bits >> 125 == 0b001 && !SPECIAL.iter().any(|(network, length)| (bits ^ network.to_bits()) >> (128 - length) == 0)
}

/// Returns the IPv4 address in an IPv4-mapped, IPv4-compatible or NAT64 (64:ff9b::/96) address.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let embeds = matches!(segments[..6], [0, 0, 0, 0, 0, 0 | 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0]);
    embeds.then(|| Ipv4Addr::from_bits((u32::from(segments[6]) << 16) | u32::from(segments[7])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_internet_are_public() {
        for text in [
            "8.8.8.8",
            "1.1.1.1",
            "100.128.0.1",
            "172.32.0.1",
            "2606:4700:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(text.parse().expect("an address")), "{text}");
        }
    }

    #[test]
    fn special_addresses_are_not_public() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "4000::1",
        ] {
            assert!(!is_public(text.parse().expect("an address")), "{text}");
        }
    }
}
