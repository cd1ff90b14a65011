//! Tests with tables as people and programs write them.

use super::{Size, read};

fn rows(text: &str, size: Size) -> Vec<(u64, f64)> {
    read(text, size).expect("a table").rows.iter().map(|row| (row.ip, row.pps)).collect()
}

fn slips(text: &str, size: Size) -> Vec<(usize, std::ops::Range<usize>, String)> {
    let slips = read(text, size).expect_err("slips");
    slips.into_iter().map(|slip| (slip.line, slip.place, slip.message)).collect()
}

#[test]
fn sizes_are_converted_to_ip_packet_sizes() {
    assert_eq!(Size::Ip.ip(28), Some(28));
    assert_eq!(Size::Udp.ip(0), Some(28));
    assert_eq!(Size::Udp6.ip(0), Some(48));
    assert_eq!(Size::Frame.ip(64), Some(50));
    assert_eq!(
        (Size::Ip.ip(19), Size::Ip.ip(65536), Size::Frame.ip(33), Size::Frame.ip(13)),
        (None, None, None, None)
    );
    assert_eq!(Size::Udp.ip(u64::MAX), None);
}

#[test]
fn columns_are_taken_from_the_header() {
    assert_eq!(rows("pps;size\n5.5e3;64\n", Size::Ip), [(64, 5500.0)]);
    assert_eq!(rows("\"size\",\"bps\"\n\"64\",\"512000\"\n", Size::Ip), [(64, 1000.0)]);
    assert_eq!(rows("\" 64 \",\" 1000\"\n", Size::Ip), [(64, 1000.0)]);
    // UDP payloads, with rates in bits per second
    assert_eq!(rows("64,,512000\n", Size::Udp), [(92, 1000.0)]);
    assert_eq!(rows("size time pps\n64 12:00 1000\n", Size::Ip), [(64, 1000.0)]);
    assert_eq!(rows("64 1000 # at night\n# 65 1\n", Size::Ip), [(64, 1000.0)]);
}

#[test]
fn errors_point_at_their_place() {
    let said = slips("size,rate\n", Size::Ip);
    assert_eq!(said, [(1, 0..4, "there is no column `pps`".to_owned())]);
    let said = slips("64, x\n 6x,1\n\n64,0\n64,inf\n", Size::Ip);
    let places: Vec<_> = said.iter().map(|(line, place, _)| (*line, place.clone())).collect();
    assert_eq!(places, [(1, 4..5), (2, 1..3), (4, 3..4), (5, 3..6)]);
    assert_eq!(slips("# nothing\n", Size::Ip), [(1, 0..1, "there are no measurements".to_owned())]);
    assert_eq!(slips("ü,ü\n64,1\n", Size::Ip).len(), 1);
    // a file of another kind gets a limited number of errors
    assert_eq!(slips(&"x,y\n1;2\n".repeat(500), Size::Ip).len(), 20);
}

#[test]
fn bit_rates_of_another_kind_of_size_are_noted() {
    let table = |more: f64| {
        let row = |size: f64| format!("{size},1000,{:.0}\n", (size + more) * 8000.0);
        read(&[64.0, 128.0, 512.0].map(row).concat(), Size::Ip).expect("a table").notes
    };
    assert!(table(0.0).is_empty());
    for (more, words) in [
        (28.0, "`--size udp`"),
        (48.0, "`--size udp6`"),
        (-14.0, "`--size frame`"),
        (99.0, "99 bytes longer"),
    ] {
        let notes = table(more);
        assert!(matches!(notes.as_slice(), [note] if note.contains(words)), "{notes:?}");
    }
}
