//! Tests of the packet sizes.

use super::{is_plain, payloads};

#[test]
fn the_sizes_cover_every_cell_step_and_fit_every_line() {
    let sizes: Vec<u64> = payloads().into_iter().map(|payload| payload + 28).collect();
    let phases: std::collections::BTreeSet<u64> =
        sizes.iter().filter(|ip| **ip <= 76).map(|ip| ip % 48).collect();
    assert_eq!(phases.len(), 48);
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!((sizes.first(), sizes.last()), (Some(&28), Some(&1492)));
}

#[test]
fn only_plain_host_names_are_accepted() {
    assert!(
        ["far.example.org", "198.51.100.9", "2001:db8::1", "fe80::1%eth0", "a-b_c"]
            .iter()
            .all(|host| is_plain(host))
    );
    assert!(["", "-x", "a b", "a;b", "$x", "`x`", "a'b", "a\nb", "ü"].iter().all(|host| !is_plain(host)));
}
