use super::*;
use crate::plan::{Cause, Object};
use qosc_compiler::tc::{Dev, Hook};

fn router(shown: &str) -> Router {
    let variables =
        [("link", "home"), ("dev", "eth0"), ("up", "eth0"), ("ifb1", "ifb-home"), ("take_over", "yes")];
    let variables = variables.map(|(name, value)| (name, value.to_owned())).to_vec();
    Router { variables, files: Vec::new(), input: format!("== tc\n{shown}== shown\n") }
}

fn commands(found: &Found) -> Vec<&str> {
    found.steps.iter().map(|step| step.command.as_str()).collect()
}

/// A dump is a text of others. The program runs no command and writes no file.
#[test]
fn the_program_only_reads() {
    let program = REPORT.to_owned() + &qosc_compiler::emit::engine();
    for words in ["system(", "| getline", " | \"", "@include"] {
        assert!(!program.contains(words), "{words}");
    }
}

/// Foreign objects are named with the script's own words.
#[test]
fn our_objects_are_told_from_foreign_ones() {
    let now = "filter protocol all pref 1 bpf chain 0\nfilter protocol all pref 3077 u32 chain 0\n\
               qdisc hfsc 1: root\nqdisc ingress ffff: parent ffff:fff1 ----------------\nqdisc htb c05: root\n";
    let mut needs_egress = router(now);
    needs_egress.variables.push(("needs_egress", "yes".to_owned()));
    let found = steps(&needs_egress).unwrap();
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
    let line = "== described\nqdisc replace dev @wan root handle c05: htb r2q 10 default 0 direct_qlen 1000 # home\n";
    let files = vec![("wanted".to_owned(), line.to_owned())];
    Router { files, ..router(&format!("{root}{classes}{entry}")) }
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

/// Others may drop or redirect downloads at the ifb.
#[test]
fn filters_of_others_at_the_ifb_are_named() {
    let root = "qdisc replace dev @ifb root handle c05: htb r2q 10 default 0 direct_qlen 1000 # home\n";
    let shown = "qdisc noqueue 0: root\nqdisc noqueue 0: root\nqdisc clsact ffff: parent ffff:fff1\n";
    let files = vec![
        ("wanted".to_owned(), format!("== described\n{root}")),
        ("sys/class/net/ifb-home/flags".to_owned(), "0x1\n".to_owned()),
    ];
    let found = steps(&Router { files, ..router(shown) }).unwrap();
    let step = found.steps.iter().find(|step| step.command.contains(" clsact ")).unwrap();
    assert_eq!(step.command, "tc qdisc del dev ifb-home clsact # filters of others");
    assert_eq!(step.object, Object::Filters { dev: Dev::Ifb, hook: Hook::Ingress });
    assert_eq!((step.name.as_str(), step.cause), ("filters of others at ifb-home", Cause::Drift));
}

/// A text of a dump stays one text.
#[test]
fn quotes_and_control_characters_stay_inside_their_text() {
    let line =
        "== described\nqdisc replace dev @wan root handle c05: htb default 0 # a\\b \"c\"\td (x.yaml:2)\n";
    let files = vec![("wanted".to_owned(), line.to_owned())];
    let found = steps(&Router { files, ..router("qdisc noqueue 0: root\n") }).unwrap();
    let step = found.steps.first().unwrap();
    assert_eq!((step.name.as_str(), step.place.as_deref()), ("a\\b \"c\"\td", Some("x.yaml:2")));
}
