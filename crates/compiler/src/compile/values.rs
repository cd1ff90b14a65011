//! Creates the values for templates of users.

use crate::emit::{ClassValues, HostValues, TunnelValues, Values, comment};
use crate::model::{Class, Model, PerDirection, Shape, Val};
use crate::tc::class_minor;
use crate::units::Rate;

/// Returns the values of a model for the templates of a user.
#[must_use]
pub fn values(model: &Model) -> Values {
    let link = &model.link;
    let mut classes = Vec::new();
    walk(&model.classes, "", 0, &mut classes);
    let hosts = model.hosts.iter().map(|host| HostValues {
        name: comment(&host.name),
        addresses: host.addresses.iter().map(|address| address.value.to_string()).collect(),
        macs: host.mac.iter().map(|mac| mac.value.to_string()).collect(),
    });
    let tunnels = model.tunnels.iter().map(|tunnel| TunnelValues {
        name: comment(&tunnel.name),
        kind: tunnel.kind.as_str().to_owned(),
        device: tunnel.device.as_ref().map(|device| device.value.to_string()).unwrap_or_default(),
    });
    Values {
        device: link.device.value.to_string(),
        profile: comment(&link.profile.value),
        overhead: link.overhead.value,
        mpu: link.mpu.value,
        layer: link.layer.value.as_str().to_owned(),
        line: PerDirection::from_fn(|d| link.line_rate(d).map_or(0, |line| line.value.bps())),
        shaped: rates(&link.shaped),
        engine: PerDirection::from_fn(|direction| link.engine.get(direction).value.as_str().to_owned()),
        classes,
        hosts: hosts.collect(),
        tunnels: tunnels.collect(),
    }
}

fn rates(rates: &PerDirection<Val<Rate>>) -> PerDirection<u64> {
    PerDirection::from_fn(|direction| rates.get(direction).value.bps())
}

fn walk(tree: &[Class], parent: &str, depth: usize, all: &mut Vec<ClassValues>) {
    for class in tree {
        all.push(ClassValues {
            name: comment(&class.name),
            parent: comment(parent),
            depth,
            id: format!("c05:{:x}", class_minor(class.id.value.0)),
            leaf: class.leaf().is_some(),
            default: class.is_default(),
            priority: class.priority.value,
            guarantee: rates(&class.guarantee),
            ceiling: rates(&class.ceiling),
        });
        if let Shape::Inner(children) = &class.shape {
            walk(children, &class.name, depth + 1, all);
        }
    }
}
