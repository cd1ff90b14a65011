use super::read;

#[test]
fn a_sample_has_records_a_time_and_the_output_of_tc() {
    let text = "Welcome!\n==> links\n==> link home\nwan ppp0\nifb ifb-home\n==> link other\nwan eth1\n==> sample 75.03 140.00\n==> tc -s qdisc show dev ppp0\nqdisc\n";
    let sample = read(&text.replace(" 140.00", ""))
        .map(|sample| (sample.records, sample.uptime, sample.text.to_owned()));
    let (records, uptime, tc) = sample.unwrap();
    let names: Vec<String> = records.unwrap().into_iter().map(|record| record.name).collect();
    assert_eq!(names, ["home", "other"]);
    assert_eq!((uptime, tc.as_str()), (75_030_000, "==> tc -s qdisc show dev ppp0\nqdisc\n"));
}

#[test]
fn records_appear_only_if_they_changed() {
    assert_eq!(read("==> sample 1.00\n").unwrap().records, None);
    assert_eq!(read("==> links\n==> sample 1.00\n").unwrap().records, Some(Vec::new()));
}

#[test]
fn what_is_no_sample_is_named() {
    let said = |text: &str| read(text).unwrap_err();
    assert_eq!(said("==> missing tc\n"), "there is no `tc` on the router: install iproute2");
    assert_eq!(
        said("\nThis account is disabled.\n"),
        "the router answered `This account is disabled.`, which is not a sample"
    );
    assert!(said("==> sample soon\n").contains("soon"));
    assert!(said("==> sample 1.5\n").contains("1.5"));
    assert!(said("").contains("not a sample"));
}
