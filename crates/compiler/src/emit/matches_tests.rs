//! Tests that selectors become tc words without any loss.

use super::matches;
use crate::tc::{FilterProtocol, Selector, Word};

fn selector(words: &[(u16, u32, u32)]) -> Selector {
    Selector {
        words: words.iter().map(|&(offset, value, mask)| (offset, Word { value, mask })).collect(),
        ..Selector::default()
    }
}

fn ip(words: &[(u16, u32, u32)]) -> String {
    matches(FilterProtocol::Ip, &selector(words))
}

fn ip6(words: &[(u16, u32, u32)]) -> String {
    matches(FilterProtocol::Ipv6, &selector(words))
}

#[test]
fn matches_use_field_names_that_tc_knows() {
    assert_eq!(ip(&[(8, 0x0011_0000, 0x00ff_0000)]), "match ip protocol 17 0xff");
    assert_eq!(ip(&[(0, 0x00b8_0000, 0x00fc_0000)]), "match ip dsfield 0xb8 0xfc");
    assert_eq!(ip(&[(12, 0xc0a8_0105, u32::MAX)]), "match ip src 192.168.1.5/32");
    assert_eq!(ip(&[(16, 0xc0a8_0180, 0xffff_ff80)]), "match ip dst 192.168.1.128/25");
    assert_eq!(ip(&[(20, 0x0035_13c4, 0xffff_fffe)]), "match ip sport 53 0xffff match ip dport 5060 0xfffe");
    assert_eq!(ip6(&[(4, 0x0000_1100, 0x0000_ff00)]), "match ip6 protocol 17 0xff");
    assert_eq!(ip6(&[(40, 0x0035, 0xffff)]), "match ip6 dport 53 0xffff");
    assert_eq!(
        ip6(&[(8, 0x2001_0db8, u32::MAX), (12, 0x0001_0000, 0xffff_0000)]),
        "match ip6 src 2001:db8:1::/48"
    );
}

#[test]
fn matches_use_hex_words_for_other_fields() {
    assert_eq!(ip(&[(0, 0x0500_0000, 0x0f00_0000)]), "match u8 0x05 0x0f at 0");
    assert_eq!(ip(&[(0, 0x0000_0040, 0x0000_ffc0)]), "match u16 0x0040 0xffc0 at 2");
    assert_eq!(ip(&[(4, 0, 0x0000_3fff)]), "match u16 0x0000 0x3fff at 6");
    assert_eq!(ip(&[(32, 0x5010_0000, 0xf017_0000)]), "match u16 0x5010 0xf017 at 32");
    assert_eq!(ip6(&[(0, 0x0b80_0000, 0x0fc0_0000)]), "match u16 0x0b80 0x0fc0 at 0");
    // Another header follows these headers.
    assert_eq!(
        ip(&[(8, 0x0004_0000, 0x00ff_0000), (20, 0x0500_0000, 0x0f00_0000)]),
        "match ip protocol 4 0xff match u16 0x0500 0x0f00 at 20"
    );
    assert_eq!(
        ip6(&[(4, 60 << 8, 0xff00), (40, 0x0400_0000, 0xffff_0000)]),
        "match ip6 protocol 60 0xff match u16 0x0400 0xffff at 40"
    );
    // An interface part is the end of an address, not its beginning.
    assert_eq!(
        ip6(&[(16, 0, u32::MAX), (20, 0x10, u32::MAX)]),
        "match u32 0x00000000 0xffffffff at 16 match u32 0x00000010 0xffffffff at 20"
    );
    assert_eq!(ip(&[(12, 1, 1)]), "match u16 0x0001 0x0001 at 14");
}

#[test]
fn an_empty_selector_becomes_a_match_of_all_packets() {
    assert_eq!(matches(FilterProtocol::All, &Selector::default()), "match u32 0 0 at 0");
    assert_eq!(ip(&[]), "match u32 0 0 at 0");
    let marked = Selector { mark: Some(Word { value: 0x10, mask: 0xff }), ..Selector::default() };
    assert_eq!(matches(FilterProtocol::Ip, &marked), "match mark 0x10 0xff match u32 0 0 at 0");
}
