//! Messages about addresses and names.

use super::super::{Address, Family, IfName, LinkName, Mac};
use super::told;
use insta::assert_snapshot;

#[test]
fn addresses() {
    assert_snapshot!(told::<Address>(&[
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
      write `192.168.1.0/24` for the network
      write `192.168.1.5` for the one address
    the address `192.168.1.0/33` has a prefix longer than its 32 bits
      write a number from 0 to 32 behind `/`
    the address `192.168.1.0/` does not have one number behind `/`
      write a number from 0 to 32
    the address `192.168.1.0/024` has a prefix length that begins with a zero
      leave the zero out
    the address `192.168.1.0/255.255.255.0` has a netmask instead of a prefix length
      write `192.168.1.0/24`
    the address `192.168.1.0/255.0.255.0` has a netmask instead of a prefix length
      write a number from 0 to 32 behind `/`
    the address `192.168.001.005/32` has a number that begins with a zero, which some programs read as octal
      write `192.168.1.5/32`
    the address `192.168.1` has 3 numbers, not 4
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.256` has `256` in it, above 255
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5.6` has 5 numbers, not 4
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5:80` has a port behind it
      ports have keys of their own: `local_port`, `remote_port`, `port`
    the address `192.168.1.1-192.168.1.9` is a range
      write a prefix, or a list of prefixes and addresses
    the address `10.0.0.1/-8` counts its bits from the end, which only IPv6 addresses do
      write a prefix such as `192.168.1.0/24`
    the address `2001:db8::1/64` has bits set beyond its prefix length
      write `2001:db8::/64` for the network
      write `2001:db8::1` for the one address
    the address `2001:db8::/129` has a prefix longer than its 128 bits
      write a number from 0 to 128 behind `/`
    the address `2001:db8:::1` is not an IPv6 address
      write eight groups of up to four hexadecimal digits, with `::` at most once for groups of zeros
    the address `[2001:db8::1]` has brackets around it
      write `2001:db8::1`
    the address `[2001:db8::1]:80` has a port behind it
      ports have keys of their own: `local_port`, `remote_port`, `port`
    the address `fe80::1%eth0` names a device behind `%`
      write `fe80::1`
    the address `::ffff:192.168.1.5` is an IPv4 address in IPv6 dress, which no packet carries
      write `192.168.1.5`
    the address `::ffff:192.168.1.5/120` is an IPv4 address in IPv6 dress, which no packet carries
      write `192.168.1.0/24`
    the address `::1:0:0:0:10/-64` has bits set before its last 64
      write `::10/-64` to leave them out
    the address `::10/-0` does not say how many bits at its end count
      write a number from 1 to 127 behind `/-`
    the address `::10/-128` does not say how many bits at its end count
      write a number from 1 to 127 behind `/-`
    the address `::10/-` does not say how many bits at its end count
      write a number from 1 to 127 behind `/-`
    the address `::10/-064` does not say how many bits at its end count
      write a number from 1 to 127 behind `/-`
    `example.org` is not an address
      names are not looked up; write the address itself
    `printer` is not an address
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `..` has 0 numbers, not 4
      write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`
    the address `192.168.1.5/24/24` does not have one number behind `/`
      write a number from 0 to 32
    the address `192.168.1.5, ::1` is more than one
      write a list: `[192.168.1.5, "::1"]`
    the address `::10/64` has bits set beyond its prefix length
      write `::10/-64` for this interface part under any prefix
    "#);
}

#[test]
fn families() {
    assert_snapshot!(told::<Family>(&["", "4", "inet6", "both", "ipx"]), @"
    the family is empty
      the families are `ipv4` and `ipv6`
    there is no family named `4`
      did you mean `ipv4`?
    there is no family named `inet6`
      did you mean `ipv6`?
    there is no family named `both`
      leave `family` out to take both
    there is no family named `ipx`
      the families are `ipv4` and `ipv6`
    ");
}

#[test]
fn macs() {
    assert_snapshot!(told::<Mac>(&[
        "", "02:00:5e:10:00", "02:00:5e:10:00:01:02", "0200.5e10.0001", "02005e100001", "02:00-5e:10:00:01", "2:0:5e:10:0:1",
        "01:00:5e:00:00:fb", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "02:00:5e:10:00:0g", "router",
    ]), @"
    the MAC address is empty
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `02:00:5e:10:00` has 10 digits, not 12
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `02:00:5e:10:00:01:02` has 14 digits, not 12
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `0200.5e10.0001` is not in pairs
      write `02:00:5e:10:00:01`
    the MAC address `02005e100001` is not in pairs
      write `02:00:5e:10:00:01`
    the MAC address `02:00-5e:10:00:01` is not in pairs
      write `02:00:5e:10:00:01`
    the MAC address `2:0:5e:10:0:1` has 8 digits, not 12
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `01:00:5e:00:00:fb` is that of a group, not of one device
      `ip neigh` lists the addresses of the devices that were seen
    the MAC address `ff:ff:ff:ff:ff:ff` is that of a group, not of one device
      `ip neigh` lists the addresses of the devices that were seen
    the MAC address `00:00:00:00:00:00` is no device's
      `ip neigh` lists the addresses of the devices that were seen
    the MAC address `02:00:5e:10:00:0g` has `g` in it
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    the MAC address `router` has `r` in it
      write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`
    ");
}

#[test]
fn names() {
    assert_snapshot!(told::<IfName>(&[
        "", ".", "eth0.2@eth0", "eth0:1", "eth 0", "a/b", "$(reboot)", "ä0", "-x", "averyveryverylongname", "a\u{1b}b", "a\nb", "a`b",
    ]), @"
    the device name is empty
      `ip link` lists the devices
    the device name `.` is a directory, which the kernel refuses
      `ip link` lists the devices
    the device name `eth0.2@eth0` has its parent behind it, as `ip link` prints it
      write `eth0.2`
    the device name `eth0:1` has `:` in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `eth 0` has a space in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `a/b` has `/` in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `$(reboot)` has `$` in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `ä0` has `ä` in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `-x` begins with `-`, which tools take for an option
      `ip link` lists the devices
    the device name `averyveryverylongname` has 21 characters, and the kernel takes 15
      `ip link` lists the devices
    the device name `a<ESC>b` has the character U+001B in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `a<LF>b` has a line break in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    the device name `a`b` has a backquote in it
      a device name has letters, digits, `.`, `-`, `_`, `+` and `^`
    ");
    assert_snapshot!(told::<LinkName>(&["", "Home", "my_home", "2nd-link", "my-holiday-home", "…", "a\tb", "h\u{e9}"]), @"
    the link name is empty
      a link name begins with a letter, such as `home`
    the link name `Home` has capitals in it
      write `home`, say
    the link name `my_home` has `_` in it; letters a to z, digits and `-` are allowed
      write `my-home`, say
    the link name `2nd-link` does not begin with a letter
      write `nd-link`, say
    the link name `my-holiday-home` has 15 characters, and 10 fit into the device name `ifb-NAME`
      write `my-holiday`, say
    the link name `…` has `…` in it; letters a to z, digits and `-` are allowed
      a link name begins with a letter, such as `home`
    the link name `a	b` has a tab in it; letters a to z, digits and `-` are allowed
      write `ab`, say
    the link name `hé` has `é` in it; letters a to z, digits and `-` are allowed
      write `h`, say
    ");
}
