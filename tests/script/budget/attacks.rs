//! Files of attacks: each was small and took seconds or gigabytes when only single keys had limits.

#![cfg(test)]

use qosc_compiler::layers::Files;

const LINK: &str = "link: { device: eth0, profile: ethernet, up: 10gbit, down: 10gbit }\n";
const REST: &str = "classes:\n  rest: { default: true }\n";

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| format!("  {}\n", line(number))).collect()
}

fn links(count: usize) -> String {
    let link = |n| format!("l{n}: {{ device: e{n}, profile: ethernet, up: 10gbit, down: 10gbit }}");
    format!("links:\n{}", many(count, link))
}

fn variants(count: usize) -> String {
    let variant = |n| format!("v{n}: {{ when: '{n:02}:00-{n:02}:30', set: {{ link: {{ up: 9gbit }} }} }}");
    format!("variants:\n{}", many(count, variant))
}

fn each(count: usize) -> String {
    let host = |n| format!("g{n}: {{ address: 10.{n}.0.0/22, each: {{ ceiling: 1mbit }} }}");
    format!("hosts:\n{}", many(count, host))
}

fn classes(count: usize) -> String {
    REST.to_owned()
        + &many(count, |n| format!("c{n}: {{ match: {{ protocol: tcp, remote_port: {} }} }}", n + 1))
}

fn tunnel(remotes: usize) -> String {
    let remotes: Vec<String> = (0..remotes).map(|n| format!("198.18.{}.{}", n / 250, n % 250 + 1)).collect();
    format!("tunnels:\n  t: {{ kind: ipip, device: tun0, remote: [{}] }}\n", remotes.join(", "))
}

fn templates(count: usize) -> String {
    format!("templates:\n{}", many(count, |n| format!("t{n}: {{}}")))
}

fn uses(count: usize, of: &str) -> String {
    format!("classes:\n{}", many(count, |n| format!("c{n}: {{ template: {of}{n} }}")))
}

/// Included files with thousands of hosts.
pub struct Pieces;

impl Files for Pieces {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let own = path.trim_matches(|c: char| !c.is_ascii_digit());
        let host = |n| format!("h{own}x{n}: {{ address: 10.{own}.{}.{} }}", n / 250, n % 250 + 1);
        Ok((path.to_owned(), format!("hosts:\n{}", many(20_000, host)).into_bytes()))
    }
}

/// The files, each with its name. The large numbers are divided by the parts of the budget.
pub fn attacks(parts: usize) -> Vec<(&'static str, String)> {
    let of = |number: usize| number / parts;
    let long = format!("templates:\n  t: {{ note: '{}' }}\n", "x".repeat(of(200_000)));
    let apps = vec!["teams"; of(500_000)].join(", ");
    vec![
        ("32 links x 16 variants", links(32) + &variants(16) + REST),
        ("32 links x 16 variants x each", links(32) + &variants(16) + REST + &each(1)),
        ("32 links x 16 variants x 1600 classes", links(32) + &variants(16) + &classes(1600)),
        ("16 variants x 11 each", LINK.to_owned() + &variants(16) + REST + &each(11)),
        ("520 remotes x each", LINK.to_owned() + REST + &tunnel(520) + &each(1)),
        ("1000 remotes x 11 each", LINK.to_owned() + REST + &tunnel(1000) + &each(11)),
        (
            "32 links x 16 variants x 500 unknown templates",
            links(32) + &variants(16) + &templates(500) + &uses(500, "zz"),
        ),
        ("8000 unknown templates", LINK.to_owned() + &templates(of(8000)) + &uses(of(8000), "unknown-")),
        (
            "64000 before",
            LINK.to_owned() + "classes:\n" + &many(of(64_000), |n| format!("c{n}: {{ before: c0 }}")),
        ),
        (
            "a text of 200 kB x 11000",
            LINK.to_owned()
                + &long
                + "classes:\n"
                + &many(of(11_000), |n| format!("c{n}: {{ template: t }}")),
        ),
        ("four pieces of 700 kB", format!("include: [p0.yaml, p1.yaml, p2.yaml, p3.yaml]\n{LINK}")),
        (
            "75000 uses of 110000 templates",
            LINK.to_owned() + &templates(of(110_000)) + &uses(of(75_000), "t"),
        ),
        ("120000 undefined templates", LINK.to_owned() + &uses(of(120_000), "t")),
        (
            "80000 links",
            format!("links:\n{}", many(of(80_000), |n| format!("l{n}: {{ device: e{n}, up: 1mbit }}"))),
        ),
        (
            "90000 variants",
            LINK.to_owned() + "variants:\n" + &many(of(90_000), |n| format!("v{n}: {{ when: 08:00-09:00 }}")),
        ),
        ("500000 apps", format!("{LINK}{REST}  a: {{ match: {{ app: [{apps}] }} }}\n")),
        (
            "60000 classes with apps",
            LINK.to_owned()
                + REST
                + &many(of(60_000), |n| format!("c{n}: {{ match: {{ app: [teams, zoom] }} }}")),
        ),
    ]
}
