use crate::layers::fixture::section;

const TWO: &str = "\
links:
  dsl: { device: ppp0, up: 6mbit }
  lte: { device: wwan0, hosts: { tv: null, nas: { ceiling: 1mbit } }, lan: { nat: false } }
hosts: { tv: { address: 1 }, nas: { address: 2 } }
lan: { device: br-lan }
";

#[test]
fn the_first_link_is_chosen_by_default() {
    assert_eq!(section(TWO, None, &[], "link").0, "{device: ppp0, up: 6mbit}");
    assert_eq!(section(TWO, Some("lte"), &[], "link").0, "{device: wwan0}");
}

#[test]
fn sections_of_a_link_lie_on_top_of_those_of_the_file() {
    let of = |link, key| section(TWO, Some(link), &[], key).0;
    assert_eq!(of("dsl", "hosts"), "{tv: {address: 1}, nas: {address: 2}}");
    assert_eq!(of("lte", "hosts"), "{nas: {address: 2, ceiling: 1mbit}}");
    assert_eq!(
        (of("dsl", "lan").as_str(), of("lte", "lan").as_str()),
        ("{device: br-lan}", "{device: br-lan, nat: false}")
    );
}

#[test]
fn an_included_file_may_give_keys_of_a_link() {
    let files = [("a.yaml", "links: { dsl: { profile: vdsl2-pppoe, up: 1mbit } }")];
    let text = format!("include: a.yaml\n{TWO}");
    assert_eq!(section(&text, None, &files, "link").0, "{profile: vdsl2-pppoe, up: 6mbit, device: ppp0}");
}

#[test]
fn link_and_links_exclude_each_other() {
    let (_, found) = section(&format!("{TWO}link: {{ device: eth0 }}\n"), None, &[], "link");
    assert_eq!(found, ["home.yaml:6: `link` cannot stand beside `links`"]);
}
