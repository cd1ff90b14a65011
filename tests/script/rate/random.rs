//! Random configurations, as text.

use proptest::prelude::*;

/// Stands for shaped rates instead of line rates and a margin.
const SHAPED: &str = "shaped";

/// A rate above `least`, by at most 69 gbit, with any last digits.
pub fn rate(least: u64) -> impl Strategy<Value = u64> {
    (0u32..36, 0u64..1000).prop_map(move |(steps, rest)| least + (1u64 << steps) * (1000 + rest) / 1000)
}

fn amount(most: u32, fixed: u64) -> BoxedStrategy<String> {
    prop_oneof![
        3 => (1u32..most * 10_000).prop_map(|ppm| format!("{}.{:04}%", ppm / 10_000, ppm % 10_000)),
        1 => (8_000..fixed).prop_map(|bps| format!("{bps}bit")),
    ]
    .boxed()
}

/// The same amount for both directions, one for each, or one for uploads only.
fn both(amount: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    prop_oneof![
        amount.clone(),
        (amount.clone(), amount.clone()).prop_map(|(up, down)| format!("{{ up: {up}, down: {down} }}")),
        amount.prop_map(|up| format!("{{ up: {up} }}")),
    ]
}

fn queue() -> impl Strategy<Value = String> {
    let option = |name: &'static str, values: &'static [&'static str]| {
        prop::option::of(prop::sample::select(values))
            .prop_map(move |value| value.map(|v| format!("{name}: {v}")))
    };
    let fq_codel = (
        option("target", &["3ms", "5ms", "7.5ms", "80ms"]),
        option("interval", &["90ms", "100ms", "9s", "4000s"]),
        option("limit", &["700", "5000"]),
        option("quantum", &["300", "1514"]),
        option("memory", &["2MiB", "100000"]),
    )
        .prop_map(|(a, b, c, d, e)| {
            let options: Vec<String> = [a, b, c, d, e].into_iter().flatten().collect();
            format!(", queue: {{ fq_codel: {{ {} }} }}", options.join(", "))
        });
    prop_oneof![
        4 => Just(String::new()),
        3 => fq_codel,
        1 => Just(", queue: cake".to_owned()),
        1 => Just(", share: per-host".to_owned()),
        1 => Just(", queue: { cake: { rtt: 300ms } }".to_owned()),
        1 => Just(", queue: fifo".to_owned()),
        1 => Just(", queue: { fifo: { limit: 99 } }".to_owned()),
        1 => Just(", share: { up: per-flow, down: per-host }".to_owned()),
        1 => Just(", queue: { up: { fifo: { limit: 99 } }, down: { target: 7ms, ecn: false } }".to_owned()),
        1 => Just(", queue: { down: { cake: { rtt: 300ms } } }".to_owned()),
    ]
}

/// A guarantee. One in eight is that of a class or host which only borrows.
fn guarantee(most: u32, fixed: u64) -> BoxedStrategy<String> {
    prop_oneof![7 => amount(most, fixed), 1 => Just("0%".to_owned())].boxed()
}

/// A class on one line. `NAME` stands for its name and for those of the classes inside, which are numbered later.
fn class(depth: u32) -> BoxedStrategy<String> {
    let rates =
        (prop::option::of(both(guarantee(30, 30_000))), prop::option::of(both(amount(100, 9_000_000))));
    let rates = rates.prop_map(|(guarantee, ceiling)| {
        let guarantee = guarantee.map(|g| format!(", guarantee: {g}")).unwrap_or_default();
        guarantee + &ceiling.map(|c| format!(", ceiling: {c}")).unwrap_or_default()
    });
    let inside = match depth {
        0 => queue().boxed(),
        _ => prop_oneof![
            2 => queue(),
            1 => prop::collection::vec(class(depth - 1), 1..4).prop_map(|inside| format!(", classes: {{ {} }}", inside.join(", "))),
        ]
        .boxed(),
    };
    (rates, inside).prop_map(|(rates, inside)| format!("NAME: {{ priority: 3{rates}{inside} }}")).boxed()
}

