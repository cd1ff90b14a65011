//! Messages about fields of packets.

use super::super::{Dscp, LengthRange, Mark, PortRange, PortSet, Protocol};
use super::shown;
use insta::assert_snapshot;

#[test]
fn invalid_dscps_are_explained() {
    assert_snapshot!(shown::<Dscp>(&["", "be", "af14", "cs8", "fe", "af", "expedited", "184", "0xb8", "0x2e", "0x10", "0x0", "65", "300", "-1", "1.5", "07", "46 ef", "46,34", "ef cs5"]), @"
    the DSCP is empty
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    there is no DSCP named `be`
      write `cs0` for best effort
    there is no DSCP named `af14`
      the AF code points are `af11` to `af43`: a class from 1 to 4 and a drop precedence from 1 to 3
    there is no DSCP named `cs8`
      the class selectors are `cs0` to `cs7`
    there is no DSCP named `fe`
      did you mean `ef`?
    there is no DSCP named `af`
      the AF code points are `af11` to `af43`: a class from 1 to 4 and a drop precedence from 1 to 3
    there is no DSCP named `expedited`
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `184` is above the largest, 63
      write `ef` if `184` is a TOS byte
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `0xb8` is above the largest, 63
      write `ef` if `0xb8` is a TOS byte
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `0x2e` is hexadecimal
      write `ef`
    the hexadecimal number `0x10` can be a TOS byte or a DSCP
      write `4` if `0x10` is a TOS byte, the DSCP times 4
      write `cs2` if `0x10` is the DSCP 16
    the DSCP `0x0` is hexadecimal
      write `cs0`
    the DSCP `65` is above the largest, 63
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `300` is above the largest, 63
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `-1` is negative
      write `1` if the sign is a mistake
    the DSCP `1.5` is not a whole number
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `07` begins with a zero, which some programs read as octal
      write `7`
    the DSCP `46 ef` has `ef` after its number
      write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63
    the DSCP `46,34` has a comma
      for several values, write a list: `[46, 34]`
    there is no DSCP named `ef cs5`
      for several values, write a list: `[ef, cs5]`
    ");
}

#[test]
fn invalid_protocols_are_explained() {
    assert_snapshot!(shown::<Protocol>(&["", "tpc", "any", "icmp6", "quic", "tcp/udp", "tcp, udp", "bittorrent", "256", "-1", "006", "6.5", "6,17"]), @"
    the protocol is empty
      write a name such as `tcp` or `udp`, or a number from 0 to 255
    there is no protocol named `tpc`
      did you mean `tcp`?
    there is no protocol named `any`
      leave `protocol` out to match every protocol
    there is no protocol named `icmp6`
      did you mean `icmpv6`?
    there is no protocol named `quic`
      QUIC uses UDP: write `udp`
    there is no protocol named `tcp/udp`
      for several values, write a list: `[tcp, udp]`
    there is no protocol named `tcp, udp`
      for several values, write a list: `[tcp, udp]`
    there is no protocol named `bittorrent`
      the names are `tcp`, `udp`, `icmp`, `icmpv6`, `igmp`, `ipip`, `ipv6`, `gre`, `esp`, `ah`, `sctp`, `dccp`, `ospf`, `udplite` or `l2tp`
      for another protocol, write its number, from 0 to 255
    the protocol `256` is above the largest, 255
      write a name such as `tcp` or `udp`, or a number from 0 to 255
    the protocol `-1` is negative
      write `1` if the sign is a mistake
    the protocol `006` begins with a zero, which some programs read as octal
      write `6`
    the protocol `6.5` is not a whole number
      write a name such as `tcp` or `udp`, or a number from 0 to 255
    the protocol `6,17` has a comma
      for several values, write a list: `[6, 17]`
    ");
}

#[test]
fn invalid_ports_are_explained() {
    assert_snapshot!(shown::<PortRange>(&[
        "", "0", "0-1023", "65536", "5061-5060", "5060:5061", "5060..5061", "5060–5061", "1024-", "-1024", "https", "53/udp",
        "53.5", "053", "any", "1-2-3", "53,80",
    ]), @"
    the port is empty
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port `0` is not possible: the lowest port is 1
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port `0-1023` is not possible: the lowest port is 1
      write `1-1023`
    the port `65536` is above the largest, 65535
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the first number of the port `5061-5060` is above the last
      write `5060-5061`
    the port `5060:5061` needs a hyphen between its ends
      write `5060-5061`
    the port `5060..5061` needs a hyphen between its ends
      write `5060-5061`
    the port `5060–5061` needs a hyphen between its ends
      write `5060-5061`
    the port `1024-` has no end
      write `1024-65535`
    the port `-1024` is negative
      write `1024` if the sign is a mistake
    the port `https` is a name, not a number
      write `443`
    the port `53/udp` names a protocol
      write `53`, without the protocol
    the port `53.5` is not a whole number
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port `053` begins with a zero, which some programs read as octal
      write `53`
    `any` is not a port: it does not begin with a number
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port `1-2-3` has more than one hyphen
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port `53,80` has a comma
      for several values, write a list: `[53, 80]`
    ");
    assert_snapshot!(shown::<PortSet>(&["", "53,", "53, ssh"]), @"
    the port is empty
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port is empty
      write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`
    the port `ssh` is a name, not a number
      write `22`
    ");
}

#[test]
fn invalid_lengths_are_explained() {
    assert_snapshot!(shown::<LengthRange>(&[
        "", "<0", ">65535", "<65537", ">=65536", "128-64", "≤127", "=64", "64..128", "<", "128 bytes", "-5", "64-",
    ]), @"
    the length is empty
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the length `<0` matches no packet: none is shorter than 0 bytes
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the length `>65535` matches no packet: none is longer than 65535 bytes
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the length `<65537` is above 65535 bytes, the longest packet
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the length `>=65536` is above 65535 bytes, the longest packet
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the first number of the length `128-64` is above the last
      write `64-128`
    the length `≤127` begins with `≤`
      write `<=127`
    the length `=64` begins with `=`
      write `64`
    the length `64..128` needs a hyphen between its ends
      write `64-128`
    the length `<` has no number
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the length `128 bytes` has `bytes` after its number
      write `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`
    the length `-5` is negative
      write `5` if the sign is a mistake
    the length `64-` has no end
      write `64-65535`
    ");
}

#[test]
fn invalid_marks_are_explained() {
    assert_snapshot!(shown::<Mark>(&["", "0x10/0x0f", "5/0", "0x", "0xg1", "0x100000000", "4294967296", "10/", "-1", "010", "/0xff"]), @"
    the mark is empty
      write a value and a mask, such as `0x10/0xff`, or a value alone
    the mark `0x10/0x0f` has bits outside its mask, so that no packet can match
      write `0x0/0xf` or `0x10/0x1f`
    the mark `5/0` has an empty mask, which matches every packet
      leave `mark` out to match every mark
    the mark `0x` is not hexadecimal
      write digits and the letters a to f after `0x`, such as `0x10`
    the mark `0xg1` is not hexadecimal
      write digits and the letters a to f after `0x`, such as `0x10`
    the mark `0x100000000` is above the largest, 0xffffffff
      write at most 8 digits after `0x`: a mark has 32 bits
    the mark `4294967296` is above the largest, 4294967295
      write a value and a mask, such as `0x10/0xff`, or a value alone
    the mask of the mark is empty
      write the bits to compare, such as `0xff`
    the mark `-1` is negative
      write `1` if the sign is a mistake
    the mark `010` begins with a zero, which some programs read as octal
      write `10`
    the mark is empty
      write a value and a mask, such as `0x10/0xff`, or a value alone
    ");
}
