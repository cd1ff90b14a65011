//! By which way a packet finds its class, where there are several, and why that one.

use super::Section;
use crate::model::{Ingress, Model};

/// How packets are told apart.
pub(super) fn ways(model: &Model) -> Section {
    let mut words = vec![format!(
        "uploads are told apart at the root of {}, by tc alone: {}",
        model.link.device.value.as_str(),
        "every key of every match can be read from the packet there"
    )];
    words.push(match model.link.ingress.value {
        Ingress::Shape => format!(
            "downloads are turned into ifb-{} at the ingress hook and told apart there, by tc alone",
            model.name.value.as_str()
        ),
        Ingress::Police => {
            "downloads are held to their rate by one police, and are not told apart".to_owned()
        }
        Ingress::None => "downloads are left alone".to_owned(),
    });
    Section { title: "how a packet finds its class".to_owned(), rows: Vec::new(), words }
}
