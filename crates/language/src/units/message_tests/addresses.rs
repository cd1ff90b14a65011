//! Messages about addresses and names.

use super::super::{Address, Family, IfName, LinkName, Mac};
use super::shown;
use insta::assert_snapshot;

#[test]
fn invalid_addresses_are_explained() {
    assert_snapshot!(shown::<Address>(&[
        "", "192.168.1.5/24", "192.168.1.0/33", "192.168.1.0/", "192.168.1.0/024", "192.168.1.0/255.255.255.0",
        "192.168.1.0/255.0.255.0", "192.168.001.005/32", "192.168.1", "192.168.1.256", "192.168.1.5.6",
        "192.168.1.5:80", "192.168.1.1-192.168.1.9", "10.0.0.1/-8", "2001:db8::1/64", "2001:db8::/129",
        "2001:db8:::1", "[2001:db8::1]", "[2001:db8::1]:80", "fe80::1%eth0", "::ffff:192.168.1.5",
        "::ffff:192.168.1.5/120", "::1:0:0:0:10/-64", "::10/-0", "::10/-128", "::10/-", "::10/-064", "example.org",
        "printer", "..", "192.168.1.5/24/24", "192.168.1.5, ::1", "::10/64",
    ]), @r#"
    the address is empty
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5/24` has bits set beyond its prefix length
      write `192.168.1.0/24` to match the network
      write `192.168.1.5` to match the single address
    the address `192.168.1.0/33` has a prefix length above the largest, 32
      write a number from 0 to 32 after `/`
    the address `192.168.1.0/` has no valid prefix length after `/`
      write a number from 0 to 32 after `/`
    the address `192.168.1.0/024` has a prefix length that begins with a zero
      write `/24`
    the address `192.168.1.0/255.255.255.0` has a netmask instead of a prefix length
      write `192.168.1.0/24`
    the address `192.168.1.0/255.0.255.0` has a netmask instead of a prefix length
      write a prefix length from 0 to 32 after `/`
    the address `192.168.001.005/32` has a number that begins with a zero, which some programs read as octal
      write `192.168.1.5/32`
    the address `192.168.1` has 3 numbers, not 4
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.256` contains `256`, which is above 255
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5.6` has 5 numbers, not 4
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5:80` has a port after it
      write ports under `local_port`, `remote_port` or `port`
    the address `192.168.1.1-192.168.1.9` is a range
      write the prefixes of exactly these addresses: `[192.168.1.1, 192.168.1.2/31, 192.168.1.4/30, 192.168.1.8/31]`
    the address `10.0.0.1/-8` has `/-`, which only IPv6 addresses can have
      write a prefix such as `192.168.1.0/24`
    the address `2001:db8::1/64` has bits set beyond its prefix length
      write `2001:db8::/64` to match the network
      write `2001:db8::1` to match the single address
    the address `2001:db8::/129` has a prefix length above the largest, 128
      write a number from 0 to 128 after `/`
    the address `2001:db8:::1` is not an IPv6 address
      write eight groups of up to four hexadecimal digits; `::` may replace groups of zeros once
    the address `[2001:db8::1]` has brackets around it
      write `2001:db8::1`
    the address `[2001:db8::1]:80` has a port after it
      write ports under `local_port`, `remote_port` or `port`
    the address `fe80::1%eth0` has a device name after `%`
      write `fe80::1`
    the address `::ffff:192.168.1.5` is an IPv4-mapped IPv6 address, which no packet has
      write `192.168.1.5`
    the address `::ffff:192.168.1.5/120` is an IPv4-mapped IPv6 address, which no packet has
      write `192.168.1.0/24`
    the address `::1:0:0:0:10/-64` has bits set before its last 64 bits
      write `::10/-64` without these bits
    the address `::10/-0` has no valid number of bits after `/-`
      write a number of bits from 1 to 127 after `/-`
    the address `::10/-128` has no valid number of bits after `/-`
      write a number of bits from 1 to 127 after `/-`
    the address `::10/-` has no valid number of bits after `/-`
      write a number of bits from 1 to 127 after `/-`
    the address `::10/-064` has no valid number of bits after `/-`
      write a number of bits from 1 to 127 after `/-`
    `example.org` is not an address
      write the address itself: qosc does not look up names
    `printer` is not an address
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `..` has 0 numbers, not 4
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5/24/24` has no valid prefix length after `/`
      write a number from 0 to 32 after `/`
    the address `192.168.1.5, ::1` contains several addresses
      write a list: `[192.168.1.5, "::1"]`
    the address `::10/64` has bits set beyond its prefix length
      write `::10/-64` to match this interface part under any prefix
    "#);
}

#[test]
fn invalid_families_are_explained() {
    assert_snapshot!(shown::<Family>(&["", "4", "inet6", "both", "ipx"]), @"
    the family is empty
      write `ipv4` or `ipv6`
    there is no family named `4`
      did you mean `ipv4`?
    there is no family named `inet6`
      did you mean `ipv6`?
    there is no family named `both`
      leave `family` out to match both
    there is no family named `ipx`
      write `ipv4` or `ipv6`
    ");
}

#[test]
fn invalid_mac_addresses_are_explained() {
    assert_snapshot!(shown::<Mac>(&[
        "", "02:00:5e:10:00", "02:00:5e:10:00:01:02", "0200.5e10.0001", "02005e100001", "02:00-5e:10:00:01", "2:0:5e:10:0:1",
        "01:00:5e:00:00:fb", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "02:00:5e:10:00:0g", "router",
    ]), @"
    the MAC address is empty
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `02:00:5e:10:00` has 10 digits, not 12
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `02:00:5e:10:00:01:02` has 14 digits, not 12
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `0200.5e10.0001` is not written as six pairs of digits
      write `02:00:5e:10:00:01`
    the MAC address `02005e100001` is not written as six pairs of digits
      write `02:00:5e:10:00:01`
    the MAC address `02:00-5e:10:00:01` is not written as six pairs of digits
      write `02:00:5e:10:00:01`
    the MAC address `2:0:5e:10:0:1` has 8 digits, not 12
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `01:00:5e:00:00:fb` is a group address, not the address of one device
      `ip neigh` lists the addresses of the devices that the router knows
    the MAC address `ff:ff:ff:ff:ff:ff` is a group address, not the address of one device
      `ip neigh` lists the addresses of the devices that the router knows
    the MAC address `00:00:00:00:00:00` belongs to no device
      `ip neigh` lists the addresses of the devices that the router knows
    the MAC address `02:00:5e:10:00:0g` has `g` in it
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `router` has `r` in it
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    ");
}

#[test]
fn invalid_names_are_explained() {
    assert_snapshot!(shown::<IfName>(&[
        "", ".", "eth0.2@eth0", "eth0:1", "eth 0", "a/b", "$(reboot)", "ä0", "-x", "averyveryverylongname", "a\u{1b}b", "a\nb", "a`b", "\u{201c}ppp0\u{201d}", "\u{ab}a b\u{bb}",
    ]), @"
    the device name is empty
      write a device that `ip link` lists, such as `eth0`
    the device name `.` is not possible: the kernel refuses it
      write a device that `ip link` lists, such as `eth0`
    the device name `eth0.2@eth0` ends with the parent device, which `ip link` prints after `@`
      write `eth0.2`
    the device name `eth0:1` contains `:`
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `eth 0` contains a space
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `a/b` contains `/`
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `$(reboot)` contains `$`
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `ä0` contains `ä`
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `-x` begins with `-`, which programs read as an option
      write a device that `ip link` lists, such as `eth0`
    the device name `averyveryverylongname` has 21 characters, but the kernel allows at most 15
      write a device that `ip link` lists, such as `eth0`
    the device name `a<ESC>b` contains the character U+001B
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `a<LF>b` contains a line break
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `a`b` contains a backquote
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    the device name `“ppp0”` is in quotes that are letters to YAML
      write `ppp0`
    the device name `«a b»` contains `«`
      write letters, digits, `.`, `-`, `_`, `+` and `^` only
    ");
    assert_snapshot!(shown::<LinkName>(&["", "Home.", "my home", "2nd-link", "my-holiday-home-in-the-far-north-of-it", "…", "a\tb", "h\u{e9}"]), @"
    the link name is empty
      write a name that begins with a letter, such as `home`
    the link name `Home.` contains `.`; allowed are the letters a to z, digits, `-` and `_`
      write a name such as `home`
    the link name `my home` contains a space; allowed are the letters a to z, digits, `-` and `_`
      write a name such as `my-home`
    the link name `2nd-link` does not begin with a letter
      write a name such as `link-2nd-link`
    the link name `my-holiday-home-in-the-far-north-of-it` has 38 characters, but at most 32 are allowed
      write a name such as `my-holiday-home-in-the-far-north`
    the link name `…` contains `…`; allowed are the letters a to z, digits, `-` and `_`
      write a name that begins with a letter, such as `home`
    the link name `a	b` contains a tab; allowed are the letters a to z, digits, `-` and `_`
      write a name such as `ab`
    the link name `hé` contains `é`; allowed are the letters a to z, digits, `-` and `_`
      write a name such as `h`
    ");
}
