//! Random queues for random configurations.

use super::Random;

/// Any kind of queue and of sharing, as lines of a class.
pub fn shared(random: &mut Random) -> Vec<String> {
    if random.chance(15) {
        return vec![format!("queue: {{ up: {}, down: {} }}", queue(random), queue(random))];
    }
    if !random.chance(30) {
        return vec![format!("queue: {}", queue(random))];
    }
    let mut lines = vec!["share: per-host".to_owned()];
    if random.chance(50) {
        lines.push(format!("queue: {}", any_cake(random)));
    }
    lines
}

/// Any kind of queue.
fn queue(random: &mut Random) -> String {
    match random.within(0, 5) {
        0 => format!("{{ kind: fifo, limit: {} }}", random.within(20, 500)),
        1 => any_cake(random),
        _ => fq_codel(random, ""),
    }
}

fn any_cake(random: &mut Random) -> String {
    let rtt = random.within(20, 200);
    let diffserv = random.pick(&["besteffort", "diffserv3", "diffserv4", "diffserv8"]);
    cake(random, rtt, diffserv)
}

/// A CAKE with this round-trip time in milliseconds and these tins, which cannot change without a loss.
pub fn cake(random: &mut Random, rtt: u64, diffserv: &str) -> String {
    format!(
        "{{ kind: cake, rtt: {rtt}ms, diffserv: {diffserv}, ack_filter: {}, wash: {} }}",
        random.pick(&["true", "false"]),
        random.pick(&["true", "false"])
    )
}

/// An fq_codel with these times, or with any times and number of flows. The number of flows is fixed when the queue is
/// made.
pub fn fq_codel(random: &mut Random, times: &str) -> String {
    let mut words = vec!["kind: fq_codel".to_owned()];
    if !times.is_empty() {
        words.push(times.to_owned());
    } else {
        if random.chance(40) {
            words.push(format!("target: {}ms", random.within(5, 20)));
            words.push(format!("interval: {}ms", random.within(100, 300)));
        }
        if random.chance(30) {
            words.push(format!("flows: {}", random.pick(&[64, 256, 512])));
        }
    }
    if random.chance(40) {
        words.push(format!("limit: {}", random.within(200, 2000)));
    }
    if random.chance(40) {
        words.push(format!("quantum: {}", random.within(300, 1514)));
    }
    if random.chance(40) {
        words.push(format!("ecn: {}", random.pick(&["true", "false"])));
    }
    if random.chance(30) {
        words.push(format!("memory: {}MiB", random.within(1, 8)));
    }
    format!("{{ {} }}", words.join(", "))
}
