use super::{find, is_web, names};

/// A file that cannot be read would leave its application without packets.
#[test]
fn every_application_has_a_source_a_date_and_ports() {
    for name in names() {
        let app = find(name).unwrap_or_else(|| panic!("{name}"));
        assert!(!app.matches.is_empty() && app.about.len() > 4 && app.source.len() > 8, "{name}");
        let [year, month, day] = app.date.split('-').collect::<Vec<_>>()[..] else {
            panic!("{name}: {}", app.date)
        };
        assert!(year >= "2026" && month.len() == 2 && day.len() == 2, "{name}: {}", app.date);
        assert!(!is_web(name), "{name}");
        for one in &app.matches {
            let rest = [one.host.len(), one.local.len(), one.dscp.len(), one.mark.len(), one.tcp.len()];
            assert!(
                !one.protocol.is_empty() && rest == [0; 5],
                "{name}: only protocols, ports and addresses are kept"
            );
            let web = |ports: &[crate::diag::Spanned<crate::units::PortRange>]| {
                ports.iter().any(|port| port.value.to_string() == "443")
            };
            assert!(!web(&one.port) && !web(&one.remote_port), "{name}");
        }
    }
}
