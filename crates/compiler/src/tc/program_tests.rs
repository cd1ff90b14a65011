//! Unit tests of [`super`].

use super::Decrypted;
use crate::tc::Why;

/// Returns the number of bytes by which a packet on the ifb is longer than the inner one.
fn longer(more: u32, header: u32) -> u32 {
    let device = "wg0".parse().expect("a name");
    let tunnel = Decrypted {
        device,
        more: Some(more),
        header: None,
        port: None,
        uploads: false,
        restored: vec![],
        why: Why::default(),
    };
    14 + 4 * (tunnel.tags(header).expect("a tunnel") - 1)
}

#[test]
fn decrypted_packets_get_the_length_of_the_line() {
    // over IPv4 and over IPv6 on Ethernet: as long as on the line, apart from a remainder below four bytes
    assert_eq!((longer(72, 14), longer(92, 14)), (72 + 14, 92 + 14));
    // on a device without a header of its own
    assert_eq!((longer(72, 0), longer(92, 0)), (70, 90));
    for more in 60..100 {
        for header in [0, 14] {
            let got = longer(more, header);
            assert!(got <= more + header && more + header < got + 4, "{more} {header} {got}");
        }
    }
}
