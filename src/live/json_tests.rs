use crate::live::{Held, parse};
use crate::tc::{Action, Hook};

/// Output of iproute2 6.1.0 for one kernel, with `-j` and without.
const JSON: &str = include_str!("samples/iproute2-6.1-json.txt");
const TEXT: &str = include_str!("samples/iproute2-6.1-as-json.txt");

fn read(dump: &str) -> Held {
    parse(&"eth0".parse().unwrap(), &"ifb-walk".parse().unwrap(), dump)
}

#[test]
fn json_output_reads_like_text_output() {
    let (json, mut text) = (read(JSON), read(TEXT));
    assert_eq!(json.classes, text.classes);
    assert_eq!(json.qdiscs.len(), 9);
    let diff = |held: &Held| format!("{:#?}", held.qdiscs).replace("4999", "5000").replace("99999", "100000");
    assert_eq!(diff(&json), diff(&text));
    // A policer has no rate in JSON.
    text.filters.retain(|filter| !filter.actions.iter().any(|action| matches!(action, Action::Police(_))));
    assert_eq!(json.filters, text.filters);
    assert!(json.filters.iter().any(|filter| filter.hook == Hook::Ingress));
    assert_eq!(json.foreign, Vec::<String>::new());
}

#[test]
fn repeated_match_keys_in_json_are_all_read() {
    let filter = r#"==> tc -j -d filter show dev eth0 parent c05:
[{"protocol":"ip","pref":10,"kind":"u32","chain":0,"options":{"fh":"800::800","order":2048,"key_ht":"800","bkt":"0","flowid":"c05:20","match":{"value":"60000","mask":"ff0000","offmask":"","off":8},"match":{"value":"0","mask":"3fff","offmask":"","off":4}}}]
"#;
    assert_eq!(read(filter).filters.first().unwrap().selector.words.len(), 2);
}

#[test]
fn invalid_json_is_ignored() {
    for text in ["==> tc -j qdisc show dev eth0\n[{\n", "==> tc -V\n[x]\n", "[", "==> x\n[1, [2], null]\n"] {
        let held = read(text);
        assert!(held.qdiscs.is_empty() && held.filters.is_empty(), "{text}");
    }
}
