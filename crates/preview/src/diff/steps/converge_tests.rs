use super::*;

fn router(shown: &str) -> Router {
    let (link, wan) = ("home".to_owned(), "eth0".to_owned());
    let ifb = ("ifb-home".to_owned(), 0);
    Router { link, wan, ifb, take_over: true, shown: shown.to_owned(), ..Router::default() }
}

fn commands(found: &Steps) -> Vec<&str> {
    found.steps.iter().map(|step| step.command.as_str()).collect()
}

/// Foreign objects are named with the script's own words.
#[test]
fn our_objects_are_told_from_foreign_ones() {
    let now = "filter protocol all pref 1 bpf chain 0\nfilter protocol all pref 3077 u32 chain 0\n\
               qdisc hfsc 1: root\nqdisc ingress ffff: parent ffff:fff1 ----------------\nqdisc htb c05: root\n";
    let found = steps(&Router { needs_egress: true, ..router(now) }).unwrap();
    assert!(!found.our_root);
    assert_eq!(commands(&found).first(), Some(&"tc qdisc del dev eth0 ingress"));
    assert_eq!(
        found.foreign,
        [
            "filter bpf pref 1 at the ingress or egress of eth0",
            "qdisc hfsc 1: at the root of eth0",
            "qdisc ingress at the ingress of eth0 (uploads are policed at the egress, which takes a clsact)",
        ]
    );
    // A root qdisc that the kernel created by default belongs to nobody.
    let found = steps(&router("qdisc fq_codel 0: root\nqdisc fq_codel 8001: root\n")).unwrap();
    assert!(found.foreign.is_empty() && !found.our_root);
}

/// A router with classes below each other, none of which is described.
fn nested(depth: u16) -> Router {
    let class = |number: u16| format!("class htb {} parent {} prio 0\n", id(number + 1), id(number));
    let classes: String = (0..depth).map(class).collect();
    let entry = "filter protocol all pref 2 u32 chain 0 fh 800::800 *flowid c05:a000\n";
    let root = "qdisc htb c05: root r2q 10 default 0 direct_qlen 1000\n";
    let line = "qdisc replace dev @wan root handle c05: htb r2q 10 default 0 direct_qlen 1000 # home\n";
    Router { wanted: line.to_owned(), ..router(&format!("{root}{classes}{entry}")) }
}

fn id(number: u16) -> String {
    format!("c05:{:x}", qosc_compiler::tc::class_minor(number))
}

/// The kernel allows 8 levels.
#[test]
fn nested_classes_are_deleted_from_the_deepest_on() {
    let found = steps(&nested(20)).unwrap();
    let deleted = commands(&found).into_iter().filter(|command| command.contains(" class del "));
    let ids = (1..=20).rev().map(id);
    let wanted = ids.map(|id| format!("tc class del dev eth0 classid {id} # home, without {id}"));
    assert!(deleted.eq(wanted));
}

/// A dump is only a text. Some awks cannot follow so many levels.
#[test]
fn too_many_levels_are_no_panic() {
    match steps(&nested(20_000)) {
        Ok(found) => assert!(found.steps.len() >= 20_000),
        Err(words) => assert!(words.starts_with("awk failed"), "{words}"),
    }
}
