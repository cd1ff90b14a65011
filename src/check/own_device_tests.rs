use super::OWN;
use crate::units::{IfName, LinkName};

#[test]
fn every_link_name_makes_names_that_the_kernel_takes() {
    let longest = "a".repeat(10);
    assert!(longest.parse::<LinkName>().is_ok() && format!("{longest}a").parse::<LinkName>().is_err());
    assert!(OWN.iter().all(|prefix| format!("{prefix}{longest}").parse::<IfName>().is_ok()));
}
