use super::*;

#[test]
fn changing_counters_and_references_are_left_out() {
    let mut machine = Machine::new(PROGRAM.as_ref().unwrap(), Files::default(), &[], &[]);
    let lines = [
        (
            "qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 7 direct_qlen 1000 ",
            "qdisc htb c05: root r2q 10 default 0 direct_qlen 1000",
        ),
        (
            "filter protocol ip pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20 not_in_hw ",
            "filter protocol ip pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20",
        ),
        ("  mark 0x12345678 0xffffffff (success 0)", "  mark 0x12345678 0xffffffff"),
        (
            "\taction order 1:  police 0x12d687 rate 4Mbit burst 300000b",
            "\taction order 1:  police 0x12d687 rate 4Mbit burst 300000b",
        ),
        ("\tref 3 bind 3 ", ""),
        ("\tindex 1 ref 1 bind 1", ""),
        ("\t index 7 ref 1 bind 1 cpmark 0xff000000", "\t cpmark 0xff000000"),
        ("", ""),
        ("class cake c05:b87 parent c05: ", ""),
    ];
    for (line, normal) in lines {
        assert_eq!(machine.call("normal", &[line]).unwrap(), normal, "{line}");
    }
}

fn router(shown: &str) -> Router {
    let ifbs = [("ifb-home".to_owned(), 0), ("ifb2-home".to_owned(), 0)];
    let (link, wan) = ("home".to_owned(), "eth0".to_owned());
    Router { link, wan, ifbs, take_over: true, shown: shown.to_owned(), ..Router::default() }
}

/// The engine names foreign objects with the script's own words.
#[test]
fn our_objects_are_told_from_foreign_ones() {
    let now = "filter protocol all pref 1 bpf chain 0\nfilter protocol all pref 3077 u32 chain 0\n\
               qdisc hfsc 1: root\nqdisc ingress ffff: parent ffff:fff1 ----------------\nqdisc htb c05: root\n";
    let found = converge(&Router { needs_egress: true, ..router(now) }, |state, _| {
        assert!(state.evicts_hook());
        Ok(())
    });
    let found = found.unwrap();
    assert!(!found.our_root);
    assert_eq!(found.commands.first().map(String::as_str), Some("tc qdisc del dev eth0 ingress"));
    assert_eq!(
        found.foreign,
        [
            "filter bpf pref 1 at the ingress or egress of eth0",
            "qdisc hfsc 1: at the root of eth0",
            "qdisc ingress at the ingress of eth0 (uploads are policed at the egress, which takes a clsact)",
        ]
    );
    // A root qdisc that the kernel created by default belongs to nobody.
    let other = router("qdisc fq_codel 0: root\nqdisc fq_codel 8001: root\n");
    let found = converge(&other, |_, _| Ok(())).unwrap();
    assert!(found.foreign.is_empty() && !found.our_root);
}

/// The root qdisc, and a chain of classes of another tool.
fn nested(depth: usize) -> Router {
    let root = "qdisc htb c05: root r2q 10 default 0 direct_qlen 1000\n";
    let class =
        |number: usize| format!("class htb c05:{:x} parent c05:{:x} prio 0\n", number + 17, number + 16);
    let mut router = router(&format!("{root}{}", (0..depth).map(class).collect::<String>()));
    router.wanted =
        "qdisc replace dev @wan root handle c05: htb r2q 10 default 0 direct_qlen 1000 # home\n".to_owned();
    router
}

#[test]
fn nested_classes_are_deleted_from_the_deepest_on() {
    // The kernel allows 8 levels.
    let found = converge(&nested(20), |_, _| Ok(())).unwrap();
    let ids = (17..37)
        .rev()
        .map(|id| format!("tc class del dev eth0 classid c05:{id:x} # home, without c05:{id:x}"));
    assert_eq!(found.commands, ids.collect::<Vec<_>>());
    let said = converge(&nested(5000), |_, _| Ok(())).unwrap_err().to_string();
    assert!(said.contains("`delete_class` is called too deeply"), "{said}");
}

#[test]
fn no_line_of_tc_begins_a_section() {
    let found = converge(&router("qdisc noqueue 0: root\n == objects\nqdisc x\n"), |_, _| Ok(())).unwrap();
    assert!(found.foreign.is_empty());
}

#[test]
fn the_program_has_no_line_of_the_shell() {
    let program = crate::emit::engine();
    assert!(program.starts_with("# Reads the sections"), "{program:.80}");
    assert!(!program.contains("awk -v") && !program.contains("@include"));
    assert!(program.contains("function tunnel_on(") && program.contains("function find_steps("));
}
