//! Every pattern accepts all texts that its parser accepts. It only accepts additional texts if their rejection takes
//! arithmetic.

use crate::units::{
    Address, Bytes, Dscp, Family, IfName, LengthRange, LinkName, Mac, Mark, MarkMask, Micros, Percent,
    PortRange, Protocol, Rate, UnitError,
};
use jsonschema::Validator;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::test_runner::TestRunner;
use schemars::JsonSchema;
use serde_json::json;
use std::str::FromStr;

fn validator<T: JsonSchema>() -> Validator {
    let mut generator = schemars::generate::SchemaSettings::draft07().into_generator();
    jsonschema::validator_for(&T::json_schema(&mut generator).to_value()).expect("a schema")
}

/// Texts that are similar enough to quantities that some of them are valid.
fn near() -> impl Strategy<Value = String> {
    let number = "(0|[1-9][0-9]{0,5}|[0-9]{1,3})(\\.[0-9]{0,7})?";
    let unit = " {0,2}([kmgKMG]?[bB]it( ?/[sS])?|us|ms|S|%|KiB|mib|)";
    prop_oneof![
        (number, unit).prop_map(|(number, unit)| number + &unit),
        "[<>]?=? ?[0-9]{1,5}( ?- ?[0-9]{1,5})?",
        "[0-9]{1,3}(\\.[0-9]{1,3}){3}(/[0-9]{1,2})?",
        "[0-9a-f]{0,2}(:{1,2}[0-9a-f]{0,2}){1,8}(/-?[0-9]{1,3})?",
        "(::|[0-9a-f]{1,2}:){1,6}[0-9]{1,2}(\\.[0-9]{1,3}){3}",
        "[0-9a-f]{2}([:-][0-9a-f]{2}){5}",
        "(0x)?[0-9a-f]{1,9}(/0x[0-9a-f]{1,9})?",
        "[.]{0,2}[-a-z0-9@+^_.]{0,16}",
        "(cs|af|e|E)[0-9f]{1,2}",
        any::<String>(),
    ]
}

/// Checks that `T` reads no text that its schema rejects, and that both accept `good` and reject `bad`.
fn agrees<T: JsonSchema + FromStr<Err = UnitError>>(good: &[&str], bad: &[&str]) {
    let validator = validator::<T>();
    for text in good {
        assert!(text.parse::<T>().is_ok(), "{text} is one");
        assert!(validator.is_valid(&json!(text)), "{text} is one to the schema");
    }
    for text in bad {
        assert!(text.parse::<T>().is_err(), "{text} is none");
        assert!(!validator.is_valid(&json!(text)), "{text} is none to the schema");
    }
    let mut runner = TestRunner::new(ProptestConfig { cases: 400, ..ProptestConfig::default() });
    let done = runner.run(&near(), |text| {
        assert!(text.parse::<T>().is_err() || validator.is_valid(&json!(text)), "{text:?}");
        Ok(())
    });
    done.expect("the schema takes what is read");
}

#[test]
fn schema_and_parser_agree_on_rates() {
    agrees::<Rate>(
        &["6.5mbit", "400 kbit/s", "1GBIT /S", " 1.000000001gbit ", "0.5kbit", "5.00bit"],
        &[
            "6500",
            "6,5mbit",
            "6.5",
            "1mbps",
            "6.5 mbit s",
            "06mbit",
            ".5mbit",
            "1.5bit",
            "1.0001kbit",
            "1e3bit",
            "1_0bit",
        ],
    );
}

#[test]
fn schema_and_parser_agree_on_times_and_sizes() {
    agrees::<Micros>(&["5ms", "1.5 s", "500US", "0.001ms"], &["5", "5min", "0.5us", "0.0001ms", "-5ms"]);
    agrees::<Bytes>(&["9000", "64KiB", "4 mib", "4.0MiB"], &["64K", "1.5KiB", "64kB", "1GiB", ""]);
    let sizes = validator::<Bytes>();
    assert!(sizes.is_valid(&json!(9000)) && !sizes.is_valid(&json!(-1)));
}

