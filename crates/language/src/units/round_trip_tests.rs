//! For every quantity, parsing the printed text gives the same value, and no text makes a parser panic.

use super::{
    Address, Bytes, Dscp, Family, IfName, LengthRange, LinkName, Mac, Mark, Micros, Percent, PortRange,
    PortSet, Protocol, Rate, UnitError,
};
use ipnet::{Ipv4Net, Ipv6Net};
use proptest::prelude::{Strategy, any, prop_assert_eq, prop_assume, prop_oneof, proptest};
use proptest::test_runner::TestCaseError;
use std::fmt::{Debug, Display};
use std::net::Ipv6Addr;
use std::str::FromStr;

fn same<T: Display + FromStr<Err = UnitError> + PartialEq + Debug>(value: T) -> Result<(), TestCaseError> {
    let printed = value.to_string();
    prop_assert_eq!(printed.parse::<T>(), Ok(value), "printed as {}", printed);
    Ok(())
}

/// Numbers of all magnitudes, including round ones.
fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>().prop_flat_map(|n| (0u32..64).prop_map(move |shift| n >> shift)),
        (0u64..10_000)
            .prop_flat_map(|n| (0u32..15).prop_map(move |zeros| n.saturating_mul(10u64.pow(zeros)))),
        (0u64..10_000).prop_flat_map(|n| (0u32..40).prop_map(move |shift| n << shift)),
    ]
}

fn v6(bits: u128) -> Ipv6Addr {
    Ipv6Addr::from_bits(bits)
}

/// Texts that are similar enough to quantities to reach all branches of the parsers.
fn hostile() -> impl Strategy<Value = String> {
    let near = "[-+.0-9a-fxeE_,:/%@<>= \u{2013}\u{b5}\u{a0}kKmMgGiIbBtTsSpu\u{212a}]{0,24}";
    prop_oneof![any::<String>(), near.prop_map(String::from)]
}

fn reads<T: FromStr<Err = UnitError>>(text: &str) -> Result<(), TestCaseError> {
    if let Err(error) = text.parse::<T>() {
        prop_assert_eq!(error.help.is_empty(), false, "no cure for {:?}", text);
        prop_assert_eq!(error.message.is_empty(), false);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_printed_rate_is_read_back(bps in numbers()) {
        same(Rate::from_bps(bps >> 1))?;
    }

    #[test]
    fn a_printed_time_is_read_back(us in numbers()) {
        same(Micros::from_us(us))?;
    }

    #[test]
    fn a_printed_size_is_read_back(bytes in numbers()) {
        same(Bytes::new(bytes))?;
    }

    #[test]
    fn a_printed_percentage_is_read_back(ppm in 0u32..=1_000_000) {
        same(Percent::from_ppm(ppm))?;
    }

    #[test]
    fn a_printed_range_is_read_back(a in any::<u16>(), b in any::<u16>()) {
        same(LengthRange { min: a.min(b), max: a.max(b) })?;
        same(LengthRange { min: 0, max: a })?;
        same(LengthRange { min: a, max: u16::MAX })?;
        same(LengthRange { min: a, max: a })?;
        same(PortRange { first: a.min(b).max(1), last: a.max(b).max(1) })?;
    }

    #[test]
    fn a_printed_set_of_ports_is_read_back(ends in proptest::collection::vec((1u16.., 1u16..), 1..9)) {
        let range = |(a, b): (u16, u16)| PortRange { first: a.min(b), last: a.max(b) };
        same(ends.into_iter().map(range).collect::<PortSet>())?;
    }

    #[test]
    fn a_printed_mark_is_read_back(value in any::<u32>(), mask in 1u32..) {
        same(Mark { value: value & mask, mask })?;
        same(Mark { value, mask: u32::MAX })?;
    }

    #[test]
    fn a_printed_mac_address_is_read_back(mut octets in any::<[u8; 6]>()) {
        octets[0] &= 0xfe;
        prop_assume!(octets != [0; 6]);
        same(Mac(octets))?;
    }

    #[test]
    fn a_printed_address_is_read_back(v4 in any::<u32>(), bits in any::<u128>(), length in 0u8..=128) {
        same(Address::V4(Ipv4Net::new(v4.into(), length.min(32)).unwrap().trunc()))?;
        let net = Ipv6Net::new(v6(bits), length).unwrap().trunc();
        prop_assume!(net.addr().to_ipv4_mapped().is_none());
        same(Address::V6(net))?;
        let length = length.clamp(1, 127);
        same(Address::V6Interface { part: v6(bits & ((1 << length) - 1)), bits: length })?;
    }

    #[test]
    fn a_printed_device_name_is_read_back(name in "[A-Za-z0-9._+^][-A-Za-z0-9._+^]{0,14}") {
        prop_assume!(name != "." && name != "..");
        let name: IfName = name.parse().unwrap();
        same(name)?;
    }

    #[test]
    fn a_printed_link_name_is_read_back(name in "[a-z][a-z0-9-]{0,9}") {
        let name: LinkName = name.parse().unwrap();
        same(name)?;
    }

    #[test]
    fn any_text_is_parsed_without_panic(text in hostile()) {
        reads::<Address>(&text)?;
        reads::<Bytes>(&text)?;
        reads::<Dscp>(&text)?;
        reads::<Family>(&text)?;
        reads::<IfName>(&text)?;
        reads::<LengthRange>(&text)?;
        reads::<LinkName>(&text)?;
        reads::<Mac>(&text)?;
        reads::<Mark>(&text)?;
        reads::<Micros>(&text)?;
        reads::<Percent>(&text)?;
        reads::<PortRange>(&text)?;
        reads::<PortSet>(&text)?;
        reads::<Protocol>(&text)?;
        reads::<Rate>(&text)?;
    }
}

#[test]
fn long_texts_are_rejected_with_a_short_message() -> Result<(), TestCaseError> {
    for piece in ["a@", "1,", "a,", "9", "0", "1.", "-", ":", "::", "/", "tcp ", "\u{2013}", "1-"] {
        let text = piece.repeat(20_000);
        let refused = [
            text.parse::<IfName>().err(),
            text.parse::<LinkName>().err(),
            text.parse::<PortRange>().err(),
            text.parse::<Rate>().err(),
            text.parse::<Protocol>().err(),
            text.parse::<Dscp>().err(),
            text.parse::<Address>().err(),
            text.parse::<Mac>().err(),
        ];
        for error in refused {
            let error = error.unwrap();
            prop_assert_eq!(error.message.len() < 500, true, "{}", error.message.len());
        }
    }
    Ok(())
}

#[test]
fn every_value_of_small_types_is_read_back() -> Result<(), TestCaseError> {
    for n in 0..=u8::MAX {
        same(Protocol(n))?;
        if let Some(dscp) = Dscp::new(n) {
            same(dscp)?;
        }
    }
    same(Family::Ipv4)?;
    same(Family::Ipv6)?;
    same(Rate::from_bps(u64::MAX >> 1))?;
    same(Micros::MAX)?;
    same(Bytes::new(u64::MAX))
}