fn police() -> impl Strategy<Value = String> {
    let direction = prop::sample::select(vec!["up", "down"]);
    let burst = prop::sample::select(vec!["", ", burst: 70000", ", burst: 2000000"]);
    let bypass = prop::sample::select(vec!["", ", bypass: true"]);
    (direction, amount(20, 900_000), burst, bypass).prop_map(|(direction, rate, burst, bypass)| {
        format!(
            "NAME: {{ direction: {direction}, match: {{ protocol: [6, 17] }}, rate: {rate}{burst}{bypass} }}"
        )
    })
}

/// A host with a small guarantee and a ceiling of at least half, so that most hosts fit into their class.
fn host() -> impl Strategy<Value = String> {
    let ceiling = (500_000u32..1_000_000).prop_map(|ppm| format!("{}.{:04}%", ppm / 10_000, ppm % 10_000));
    let rates = (prop::option::of(both(guarantee(4, 8_100))), prop::option::of(both(ceiling.boxed())));
    rates.prop_map(|(guarantee, ceiling)| {
        let guarantee = guarantee.map(|g| format!(", guarantee: {g}")).unwrap_or_default();
        let ceiling = ceiling.map(|c| format!(", ceiling: {c}")).unwrap_or_default();
        format!("HOST: {{ address: 10.0.0.HOST{guarantee}{ceiling} }}")
    })
}

/// A configuration as text.
pub fn configuration() -> impl Strategy<Value = String> {
    let profile = prop::sample::select(vec![
        "ethernet",
        "docsis",
        "vdsl2-pppoe",
        "adsl-pppoa-vcmux",
        "adsl-pppoe-llc",
        "wireless",
        "conservative",
    ]);
    let margin = prop::sample::select(vec![
        "",
        ", margin: 0.0001%",
        ", margin: { up: 33.3333%, down: 7.77% }",
        SHAPED,
    ]);
    let ingress = prop::sample::select(vec!["shape", "shape", "police", "none"]);
    let offloads = prop::sample::select(vec!["auto", "keep"]);
    let classes = prop::collection::vec(class(2), 0..5);
    let police = prop::collection::vec(police(), 0..4);
    let hosts = prop_oneof![4 => Just(Vec::new()), 1 => prop::collection::vec(host(), 1..5)];
    (profile, margin, ingress, 68u32..9000, offloads, (rate(200_000), rate(200_000)), classes, (police, hosts)).prop_map(
        |(profile, margin, ingress, mtu, offloads, (up, down), classes, (police, hosts))| {
            let rates = match margin {
                SHAPED => format!("shaped: {{ up: {up}bit, down: {down}bit }}"),
                _ => format!("up: {up}bit, down: {down}bit{margin}"),
            };
            let mut yaml = format!(
                "link: {{ device: eth0, profile: {profile}, {rates}, ingress: {ingress}, mtu: {mtu} }}\n\
                 lan: {{ nat: false }}\ntuning: {{ offloads: {offloads} }}\nclasses:\n  rest: {{ default: true }}\n"
            );
            for class in classes {
                yaml += &format!("  {class}\n");
            }
            if !hosts.is_empty() {
                yaml += "hosts:\n";
            }
            for (number, host) in hosts.iter().enumerate() {
                let host = host.replacen("HOST", &format!("h{number}"), 1).replacen("HOST", &number.to_string(), 1);
                yaml += &format!("  {host}\n");
            }
            if !police.is_empty() {
                yaml += "police:\n";
            }
            for police in police {
                yaml += &format!("  {police}\n");
            }
            let mut number = 0;
            while yaml.contains("NAME") {
                number += 1;
                yaml = yaml.replacen("NAME", &format!("n{number}"), 1);
            }
            yaml
        },
    )
}
