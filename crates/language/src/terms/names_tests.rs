use super::*;
use strum::VariantArray;

/// Checks that JSON and messages use the same names.
fn names_agree<T: VariantArray + serde::Serialize + Copy + Into<&'static str>>() {
    for value in T::VARIANTS {
        let name: &'static str = (*value).into();
        assert_eq!(serde_json::to_value(value).unwrap(), name);
    }
}

#[test]
fn json_and_messages_use_the_same_names() {
    names_agree::<Diffserv>();
    names_agree::<Direction>();
    names_agree::<Engine>();
    names_agree::<FileSection>();
    names_agree::<Frames>();
    names_agree::<Ingress>();
    names_agree::<Inner>();
    names_agree::<Layer>();
    names_agree::<Load>();
    names_agree::<Measure>();
    names_agree::<Offloads>();
    names_agree::<Share>();
    names_agree::<TcpKind>();
    names_agree::<Ecn>();
    names_agree::<TunnelKind>();
    names_agree::<Wash>();
}
