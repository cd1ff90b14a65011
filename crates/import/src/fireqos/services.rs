//! Services of FireQOS by name.

/// Services that FireQOS knows, and a few that its users expect: the name, and each protocol with its ports.
const SERVICES: &str = include_str!("services.txt");

/// Longest list of ports, in bytes, so that many uses of a service take linear time.
const LONGEST: usize = 400;

/// Returns the protocols and ports of a service as a match names them. `own` are the ports that the file defines.
pub(super) fn ports(name: &str, own: Option<&str>) -> Option<Vec<(String, String)>> {
    let lower = name.to_ascii_lowercase();
    let known = || SERVICES.lines().find_map(|line| line.strip_prefix(lower.as_str())?.strip_prefix(' '));
    let mut found: Vec<(String, String)> = Vec::new();
    let all = own.filter(|own| !own.is_empty()).or_else(known).filter(|all| all.len() <= LONGEST)?;
    for part in all.split_whitespace() {
        let (protocol, ports) = match part.split_once('/') {
            Some(both) => both,
            None if part.starts_with(|c: char| c.is_ascii_digit()) => ("any", part),
            None => (part, "any"),
        };
        match found.last_mut() {
            Some((own, all)) if own == protocol && all != "any" && ports != "any" => {
                *all = format!("{all},{ports}");
            }
            Some((all, own)) if own == ports => *all = format!("{all},{protocol}"),
            _ => found.push((protocol.to_owned(), ports.to_owned())),
        }
    }
    Some(found)
}
