use super::{Request, command, seconds};
use qosc_compiler::units::Micros;

fn words(host: Option<&str>, link: Option<&str>) -> String {
    let link = link.map(|link| link.parse().unwrap());
    let request = Request { host, interval: Micros::from_ms(1500), count: 3, link: link.as_ref() };
    let command = command(&request);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_host_is_never_an_option_of_ssh() {
    let said = words(Some("-oProxyCommand=reboot"), Some("home"));
    assert!(
        said.starts_with("ssh -T -o BatchMode=yes ")
            && said.ends_with(" -- -oProxyCommand=reboot sh -s -- 1.500000 3 home"),
        "{said}"
    );
    assert_eq!(words(None, None), "sh -s -- 1.500000 3");
}

#[test]
fn whole_seconds_need_no_fractions() {
    assert_eq!(seconds(Micros::from_ms(2000)), "2");
    assert_eq!(seconds(Micros::from_ms(500)), "0.500000");
}
