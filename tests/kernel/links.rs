//! The links of one file on one router, and files with included sections.

use crate::house::House;
use crate::life_cycle::starts_and_stops;
use crate::uml::Machine;
use std::path::Path;

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/layers").join(name)
}

#[test]
fn links_of_one_file_start_change_and_stop_in_every_order() {
    let text = std::fs::read_to_string(example("home.yaml")).expect("an example");
    // another rate for both links, and another class for both
    let changed = text.replace("guarantee: 60%", "guarantee: 50%") + "  more: { match: [{ dscp: af11 }] }\n";
    assert!(changed.len() > text.len());
    let of = |text: &str, link| House::layered("home", text, Some(link), None);
    let (dsl, lte) = (of(&text, "dsl"), of(&text, "lte"));
    let guest = dsl.guest("links").file("dsl.sh", dsl.script.as_str()).file("lte.sh", lte.script.as_str());
    let guest = guest.file("dsl-changed.sh", of(&changed, "dsl").script);
    let guest = guest.file("lte-changed.sh", of(&changed, "lte").script);
    let Some(report) = guest.variable("OTHER_WAN", lte.program.wan.as_str()).run("links.sh") else { return };
    for starts in ["dsl", "lte"] {
        for changes in ["dsl", "lte"] {
            for stops in ["dsl", "lte"] {
                let leg = format!("{starts}-{changes}-{stops}");
                for link in ["dsl", "lte"] {
                    for step in ["start", "change", "stop", "started", "changed"] {
                        report.expect_code(&format!("{leg}/{step}-{link}"), 0);
                    }
                    report.expect_code(&format!("{leg}/half-{link}"), if link == stops { 3 } else { 0 });
                    report.expect_code(&format!("{leg}/stopped-{link}"), 3);
                }
                report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
            }
        }
    }
}

#[test]
fn files_with_included_sections_start_and_stop() {
    for name in ["berlin", "oslo"] {
        let file = example(&format!("{name}.yaml"));
        let text = std::fs::read_to_string(&file).expect("an example");
        let house = House::layered(name, &text, None, file.parent());
        starts_and_stops(name, &house, Machine::Virtual);
    }
}
