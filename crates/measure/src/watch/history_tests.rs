use super::{ClassHistory, KEPT, Table, View, Watch};
use qosc_compiler::terms::Direction;
use qosc_compiler::units::Rate;

/// Samples of a test kernel; see tests/kernel/watch.rs. `bulk` sends at its ceiling, and `rest` more than the line
/// carries.
const HTB: &str = include_str!("samples/htb.txt");
/// Samples after the same script started with CAKE.
const CAKE: &str = include_str!("samples/cake.txt");

fn samples(text: &str) -> Vec<&str> {
    text.split_inclusive("==> end\n").collect()
}

fn last(watch: &mut Watch, texts: &[&str]) -> View {
    texts.iter().map(|text| watch.add(text).unwrap()).last().unwrap()
}

fn table(view: &View, direction: Direction) -> &Table {
    view.links[0].tables.iter().find(|table| table.direction == direction).unwrap()
}

fn row<'a>(view: &'a View, name: &str) -> &'a ClassHistory {
    table(view, Direction::Up).rows.iter().find(|row| row.name == name).unwrap()
}

#[test]
fn recorded_samples_match_the_snapshots() {
    for (name, text) in [("htb", HTB), ("cake", CAKE)] {
        let view = last(&mut Watch::default(), &samples(text));
        crate::golden::assert_golden!(name, crate::watch::plain(&view));
    }
}

#[test]
fn the_first_sample_has_no_rates() {
    let view = last(&mut Watch::default(), &samples(HTB)[..1]);
    assert_eq!(view.elapsed, None);
    let rows = &table(&view, Direction::Up).rows;
    assert!(rows.len() > 5 && rows.iter().all(|row| row.seen.rate.is_none() && row.seen.drops.is_none()));
    assert!(rows.iter().all(|row| row.seen.present && row.seen.ceiling.is_some()));
}

/// The script made the class again, so its counters are lower than before.
#[test]
fn a_counter_that_began_again_has_no_rate() {
    let texts = samples(HTB);
    let mut watch = Watch::default();
    last(&mut watch, &texts[1..]);
    // The records appear only in the first sample.
    let again = texts[0].replace("==> sample ", "==> sample 9");
    let view = watch.add(&again).unwrap();
    assert_eq!(row(&view, "bulk").seen.rate, None);
    assert_eq!(row(&view, "rest").seen.drops, None);
    let now = texts[1].replace("==> sample ", "==> sample 99");
    assert!(row(&watch.add(&now).unwrap(), "bulk").seen.rate.is_some());
}

/// After a reboot, the clock begins again.
#[test]
fn a_clock_that_began_again_gives_no_rates() {
    let texts = samples(HTB);
    let mut watch = Watch::default();
    last(&mut watch, &texts);
    let (before, after) = texts[0].split_once("==> sample ").unwrap();
    let (_, after) = after.split_once('\n').unwrap();
    let view = watch.add(&format!("{before}==> sample 0.50\n{after}")).unwrap();
    assert_eq!(view.elapsed, None);
    assert_eq!(row(&view, "all uploads").seen.rate, None);
}

#[test]
fn the_delay_is_the_time_that_the_backlog_takes() {
    let view = last(&mut Watch::default(), &samples(HTB));
    let rest = row(&view, "rest");
    let (rate, bytes) = (rest.seen.rate.unwrap().bps(), rest.seen.backlog.unwrap().0);
    assert!(bytes > 0);
    assert_eq!(rest.delay().unwrap().us(), bytes * 8_000_000 / rate);
    assert_eq!(row(&view, "voice").delay(), None, "no packet came");
}

#[test]
fn a_class_of_somebody_else_is_listed_by_its_id() {
    let foreign = HTB.replace("class htb c05:a000 root", "class htb c05:77 parent c05:a000 prio 0 rate 1Mbit ceil 2Mbit burst 1b cburst 1b \n Sent 5 bytes 1 pkt (dropped 0, overlimits 0 requeues 0) \nclass htb c05:a000 root");
    let view = last(&mut Watch::default(), &samples(&foreign));
    assert_eq!(row(&view, "class c05:77").seen.ceiling, Some(Rate::from_bps(2_000_000)));
}

#[test]
fn a_class_that_is_gone_is_marked() {
    let texts = samples(HTB);
    let mut watch = Watch::default();
    last(&mut watch, &texts[..2]);
    let view = watch.add(&texts[2].replace("class htb ", "class hfsc ")).unwrap();
    assert!(!row(&view, "voice").seen.present);
    assert!(crate::watch::plain(&view).contains("voice (missing)"));
}

#[test]
fn a_stopped_script_leaves_no_link() {
    let mut watch = Watch::default();
    last(&mut watch, &samples(HTB));
    let view = watch.add("==> links\n==> sample 99999.00\n==> end\n").unwrap();
    assert_eq!(view.links, []);
    assert_eq!(crate::watch::plain(&view), "The script of qosc is stopped.\n\n");
    assert!(watch.past.is_empty());
}

#[test]
fn a_device_without_a_tree_says_so() {
    let mut watch = Watch::default();
    last(&mut watch, &samples(HTB));
    let view = watch.add("==> sample 99999.00\n==> end\n").unwrap();
    assert!(table(&view, Direction::Up).rows.is_empty());
    assert!(crate::watch::plain(&view).contains("This device has no tree of qosc."));
}

#[test]
fn old_rates_are_forgotten() {
    let text = samples(HTB)[1].to_owned();
    let mut watch = Watch::default();
    last(&mut watch, &samples(HTB)[..1]);
    for n in 0..KEPT + 5 {
        watch.add(&text.replace("==> sample ", &format!("==> sample {}", 10_000 + n))).unwrap();
    }
    assert!(watch.past.values().all(|past| past.len() == KEPT));
}

#[test]
fn tins_have_the_names_of_tc() {
    assert_eq!(super::tin_name(2, 3), "tin 2, Best Effort");
    assert_eq!(super::tin_name(4, 4), "tin 4, Voice");
    assert_eq!(super::tin_name(1, 8), "tin 1");
    assert_eq!(super::tin_name(0, 3), "tin 0");
}
