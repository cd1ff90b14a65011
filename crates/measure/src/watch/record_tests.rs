use super::Record;
use qosc_compiler::tc::TREE;

const LINES: &str = "\
wan ppp0
ifb ifb-home
class add dev @wan parent c05: classid c05:a000 htb rate 19000000bit ceil 19000000bit # home: all uploads (home.yaml:2)
class add dev @wan parent c05:a000 classid c05:20 htb rate 8550000bit ceil 19000000bit # work (home.yaml:6)
class add dev @wan parent c05:20 classid c05:21 htb rate 8550000bit ceil 19000000bit # a # (b) (home.yaml:7)
class add dev @ifb parent c05: classid c05:a000 htb rate 36000000bit ceil 36000000bit # home: all downloads (home.yaml:2)
qdisc add dev @ifb parent c05:a000 handle aeca: fq_codel # voice: queue (home.yaml:5)
class add dev @ifb parent c05:a000 classid nonsense htb rate 1bit ceil 1bit # none (home.yaml:8)
class add dev @ifb parent c05:a000 classid c05:22 htb rate 1bit ceil 1bit
";

#[test]
fn classes_have_names_and_depths() {
    let mut record = Record::new("home");
    LINES.lines().for_each(|line| record.read(line));
    let names = |classes: &[super::NamedClass]| -> Vec<(u16, usize, String)> {
        classes.iter().map(|class| (class.id, class.depth, class.name.clone())).collect()
    };
    let own = |id, depth, name: &str| (id, depth, name.to_owned());
    assert_eq!(
        names(&record.classes.up),
        [own(TREE, 0, "all uploads"), own(0x20, 1, "work"), own(0x21, 2, "a # (b)")]
    );
    assert_eq!(names(&record.classes.down), [own(TREE, 0, "all downloads")]);
    assert_eq!(record.devices.up.as_deref(), Some("ppp0"));
    assert_eq!(record.devices.down.as_deref(), Some("ifb-home"));
}

#[test]
fn a_name_cannot_control_a_terminal() {
    let mut record = Record::new("ho\u{1b}me");
    record.read("class add dev @wan parent c05: classid c05:a000 htb # a\u{1b}[2Jb (home.yaml:2)");
    assert!(!record.name.contains('\u{1b}') && !record.classes.up[0].name.contains('\u{1b}'));
}

/// An ifb does not exist if downloads are policed.
#[test]
fn an_empty_device_is_none() {
    let mut record = Record::new("home");
    record.read("ifb ");
    assert_eq!(record.devices.down, None);
}
