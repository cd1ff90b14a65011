use super::{LINES, all, meaning, profile_of};
use crate::profile;

#[test]
fn every_cake_keyword_of_a_line_names_a_profile() {
    for (keyword, wire) in LINES {
        let found = profile::find(keyword).unwrap_or_else(|| panic!("{keyword}"));
        assert_eq!(found.wire(), wire, "{keyword}");
        assert_eq!(
            profile_of(keyword).is_none(),
            found.name == keyword,
            "{keyword}: our own names come first"
        );
    }
    for (keyword, name) in all() {
        let (found, (_, wire)) = (profile::find(keyword).unwrap(), meaning(keyword).unwrap());
        assert_eq!((found.name.as_str(), found.wire()), (name, wire), "{keyword}");
    }
    assert_eq!(all().count(), 13);
    assert_eq!(profile_of("pppoe-ptm ether-vlan"), Some("vdsl2-pppoe-vlan"));
    // CAKE's `raw` counts the device's header, so the profile `raw` takes precedence
    assert_eq!((profile_of("raw"), profile::find("raw").unwrap().overhead), (None, 0));
    assert_eq!(meaning("docsis ethernet"), None);
    assert_eq!(meaning("docsis noatm"), None);
}
