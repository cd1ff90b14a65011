use crate::lower::tests::fixture::{leaf, lowered, model};
use crate::model::{Frames, Inner, Model};
use crate::tc::{Action, Hook};

/// Returns the names of tunnels whose labels are cleared, and the resulting sysctls.
fn cleared(model: &Model) -> (Vec<String>, Vec<&'static str>) {
    let program = lowered(model);
    let filters = program.filters.iter().filter(|filter| filter.actions == [Action::ClearLabel]);
    assert!(filters.clone().all(|filter| filter.hook == Hook::Ingress));
    (
        filters.map(|filter| filter.why.name.clone()).collect(),
        program.settings.sysctls.iter().map(|own| own.path).collect(),
    )
}

#[test]
fn flow_labels_that_hide_inner_flows_are_cleared() {
    let mut model = model(vec![leaf("rest", 0xee, None)]);
    let nothing = (vec![], vec![]);
    assert_eq!(cleared(&model), nothing, "nobody looks inside");
    for tunnel in &mut model.tunnels {
        tunnel.inner.value = if tunnel.name == "ip6gre" { Inner::Flows } else { Inner::Opaque };
    }
    let twice = vec!["ip6gre".to_owned(), "ip6gre".to_owned()];
    assert_eq!(cleared(&model), (twice, vec!["net/ipv6/auto_flowlabels"]));
    model.link.frames.value = Frames::Pppoe;
    assert_eq!(cleared(&model), (vec![], vec!["net/ipv6/auto_flowlabels"]));
}
