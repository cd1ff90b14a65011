use super::*;

fn router(shown: &str) -> Router {
    let ifbs = [("ifb-home".to_owned(), 0), ("ifb2-home".to_owned(), 0)];
    let (link, wan) = ("home".to_owned(), "eth0".to_owned());
    Router { link, wan, ifbs, take_over: true, shown: shown.to_owned(), ..Router::default() }
}

fn commands(found: &Steps) -> Vec<&str> {
    found.steps.iter().map(|step| step.command.as_str()).collect()
}

/// Foreign objects are named with the script's own words.
#[test]
fn our_objects_are_told_from_foreign_ones() {
    let now = "filter protocol all pref 1 bpf chain 0\nfilter protocol all pref 3077 u32 chain 0\n\
               qdisc hfsc 1: root\nqdisc ingress ffff: parent ffff:fff1 ----------------\nqdisc htb c05: root\n";
    let found = steps(&Router { needs_egress: true, ..router(now) });
    assert!(!found.our_root);
    assert_eq!(commands(&found), ["tc qdisc del dev eth0 ingress"]);
    assert_eq!(
        found.foreign,
        [
            "filter bpf pref 1 at the ingress or egress of eth0",
            "qdisc hfsc 1: at the root of eth0",
            "qdisc ingress at the ingress of eth0 (uploads are policed at the egress, which takes a clsact)",
        ]
    );
    // A root qdisc that the kernel created by default belongs to nobody.
    let found = steps(&router("qdisc fq_codel 0: root\nqdisc fq_codel 8001: root\n"));
    assert!(found.foreign.is_empty() && !found.our_root);
}

/// The kernel allows 8 levels, but a dump is only a text.
#[test]
fn nested_classes_are_deleted_from_the_deepest_on() {
    let id = |number: u16| format!("c05:{:x}", crate::tc::class_minor(number));
    let class = |number: u16| format!("class htb {} parent {} prio 0\n", id(number + 1), id(number));
    let classes: String = (0..20_000).map(class).collect();
    let entry = "filter protocol all pref 2 u32 chain 0 fh 800::800 *flowid c05:a000\n";
    let mut router =
        router(&format!("qdisc htb c05: root r2q 10 default 0 direct_qlen 1000\n{classes}{entry}"));
    let line = "qdisc replace dev @wan root handle c05: htb r2q 10 default 0 direct_qlen 1000 # home\n";
    line.clone_into(&mut router.wanted);
    let found = steps(&router);
    let deleted = commands(&found).into_iter().filter(|command| command.contains(" class del "));
    let wanted = (1..=20_000)
        .rev()
        .map(id)
        .map(|id| format!("tc class del dev eth0 classid {id} # home, without {id}"));
    assert!(deleted.eq(wanted));
}