#[test]
fn schema_and_parser_agree_on_percentages() {
    agrees::<Percent>(
        &["0%", "100%", "100.0 %", "2.5%", "99.99990%"],
        &["101%", "100.1%", "20", "1.00001%", "020%"],
    );
}

#[test]
fn schema_and_parser_agree_on_addresses() {
    agrees::<Address>(
        &[
            "192.168.1.5",
            "0.0.0.0/0",
            "192.168.1.128/25",
            "::",
            "::1",
            "2001:db8::",
            "2001:db8::/32",
            "::10/-64",
            "1:2:3:4:5:6:7:8",
            "1::8",
            "64:ff9b::192.0.2.33",
            "1:2:3:4:5:6:192.0.2.33",
            "::192.0.2.33",
        ],
        &[
            "192.168.1",
            "192.168.1.256",
            "192.168.01.1",
            "192.168.1.0/33",
            "192.168.1.0/255.255.255.0",
            "1:2:3",
            "1::2::3",
            ":::",
            "1:2:3:4:5:6:7:8:9",
            "::1/129",
            "::1/-128",
            "::1/-0",
            "12345::",
            "[::1]",
            "router.lan",
            "1:2:3:4:5:6:7:192.0.2.33",
        ],
    );
    agrees::<Family>(&["ipv4", "IPv6"], &["v4", "inet", "4"]);
}

#[test]
fn schema_and_parser_agree_on_ports_and_lengths() {
    agrees::<PortRange>(
        &["53", "65535", "5060-5061", "1 - 2"],
        &["0", "65536", "http", "53-", "1-2-3", "53,54", "053"],
    );
    agrees::<LengthRange>(
        &["<128", "<= 127", ">1000", ">=65535", "64-128", "64", "0", "<65536"],
        &["<0", ">65536", "=<5", "64-", "<", "64 bytes", "<65537"],
    );
    let ports = validator::<PortRange>();
    assert!(ports.is_valid(&json!(53)) && !ports.is_valid(&json!(0)) && !ports.is_valid(&json!(65536)));
}

#[test]
fn schema_and_parser_agree_on_dscps_and_protocols() {
    agrees::<Dscp>(
        &["ef", "AF41", "cs0", "63", "0", "va", "le"],
        &["be", "64", "af14", "cs8", "0x2e", "046"],
    );
    agrees::<Protocol>(&["tcp", "UDP", "0", "255", "icmpv6"], &["256", "quic", "any", "tcp,udp", "017"]);
}

#[test]
fn schema_and_parser_agree_on_marks_and_mac_addresses() {
    agrees::<Mark>(
        &["0x10/0xff", "16", "0X10", "0/1", "0x00000000ff"],
        &["0x", "16/0", "0x1g", "0x10/", "0x1ffffffff", "0x10/0x0"],
    );
    agrees::<MarkMask>(&["0xff000000", "255"], &["0", "0x0", "ff"]);
    agrees::<Mac>(
        &["02:00:5e:10:00:01", "02-00-5E-10-00-01"],
        &["03:00:5e:10:00:01", "0200.5e10.0001", "02:00:5e:10:00", "02:00:5e-10:00:01", "2:0:5e:10:0:1"],
    );
}

#[test]
fn schema_and_parser_agree_on_names() {
    agrees::<IfName>(
        &["ppp0", "eth0.7", "5", "...", ".a", "wg-vps", "fifteen-letters"],
        &[".", "..", "-eth0", "eth0@eth1", "eth 0", "", "sixteen-letters0", "a/b", " eth0"],
    );
    agrees::<LinkName>(
        &["home", "a", "dsl-2", "Home", "site_01"],
        &["2nd", "thirty-three-characters-are-too-m", "a.b", ""],
    );
}
