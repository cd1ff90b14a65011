//! The kernel holds every number at its limits unchanged, and another number beyond them.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::Report;
use crate::samples::extreme;
use qosc_compiler::terms::{Limit, limits};

#[test]
fn the_kernel_holds_the_limits() {
    let [low, high] = [false, true].map(|high| House::of("limits", extreme(high).into_bytes()));
    let calls: String = derived().iter().map(|(call, _)| format!("{call}\n")).collect();
    let guest = low.guest("limits").file("high.sh", high.script.as_str()).file("derived", calls.as_str());
    let Some(report) = guest.run("limits.sh") else { return };
    for (leg, house) in [("low", &low), ("high", &high)] {
        let step = |name: &str| format!("{leg}/{name}");
        report.expect_code(&step("start"), 0);
        expect_held(house, &report, &step("dump"));
        let length = house.program.settings.txqueuelen.expect("a length");
        assert_eq!(report.text(&format!("out/{leg}/queue")).trim(), length.to_string());
        report.expect_code(&step("second"), 0);
        assert!(report.out(&step("second")).contains("up to date"), "{}", report.about(&step("second")));
        report.expect_code(&step("check"), 0);
        report.expect_code(&step("stop"), 0);
    }
    let shown = report.text("out/derived");
    for (call, expected) in derived() {
        assert_shown(&shown, call.strip_prefix("queue ").unwrap_or(&call), &expected);
    }
    beyond(&report);
}

/// Calls of the guest with a derived number at its limit, and the text that the kernel then shows.
fn derived() -> Vec<(String, String)> {
    let ends = |limit: Limit, call: &str, [least, most]: [&str; 2]| {
        [(limit.least, least), (limit.most, most)].map(|(number, expected)| {
            let number = number.to_string();
            (call.replace('@', &number), expected.replace('@', &number))
        })
    };
    let both = |limit: Limit, call: &str, expected: &str| ends(limit, call, [expected; 2]);
    [
        ends(limits::KERNEL_RATE, "rate @bit", ["rate 8bit ", "rate 1Tbit "]),
        both(limits::HTB_QUANTUM, "htb quantum @", "quantum @ "),
        both(limits::DIRECT, "queue htb direct_qlen @", "direct_qlen @"),
        ends(limits::LONG_CODEL_TIME, "queue fq_codel target @us", ["target 1us ", "target 999s "]),
        ends(limits::LONG_CODEL_TIME, "queue fq_codel interval @us", ["interval 1us ", "interval 999s "]),
        ends(limits::CAKE_MEMORY, "queue cake memlimit @", ["memlimit 1b", "memlimit 4096Mb"]),
        ends(limits::POLICE_INDEX, "policer index @", ["police 0x1 ", "police 0x7fffffff "]),
        ends(limits::POLICE_MTU, "policer mtu @", ["mtu 256b ", "mtu 4096Mb "]),
        both(limits::PREFERENCE, "pref @", "pref @ "),
        both(limits::RECEIVE_BUFFER, "setting net/core/rmem_max @", ": @"),
        both(limits::SEND_BUFFER, "setting net/core/wmem_max @", ": @"),
        both(limits::TCP_BUFFER, "setting net/ipv4/tcp_rmem @ @ @", ": @\t@\t@"),
        both(limits::TCP_BUFFER, "setting net/ipv4/tcp_wmem @ @ @", ": @\t@\t@"),
    ]
    .into_iter()
    .flatten()
    .chain([(format!("mark {:#x}", limits::MARK.most), "handle 0xffffffff ".to_owned())])
    .collect()
}

/// Every limit of the table is tried: with the file's numbers at their limits, or with these calls.
#[test]
fn every_limit_is_tried_on_a_kernel() {
    let tried = |limit: &Limit| {
        limit.key.is_some() || derived().iter().any(|(call, _)| call.contains(&limit.most.to_string()))
    };
    let missing: Vec<&str> =
        limits::ALL.iter().filter(|limit| !tried(limit)).map(|limit| limit.words).collect();
    assert_eq!(missing, [""; 0]);
}

/// Asserts that the guest showed a text after a call.
fn assert_shown(shown: &str, call: &str, expected: &str) {
    let start = format!("{call}: ");
    let mut lines = shown.lines().filter(|line| line.starts_with(&start));
    assert!(lines.any(|line| line.contains(expected)), "{call}: no `{expected}` in\n{shown}");
}

/// Without a limit, the kernel would silently hold another number. If a kernel learns to hold one, its limit can go.
fn beyond(report: &Report) {
    let shown = report.text("out/beyond");
    for (what, expected) in [
        ("police burst 34360000", "burst 261b "),
        ("police burst 34359739", "burst 0b "),
        ("police burst 12", "burst 0b "),
        ("htb burst 34359739", "burst 0b/1 "),
        ("htb quantum 2147483648", "quantum -2147483648 "),
        ("htb prio 8", "prio 7 "),
        ("rate 7bit", "\"rate\" is required"),
        ("fq_codel target 1us", "target 0us "),
        ("fq_codel target 1000s", "target 1e+03s "),
        ("fq_codel target 4294967296us", "target 5ms "),
        ("fq_codel memory_limit 2147483649", "memory_limit 2048Mb "),
        ("fq_codel memory_limit 4294967295", "memory_limit 32Mb "),
        ("fq_codel quantum 255", "quantum 256 "),
        ("fq_codel quantum 1048577", "Invalid quantum"),
        ("fq_codel flows 65537", "Invalid argument"),
        ("cake rtt 4294967296us", "rtt 100ms "),
        ("cake memlimit 4294967296", "Illegal value"),
        ("cake overhead 257", "qdisc pfifo_fast "),
        ("cake mpu 257", "qdisc pfifo_fast "),
        ("policer mtu 4294967296", "is wrong: mtu"),
        ("policer mtu 0", "mtu 2Kb "),
        ("pref 65536", "invalid priority value"),
        ("mark 0x100000000", "Illegal \"handle\""),
        ("classid 1:10000", "invalid class ID"),
        ("setting net/core/rmem_max 2303", "I/O error"),
        ("setting net/core/rmem_max 2147483648", "I/O error"),
        ("setting net/core/wmem_max 4607", "I/O error"),
        ("setting net/core/wmem_max 2147483648", "I/O error"),
        ("setting net/ipv4/tcp_rmem 4095 4096 4096", "I/O error"),
        ("setting net/ipv4/tcp_rmem 4096 4096 2147483648", "I/O error"),
        ("setting ../../sys/class/net/try/queues/tx-0/byte_queue_limits/limit_max 1879048193", "I/O error"),
        ("handle ffff:", "Cannot move an existing qdisc"),
        ("txqueuelen 32768", "Numerical result out of range"),
    ] {
        assert_shown(&shown, what, expected);
    }
}
