use super::fireqos;
use crate::{Import, Wanted};
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::diag::Severity;

/// The result of a file, which is a valid configuration.
fn yaml(import: &Import) -> &str {
    let yaml = import.results[0].yaml.as_str();
    let compiled = compile(yaml, &Options::of("imported.yaml"));
    let errors: Vec<&str> = compiled.errors().map(|error| error.message.as_str()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{yaml}");
    yaml
}

/// The priority of each class, in the order of the result.
fn priorities(text: &str) -> Vec<(String, u8)> {
    let import = fireqos(text, Wanted::First);
    let mut name = "";
    let mut out = Vec::new();
    for line in yaml(&import).lines().map(str::trim_start) {
        match line.strip_prefix("priority: ") {
            Some(number) => out.push((name.to_owned(), number.parse().unwrap())),
            None => name = line.strip_suffix(':').unwrap_or(name),
        }
    }
    out
}

fn said(import: &Import) -> Vec<(Severity, &str)> {
    import.findings.iter().map(|finding| (finding.severity, finding.message.as_str())).collect()
}

fn named(all: &[(&str, u8)]) -> Vec<(String, u8)> {
    all.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect()
}

#[test]
fn a_class_without_prio_gets_the_number_after_the_last_one_given() {
    let text = "interface46 eth0 w both rate 50mbit\n class voip commit 1mbit prio 2\n  match udp port 1\n class work prio 3\n  match udp port 2\n class default\n";
    assert_eq!(priorities(text), named(&[("voip", 2), ("work", 3), ("default", 4)]));
    let added = text.replace(" class default\n", "");
    assert_eq!(priorities(&added), named(&[("voip", 2), ("work", 3), ("default", 4)]));
}

#[test]
fn balanced_classes_have_one_priority_also_in_groups_and_if_they_are_added() {
    let text = "interface46 eth0 w both balanced rate 50Mbit\n class a\n  match udp port 1\n class b\n  match udp port 2\n class group g commit 10%\n  match udp port 3:9\n  class c\n   match udp port 4\n class group end\n class group h commit 10% priority\n  match udp port 10:19\n  class d\n   match udp port 11\n";
    let all = priorities(text);
    let expected = [
        ("a", 4),
        ("b", 4),
        ("g", 4),
        ("c", 4),
        ("g-default", 4),
        ("h", 4),
        ("d", 0),
        ("h-default", 1),
        ("default", 4),
    ];
    assert_eq!(all, named(&expected));
}

#[test]
fn prio_keep_does_not_count() {
    let text = "interface46 eth0 w both rate 50mbit\n class a\n  match udp port 1\n class b prio keep\n  match udp port 2\n class c\n  match udp port 3\n class default\n class d\n  match udp port 4\n";
    assert_eq!(priorities(text), named(&[("a", 0), ("b", 0), ("c", 1), ("d", 3), ("default", 2)]));
}

#[test]
fn rates_are_computed_as_a_shell_does() {
    let text = "SPEED=12200\nA=85\nIN=\"$((SPEED * $A / 100))kbit\"\ninterface46 ppp0 w both input rate $IN output rate $(( (900 - 10) * 95 / 100 ))kbit\n";
    let import = fireqos(text, Wanted::First);
    assert_eq!(said(&import), []);
    assert!(yaml(&import).contains("  shaped: { up: 845kbit, down: 10.37mbit }\n"), "{}", yaml(&import));
    let import = fireqos("interface46 ppp0 w both rate $((SPEED / 2))mbit\n", Wanted::First);
    let words = "import cannot compute `$((SPEED / 2))`";
    assert!(said(&import).contains(&(Severity::Error, words)), "{:?}", said(&import));
}

#[test]
fn the_smallest_guarantee_is_that_of_fireqos() {
    let least = |rate: &str| {
        let import = fireqos(&format!("interface46 eth0 w output rate {rate}\n"), Wanted::First);
        let line = yaml(&import).lines().find(|line| line.contains("guarantee")).unwrap().trim().to_owned();
        line.replace("guarantee: ", "")
    };
    assert_eq!(least("2mbit"), "{ up: 1% }");
    // FireQOS gives no class less than a full packet per second.
    for rate in ["20kbit", "500kbit", "750kbit", "1199kbit"] {
        assert_eq!(least(rate), "{ up: 12kbit }", "{rate}");
    }
    assert_eq!(least("500kbit mtu 1492"), "{ up: 11kbit }");
    assert_eq!(least("2mbit minrate 100kbit"), "{ up: 100kbit }");
    // In a group, it is also that of the interface.
    let text = "interface46 eth0 w output rate 10mbit\n class group g commit 40%\n  match udp port 1:9\n  class a commit 1%\n   match udp port 1\n";
    let import = fireqos(text, Wanted::First);
    assert_eq!(yaml(&import).matches("guarantee: { up: 100kbit }").count(), 2, "{}", yaml(&import));
}

#[test]
fn the_last_interface_of_a_direction_counts() {
    let with = |classes: &str| {
        let text = format!(
            "interface46 eth0 a input rate 10mbit\n{classes}interface46 eth0 b input rate 9mbit\n class voip commit 1mbit\n  match udp sports 5060\n"
        );
        fireqos(&text, Wanted::First)
    };
    let words = "a later interface replaces this one for downloads, as in FireQOS";
    let import = with("");
    assert!(said(&import).contains(&(Severity::Warning, words)), "{:?}", said(&import));
    assert!(
        yaml(&import).contains("  shaped: { up: 1gbit, down: 9mbit }\n") && yaml(&import).contains("voip")
    );
    let import = with(" class old commit 1mbit\n  match udp port 5\n");
    assert!(said(&import).contains(&(Severity::Warning, words)), "{:?}", said(&import));
    assert!(!yaml(&import).contains("old"));

    // Only the uploads of the first one are replaced.
    let text = "interface46 eth0 a both rate 10mbit\n class old commit 1mbit\n  match udp port 1\ninterface46 eth0 b output rate 5mbit\n";
    let import = fireqos(text, Wanted::First);
    let words = "a later interface replaces this one for uploads, as in FireQOS";
    assert!(said(&import).contains(&(Severity::Warning, words)), "{:?}", said(&import));
    assert!(yaml(&import).contains("  shaped: { up: 5mbit, down: 10mbit }\n"));
}

#[test]
fn services_take_the_conditions_of_a_match() {
    let text = "server_own_ports=\"any/1195:1198\"\ninterface46 eth0 w both rate 10mbit\n class a\n  server ssh src 198.51.100.0/24\n  client own\n  client surfing,jabber prio 1\n  server GRE\n  server \"nowhere\"\n";
    let import = fireqos(text, Wanted::First);
    let matches: Vec<&str> =
        yaml(&import).lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
    let expected = [
        "{ protocol: tcp, remote_port: 1-1023 }",
        "{ protocol: tcp, remote_port: [5222, 5223] }",
        "{ remote: 198.51.100.0/24, protocol: tcp, local_port: 22 }",
        "{ protocol: [tcp, udp], remote_port: 1195-1198 }",
        "{ protocol: gre }",
    ];
    assert_eq!(matches.get(matches.len() - expected.len()..).unwrap(), expected, "{}", yaml(&import));
    assert!(said(&import).contains(&(Severity::Warning, "the service `nowhere` is unknown")));
}

#[test]
fn a_group_without_a_match_does_not_take_the_packets_of_others() {
    let text = "interface46 eth0 w both rate 10mbit\n class group g commit 40%\n  match srcmac 02:00:5e:10:00:01\n  class a\n   client dns\n  class default\n class group end\n class b\n  client dns\n";
    let import = fireqos(text, Wanted::First);
    let words = "the class `g` is left out: it has no match that can be converted";
    assert!(said(&import).contains(&(Severity::Warning, words)), "{:?}", said(&import));
    assert!(!yaml(&import).contains("  a:\n") && yaml(&import).contains("  b:\n"), "{}", yaml(&import));
}

#[test]
fn one_match_with_prio_does_not_move_its_class() {
    let text = "interface46 eth0 w both rate 10mbit\n class a\n  match udp port 1\n class b\n  match udp port 2 prio 1\n  match udp port 1:9\n class c\n  match udp port 3 prio 2\n";
    let names: Vec<String> = priorities(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["c", "a", "b", "default"]);
}

#[test]
fn a_whole_file_has_the_priorities_and_rates_of_fireqos() {
    let text = include_str!("../../../tests/import/fireqos/services.conf");
    let expected = [
        ("voip", 0),
        ("interactive", 1),
        ("chat", 2),
        ("vpns", 3),
        ("servers", 4),
        ("surfing", 4),
        ("synacks", 5),
        ("torrents", 7),
        ("default", 6),
    ];
    assert_eq!(priorities(text), named(&expected));
    let import = fireqos(text, Wanted::First);
    assert!(yaml(&import).contains("  shaped: { up: 845kbit, down: 10.37mbit }\n"));
    // `torrents` also has a match before all others, so some packets have another class.
    let known = |(severity, message): &(Severity, &str)| {
        *severity == Severity::Note || message.starts_with("the packet") && message.contains("torrents")
    };
    assert!(said(&import).iter().all(known), "{:?}", said(&import));
}

#[test]
fn flags_are_asked_only_of_tcp() {
    let text = "interface46 eth0 w both rate 10mbit\n class a\n  match tcp port 55 ack\n  match ack udp port 5\n  match src any dst all port 7\n";
    let import = fireqos(text, Wanted::First);
    let matches: Vec<&str> =
        yaml(&import).lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
    let expected =
        ["{ port: 55, tcp: ack }", "{ protocol: udp, port: 5 }", "{ protocol: [tcp, udp], port: 7 }"];
    assert_eq!(matches.get(matches.len() - expected.len()..).unwrap(), expected, "{}", yaml(&import));
}

#[test]
fn the_matches_of_a_class_with_an_error_go_to_no_other_class() {
    let text = "interface46 eth0 w both rate 10mbit\n class a\n  match udp port 1\n class group default\n  match udp port 53\n";
    let import = fireqos(text, Wanted::First);
    assert!(said(&import).iter().any(|(severity, _)| *severity == Severity::Error));
    let wrong = import.results.iter().any(|result| result.yaml.contains("53"));
    assert!(!wrong, "{:?}", said(&import));
}

#[test]
fn each_direction_has_its_own_queue() {
    let text = "interface eth0 in input rate 50mbit qdisc sfq\n class a commit 1mbit qdisc pfifo\n  match udp port 1\n class default\ninterface eth0 out output rate 10mbit\n class a commit 1mbit\n  match udp port 1\n class b\n  match udp port 2\n class default\n";
    let import = fireqos(text, Wanted::First);
    let queues: Vec<&str> = yaml(&import).lines().filter(|line| line.contains("queue:")).collect();
    assert_eq!(queues, ["    queue: { down: fifo }"], "{}", yaml(&import));
}
