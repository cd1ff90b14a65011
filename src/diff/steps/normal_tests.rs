use super::{normal, other_slot};

#[test]
fn changing_counters_and_references_are_left_out() {
    let lines = [
        (
            "qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 7 direct_qlen 1000 ",
            "qdisc htb c05: root r2q 10 default 0 direct_qlen 1000",
        ),
        (
            "filter protocol ip pref 10 u32 chain 1 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:a020 not_in_hw ",
            "filter protocol ip pref 10 u32 chain 1 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:a020",
        ),
        ("  mark 0x12345678 0xffffffff (success 0)", "  mark 0x12345678 0xffffffff"),
        ("filter pref 10 u32 (rule hit 7 success 3)", "filter pref 10 u32"),
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
    for (line, wanted) in lines {
        assert_eq!(normal(line), wanted, "{line}");
    }
}

#[test]
fn the_other_slot_has_other_ids() {
    let lines = [
        (
            "class htb c05:a102 parent c05:a000 leaf a102: prio 2",
            "class htb c05:b102 parent c05:b000 leaf b102: prio 2",
        ),
        (
            "qdisc fq_codel e54b: parent c05:e54b limit 1000p",
            "qdisc fq_codel f54b: parent c05:f54b limit 1000p",
        ),
        (
            "qdisc add dev @wan parent c05:2001 handle 2001: cake",
            "qdisc add dev @wan parent c05:3001 handle 3001: cake",
        ),
        (
            "class add dev @wan parent c05: classid c05:a000 htb",
            "class add dev @wan parent c05: classid c05:b000 htb",
        ),
        (
            "filter parent c05:a000 chain 5 handle 0x21/0xff fw",
            "filter parent c05:b000 chain 5 handle 0x21/0xff fw",
        ),
        ("class htb c05:1 root", "class htb c05:1 root"),
    ];
    for (a, b) in lines {
        assert_eq!(other_slot(a), b);
        assert_eq!(other_slot(b), a);
    }
}
