//! Bytes of echo requests and their answers: RFC 792 (ICMP) and RFC 4443 (`ICMPv6`).

/// Smallest request in bytes of the IP packet: the headers of IPv6 and ICMP, and our two numbers.
pub const SMALLEST: usize = 64;
/// Largest request in bytes of the IP packet. Larger ones are fragmented, and one lost fragment loses the request.
pub const LARGEST: usize = 1500;

/// Bytes of an echo message's type, code, checksum, identifier and sequence number.
const ICMP: usize = 8;
/// Bytes of the socket's key and the request's number, which the answer returns.
const OURS: usize = 16;

/// Version of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// IPv4 with ICMP.
    V4,
    /// IPv6 with `ICMPv6`.
    V6,
}

impl Version {
    /// Returns the bytes of the IP header without options, and the ICMP types of an echo request and its reply.
    const fn numbers(self) -> (usize, u8, u8) {
        match self {
            Version::V4 => (20, 8, 0),
            Version::V6 => (40, 128, 129),
        }
    }
}

/// Sender of requests. The kernel and NAT use the identifier; the key distinguishes answers to other sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// Identifier of the requests.
    pub ident: u16,
    /// Key in the data of the requests.
    pub key: u64,
}

/// Returns an echo request for an IP packet of `size` bytes, limited to the range from [`SMALLEST`] to [`LARGEST`].
///
/// The sequence number has the lower 16 bits of `number`; the data has all 64.
#[must_use]
pub fn request(version: Version, asker: Asker, number: u64, size: usize) -> Vec<u8> {
    let (header, kind, _) = version.numbers();
    let length = size.clamp(SMALLEST, LARGEST) - header;
    let sequence = (number & 0xffff) as u16;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend([kind, 0, 0, 0]);
    bytes.extend(asker.ident.to_be_bytes());
    bytes.extend(sequence.to_be_bytes());
    bytes.extend(asker.key.to_be_bytes());
    bytes.extend(number.to_be_bytes());
    // neither constant nor random: some links compress constant data, and a random request could not be repeated
    bytes.extend((ICMP + OURS..length).map(|at| (at.wrapping_mul(167) & 0xff) as u8));
    // the kernel computes the checksum of ICMPv6, because it covers addresses that only the kernel knows
    if version == Version::V4 {
        let sum = checksum(&bytes).to_be_bytes();
        bytes.iter_mut().skip(2).zip(sum).for_each(|(byte, sum)| *byte = sum);
    }
    bytes
}

/// Returns the number of the answered request, or `None` if this is no answer to `asker`. `bytes` begin with an IPv4
/// header if `with_header` is true.
#[must_use]
pub fn answered(version: Version, asker: Asker, bytes: &[u8], with_header: bool) -> Option<u64> {
    let skipped = match bytes.first() {
        Some(first) if with_header => usize::from(first & 0xf) * 4,
        _ => 0,
    };
    let (head, data) = bytes.get(skipped..)?.split_first_chunk::<ICMP>()?;
    let [kind, code, ..] = *head;
    let (key, data) = data.split_first_chunk()?;
    let number = data.first_chunk()?;
    let (_, _, reply) = version.numbers();
    let ours = kind == reply && code == 0 && u64::from_be_bytes(*key) == asker.key;
    ours.then_some(u64::from_be_bytes(*number))
}

/// Returns the internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| match pair {
        [high, low] => u32::from(u16::from_be_bytes([*high, *low])),
        [high] => u32::from(*high) << 8,
        _ => 0,
    });
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::{Asker, ICMP, LARGEST, SMALLEST, Version, answered, checksum, request};

    const ME: Asker = Asker { ident: 0x1234, key: 0x0011_2233_4455_6677 };

    /// Returns the far end's answer to a request.
    fn reply(version: Version, mut bytes: Vec<u8>) -> Vec<u8> {
        bytes[0] = version.numbers().2;
        bytes
    }

    #[test]
    fn sizes_are_those_of_the_ip_packet() {
        for size in [SMALLEST, 65, 200, LARGEST] {
            assert_eq!(request(Version::V4, ME, 0, size).len() + 20, size);
            assert_eq!(request(Version::V6, ME, 0, size).len() + 40, size);
        }
        assert_eq!(request(Version::V6, ME, 0, 1).len() + 40, SMALLEST);
        assert_eq!(request(Version::V4, ME, 0, 9000).len() + 20, LARGEST);
    }

    #[test]
    fn a_valid_checksum_sums_to_zero() {
        for size in [64, 65, 1499] {
            assert_eq!(checksum(&request(Version::V4, ME, 70_000, size)), 0, "{size}");
        }
        // the example of RFC 1071, section 3
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    #[test]
    fn the_answer_returns_the_whole_number() {
        for number in [0, 1, 65_535, 65_536, u64::MAX] {
            for version in [Version::V4, Version::V6] {
                let bytes = request(version, ME, number, 64);
                assert_eq!(bytes[6..ICMP], (number as u16).to_be_bytes());
                assert_eq!(answered(version, ME, &bytes, false), None, "a request is no answer");
                assert_eq!(answered(version, ME, &reply(version, bytes), false), Some(number));
            }
        }
    }

    #[test]
    fn answers_to_others_are_ignored() {
        let bytes = reply(Version::V4, request(Version::V4, ME, 7, 64));
        let other_key = Asker { key: 1, ..ME };
        assert_eq!(answered(Version::V4, other_key, &bytes, false), None);
        // the kernel sets the identifier of a ping socket
        let other_ident = Asker { ident: 1, ..ME };
        assert_eq!(answered(Version::V4, other_ident, &bytes, false), Some(7));
        let mut whole = vec![0x46; 24];
        whole.extend(&bytes);
        assert_eq!(answered(Version::V4, ME, &whole, true), Some(7), "a header with options");
    }

    #[test]
    fn truncated_packets_are_not_answers() {
        let mut whole = vec![0x45; 20];
        whole.extend(reply(Version::V4, request(Version::V4, ME, 7, 64)));
        for length in 0..44 {
            assert_eq!(answered(Version::V4, ME, &whole[..length], true), None, "{length}");
            assert_eq!(answered(Version::V4, ME, &whole[..length], false), None, "{length}");
        }
        assert_eq!(answered(Version::V4, ME, &whole[..44], true), Some(7));
    }
}
