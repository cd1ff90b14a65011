//! Messages about rates, percentages, times and sizes.

use super::super::{Bytes, Micros, Percent, Rate};
use super::shown;
use insta::assert_snapshot;

#[test]
fn invalid_rates_are_explained() {
    assert_snapshot!(shown::<Rate>(&[
        "", "fast", "25", "6.5", "25/s", "0", "0.001", "-5mbit", "-0mbit", "-5", "-0.001mbit", "+5mbit", ".5mbit", "5.mbit", "1.2.3mbit", "1e3kbit", "1.5e3kbit",
        "1_000kbit", "6,5mbit", "6,500kbit", "6,500.5kbit", "1,000,000bit", "010mbit", "00mbit", "0x10", "0xggbit", "25mbps", "1.5MB/s", "2Mb",
        "10kbytes", "10mibit", "1kibit", "1.0001kibit", "20%", "25m", "25mbits", "25mbit/sec", "25 Mbit/Sek", "400kbit/1mbit", "400kbit/fast", "25 mibt", "25 parsecs", "1tbit",
        "0.5bit", "99999999999gbit", "9223372036854775808bit", "\u{661}mbit", "25m\u{130}bit",
        "99999999999999999999999999999999999999999999999999mbps", "0.0000000000000000000001gbit",
    ]), @"
    the rate is empty
      write a number and a unit, such as `6.5mbit` or `400kbit`
    `fast` is not a rate: it does not begin with a number
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `25` has no unit
      write `25mbit` if you mean megabits per second
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `6.5` has no unit
      write `6.5mbit` if you mean megabits per second
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `25/s` has no unit
      write `25mbit` if you mean megabits per second
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `0` has no unit
      write a number and a unit, such as `6.5mbit` or `400kbit`
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `0.001` has no unit
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `-5mbit` is negative
      write `5mbit` if the sign is a mistake
    the rate `-0mbit` is negative
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `-5` is negative
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `-0.001mbit` is negative
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `+5mbit` has a sign
      write `5mbit`
    the rate `.5mbit` has no digit before the point
      write `0.5mbit`
    the rate `5.mbit` has no digit after the point
      write `5mbit`
    the rate `1.2.3mbit` has more than one point
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `1e3kbit` has an exponent
      write `1000kbit`
    the rate `1.5e3kbit` has an exponent
      write the number out
    the rate `1_000kbit` has `_` between its digits
      write `1000kbit`
    the rate `6,5mbit` has a comma
      write `6.5mbit`
    the rate `6,500kbit` has a comma
      write `6500kbit` if the comma separates thousands
    the rate `6,500.5kbit` has a comma
      write `6500.5kbit`
    the rate `1,000,000bit` has a comma
      write `1000000bit`
    the rate `010mbit` begins with a zero, which some programs read as octal
      write `10mbit`
    the rate `00mbit` begins with a zero, which some programs read as octal
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `0x10` is hexadecimal
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `0xggbit` is hexadecimal
      write it in decimal
    the rate `25mbps` can mean bits or bytes: `bps` means bytes per second in tc
      write `25mbit` if you mean bits
      write `200mbit` if you mean bytes, which are eight times as much
    the rate `1.5MB/s` can mean bits or bytes
      write `1.5mbit` if you mean bits
      write `12mbit` if you mean bytes, which are eight times as much
    the rate `2Mb` can mean bits or bytes
      write `2mbit` if you mean bits
      write `16mbit` if you mean bytes, which are eight times as much
    the rate `10kbytes` is in bytes, but rates are in bits
      write `80kbit` if you mean bytes, which are eight times as much
    the rate `10mibit` is in powers of 1024
      write `10485.76kbit`, which is the same rate
    the rate `1kibit` is in powers of 1024
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `1.0001kibit` has the unknown unit `kibit`
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    `20%` is a share, but a rate is needed here
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `25m` has the unknown unit `m`
      did you mean `25mbit`?
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `25mbits` has the unknown unit `mbits`
      did you mean `25mbit`?
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `25mbit/sec` has the unknown unit `mbit/sec`
      did you mean `25mbit`?
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `25 Mbit/Sek` has the unknown unit `Mbit/Sek`
      did you mean `25mbit`?
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `400kbit/1mbit` is two rates
      write `400kbit` for `up` and `1mbit` for `down`, or the other way round
    the rate `400kbit/fast` has the unknown unit `kbit/fast`
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `25 mibt` has the unknown unit `mibt`
      did you mean `25mbit`?
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `25 parsecs` has the unknown unit `parsecs`
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `1tbit` has a unit that is too large
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `0.5bit` is not a whole number of bits per second
      remove the decimals below one bit per second
    the rate `99999999999gbit` is too large
      check the number and its unit
    the rate `9223372036854775808bit` is too large
      check the number and its unit
    `١mbit` is not a rate: it does not begin with a number
      write a number and a unit, such as `6.5mbit` or `400kbit`
    the rate `25mİbit` has the unknown unit `mİbit`
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `99999999999999999999999999999999999999999999999999mbps` can mean bits or bytes: `bps` means bytes per second in tc
      the units are `bit`, `kbit`, `mbit` and `gbit`, in powers of 1000
    the rate `0.0000000000000000000001gbit` is not a whole number of bits per second
      remove the decimals below one bit per second
    ");
}

#[test]
fn invalid_percentages_are_explained() {
    assert_snapshot!(shown::<Percent>(&["", "20", "0.5", "120%", "100.0001%", "20mbit", "-1%", "2,5%", "05%", "0.00001%", "%"]), @"
    the percentage is empty
      write a number from 0 to 100 and `%`, such as `20%`
    the percentage `20` has no `%`
      write `20%`
    the percentage `0.5` has no `%`
      write `0.5%`
      write `50%` if you mean a fraction of 1
    the percentage `120%` is above 100 %
      write at most `100%`
    the percentage `100.0001%` is above 100 %
      write at most `100%`
    the percentage `20mbit` ends with `mbit`, not with `%`
      write a number from 0 to 100 and `%`, such as `20%`
    the percentage `-1%` is negative
      write `1%` if the sign is a mistake
    the percentage `2,5%` has a comma
      write `2.5%`
    the percentage `05%` begins with a zero, which some programs read as octal
      write `5%`
    the percentage `0.00001%` has more than four decimals
      round it to four decimals
    `%` is not a percentage: it does not begin with a number
      write a number from 0 to 100 and `%`, such as `20%`
    ");
}

#[test]
fn invalid_times_are_explained() {
    assert_snapshot!(shown::<Micros>(&["", "5", "5µs", "5 msec", "5min", "1.5us", "-5ms", "99999999999999999999s", "1e3us"]), @"
    the time is empty
      write a number and a unit, such as `5ms`
    the time `5` has no unit
      write `5ms` if you mean milliseconds
      the units are `us`, `ms` and `s`
    the time `5µs` has the unknown unit `µs`
      write `5us`
    the time `5 msec` has the unknown unit `msec`
      write `5ms`
    the time `5min` has the unknown unit `min`
      the units are `us`, `ms` and `s`
    the time `1.5us` is not a whole number of microseconds
      remove the decimals below one microsecond
    the time `-5ms` is negative
      write `5ms` if the sign is a mistake
    the time `99999999999999999999s` is too large
      check the number and its unit
    the time `1e3us` has an exponent
      write `1000us`
    ");
}

#[test]
fn invalid_sizes_are_explained() {
    assert_snapshot!(shown::<Bytes>(&["", "64k", "1.5 MB", "1500b", "1.5KiB", "1.5", "0.3KiB", "1GiB", "99999999999999999999", "-1"]), @"
    the size is empty
      write a whole number of bytes, such as `1514`, or a number and a unit, such as `64KiB` or `4MiB`
    the size `64k` can mean powers of 1000 or of 1024
      write `64KiB` if you mean powers of 1024
      write `64000` if you mean powers of 1000
    the size `1.5 MB` can mean powers of 1000 or of 1024
      write `1536KiB` if you mean powers of 1024
      write `1500000` if you mean powers of 1000
    the size `1500b` needs no unit
      write `1500`
    the size `1.5KiB` has decimals
      write `1536`
    the size `1.5` is not a whole number of bytes
      write a whole number of bytes, such as `1514`, or a number and a unit, such as `64KiB` or `4MiB`
    the size `0.3KiB` is not a whole number of bytes
      write a whole number of bytes, such as `1514`, or a number and a unit, such as `64KiB` or `4MiB`
    the size `1GiB` has a unit that is too large
      write `1024MiB`
    the size `99999999999999999999` is too large
      check the number and its unit
    the size `-1` is negative
      write `1` if the sign is a mistake
    ");
}
