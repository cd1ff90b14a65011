use super::*;
use proptest::prelude::*;
use std::slice;

fn word(value: u32, mask: u32) -> Word {
    Word { value, mask }
}

fn words(selector: &Selector) -> Vec<(u16, u32, u32)> {
    selector.words.iter().map(|(offset, word)| (*offset, word.value, word.mask)).collect()
}

#[test]
fn ranges_become_prefixes() {
    assert_eq!(prefixes(53, 53), [(53, 0xffff)]);
    assert_eq!(prefixes(5060, 5061), [(5060, 0xfffe)]);
    assert_eq!(prefixes(0, 65_535), [(0, 0)]);
    assert_eq!(prefixes(1, 65_535).len(), 16);
    assert_eq!(prefixes(6881, 6889), [(6881, 0xffff), (6882, 0xfffe), (6884, 0xfffc), (6888, 0xfffe)]);
    assert_eq!(prefixes(65_535, 65_535), [(65_535, 0xffff)]);
}

proptest! {
    #[test]
    fn prefixes_match_exactly_the_range(first in any::<u16>(), more in any::<u16>(), probe in any::<u16>()) {
        let last = first.saturating_add(more);
        let found = prefixes(first, last);
        prop_assert!(found.len() <= 30);
        for probe in [probe, first, last, first.wrapping_sub(1), last.wrapping_add(1)] {
            let hits = found.iter().filter(|(value, mask)| probe & mask == *value).count();
            prop_assert_eq!(hits, usize::from((first..=last).contains(&probe)));
        }
    }
}

#[test]
fn addresses_become_selectors() {
    let four = |text: &str, end| address(text.parse().unwrap(), end, Family::Ipv4).unwrap();
    let six = |text: &str, end| address(text.parse().unwrap(), end, Family::Ipv6).unwrap();
    assert_eq!(words(&four("192.168.1.5", End::Source)), [(12, 0xc0a8_0105, 0xffff_ffff)]);
    assert_eq!(words(&four("10.0.0.0/8", End::Destination)), [(16, 0x0a00_0000, 0xff00_0000)]);
    assert_eq!(four("0.0.0.0/0", End::Source), Selector::default());
    assert_eq!(
        words(&six("2001:db8::/40", End::Destination)),
        [(24, 0x2001_0db8, 0xffff_ffff), (28, 0, 0xff00_0000)]
    );
    assert_eq!(words(&six("::10/-64", End::Source)), [(16, 0, 0xffff_ffff), (20, 0x10, 0xffff_ffff)]);
    assert_eq!(words(&six("::1/-4", End::Destination)), [(36, 1, 0xf)]);
    assert_eq!(address("::10/-64".parse().unwrap(), End::Source, Family::Ipv4), None);
    assert_eq!(address("10.0.0.1".parse().unwrap(), End::Source, Family::Ipv6), None);
}

#[test]
fn ports_are_read_only_behind_a_plain_header() {
    let set: PortSet = "5060-5061".parse().unwrap();
    assert_eq!(
        ports(&set, End::Destination, Family::Ipv4).iter().map(words).collect::<Vec<_>>(),
        [[(0, 0x0500_0000, 0x0f00_0000), (4, 0, 0x3fff), (20, 5060, 0xfffe)]]
    );
    assert_eq!(
        ports(&set, End::Source, Family::Ipv6).iter().map(words).collect::<Vec<_>>(),
        [[(40, 5060 << 16, 0xfffe_0000)]]
    );
}

#[test]
fn dscp_selectors_ignore_the_ecn_bits() {
    let ef = Dscp::new(46).unwrap();
    assert_eq!(words(&dscp(ef, Family::Ipv4)), [(0, 0x00b8_0000, 0x00fc_0000)]);
    assert_eq!(words(&dscp(ef, Family::Ipv6)), [(0, 0x0b80_0000, 0x0fc0_0000)]);
}

#[test]
fn lengths_include_the_ip_header() {
    let below = |max: u16| LengthRange { min: 0, max };
    assert_eq!(length(below(127), Family::Ipv4), [Selector::word(0, word(0, 0xff80))]);
    let six: Vec<_> = length(below(127), Family::Ipv6).iter().map(words).collect();
    // 0 to 87 bytes after the header
    assert_eq!(six, [[(4, 0, 0xffc0_0000)], [(4, 64 << 16, 0xfff0_0000)], [(4, 80 << 16, 0xfff8_0000)]]);
    assert_eq!(length(below(39), Family::Ipv6), []);
    assert_eq!(
        length(LengthRange { min: 40, max: 40 }, Family::Ipv6),
        [Selector::word(4, word(0, 0xffff_0000))]
    );
    // an IPv6 packet can be longer than 65535 bytes in total
    let above = length(LengthRange { min: 65_535, max: u16::MAX }, Family::Ipv6);
    let largest = Selector::word(4, word(0xffff_0000, 0xffff_0000));
    assert!(above.iter().any(|selector| selector.covers(&largest)));
}

#[test]
fn acknowledgements_are_found_by_flags_and_packet_length() {
    let four = tcp(TcpKind::Ack, Family::Ipv4).unwrap();
    assert_eq!(
        words(&four),
        [
            (0, 0x0500_0000, 0x0f00_ff80),
            (4, 0, 0x3fff),
            (8, 0x0006_0000, 0x00ff_0000),
            (32, 0x0010_0000, 0x001f_0000)
        ]
    );
    let six = tcp(TcpKind::Ack, Family::Ipv6).unwrap();
    assert_eq!(words(&six), [(4, 0x0600, 0xffc0_ff00), (52, 0x0010_0000, 0x001f_0000)]);
}

#[test]
fn acknowledgements_of_a_length_are_the_intersection() {
    for family in [Family::Ipv4, Family::Ipv6] {
        let ack = tcp(TcpKind::Ack, family).unwrap();
        let of = |min, max| length(LengthRange { min, max }, family);
        let both = |min, max| of(min, max).iter().filter_map(|length| ack.and(length)).collect::<Vec<_>>();
        let header = if family == Family::Ipv4 { 0 } else { IPV6_HEADER };
        let most = if family == Family::Ipv4 { 127 } else { 103 };
        assert_eq!(both(most + 1, u16::MAX), [], "longer packets");
        assert_eq!(both(header, most), slice::from_ref(&ack), "all that it takes");
        assert_eq!(both(most, u16::MAX), both(most, most), "only the longest");
        assert_eq!(both(most, most).len(), 1);
    }
}

#[test]
fn other_tcp_flags_are_matched_by_one_bit() {
    for (kind, bit) in [(TcpKind::Syn, 0x02_0000), (TcpKind::Fin, 0x01_0000), (TcpKind::Rst, 0x04_0000)] {
        let four = tcp(kind, Family::Ipv4).unwrap();
        let plain = [(0, 0x0500_0000, 0x0f00_0000), (4, 0, 0x3fff), (8, 0x0006_0000, 0x00ff_0000)];
        assert_eq!(words(&four), [&plain[..], &[(32, bit, bit)]].concat());
        let six = tcp(kind, Family::Ipv6).unwrap();
        assert_eq!(words(&six), [(4, 0x0600, 0xff00), (52, bit, bit)]);
    }
}

#[test]
fn a_mark_with_an_empty_mask_has_no_selector() {
    assert_eq!(mark(Mark { value: 0, mask: 0 }), Selector::default());
    assert_eq!(mark(Mark { value: 0x10, mask: 0xff }).mark, Some(word(0x10, 0xff)));
}
