use super::*;
use crate::lower::tests::fixture::{inner, leaf, lowered, model, val};
use crate::model::{Diffserv, Ingress, Isolation, Layer};
use crate::tc::{CakeOverhead, Charge, Facts, LinkLayer, Overhead, Program};
use crate::units::Micros;

fn home() -> Model {
    model(vec![
        inner("family", 0x20, None, vec![leaf("voice", 0x21, None), leaf("web", 0x22, None)]),
        leaf("rest", 0xee, None),
    ])
}

#[test]
fn parent_classes_come_before_their_children() {
    let program = lowered(&home());
    let shown: Vec<String> = program
        .classes
        .iter()
        .map(|class| {
            let Parent::At(parent) = class.parent else { panic!() };
            let mbit = |rate: Rate| rate.bps() / 1_000_000;
            format!(
                "{:?} {parent} {} {} {}-{}",
                class.dev,
                class.id,
                class.why.name,
                mbit(class.rate),
                mbit(class.ceil)
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Wan c05: c05:a000 home 10-10",
            "Wan c05:a000 c05:a020 family 1-10",
            "Wan c05:a020 c05:a021 voice 1-10",
            "Wan c05:a020 c05:a022 web 1-10",
            "Wan c05:a000 c05:a0ee rest 1-10",
            "Ifb c05: c05:a000 home 20-20",
            "Ifb c05:a000 c05:a020 family 2-20",
            "Ifb c05:a020 c05:a021 voice 2-20",
            "Ifb c05:a020 c05:a022 web 2-20",
            "Ifb c05:a000 c05:a0ee rest 2-20",
        ]
    );
    assert_eq!((program.classes[2].why.line, program.classes[2].prio), (Some(0x21), 2));
}

#[test]
fn root_qdiscs_come_before_leaf_qdiscs() {
    let program = lowered(&home());
    let shown: Vec<String> = program
        .qdiscs
        .iter()
        .map(|qdisc| format!("{:?} {} {}", qdisc.dev, qdisc.handle, qdisc.why.name))
        .collect();
    assert_eq!(
        shown,
        [
            "Wan c05: home",
            "Ifb c05: home",
            "Wan ffff: home",
            "Wan a021: voice",
            "Wan a022: web",
            "Wan a0ee: rest",
            "Ifb a021: voice",
            "Ifb a022: web",
            "Ifb a0ee: rest",
        ]
    );
    let voice = &program.qdiscs[3];
    assert_eq!(voice.parent, Parent::At(Handle { major: 0xc05, minor: 0xa021 }));
}

fn overhead(program: &Program, header: u32) -> (Stab, Charge) {
    let program = program.on(Facts { header, split_in_leaves: false });
    let stab = match program.qdiscs[0].kind {
        QdiscKind::Htb { stab, .. } => stab,
        _ => panic!(),
    };
    assert!(program.classes.iter().all(|class| class.charge == program.charge));
    (stab, program.charge)
}

fn with_overhead(above_ip: u32) -> Program {
    let mut model = home();
    model.link.overhead = val(above_ip);
    lowered(&model)
}

/// The kernel gets the overhead above IP minus the header that the device already counts. A negative result needs a
/// size table.
#[test]
fn the_overhead_subtracts_the_header_of_the_device() {
    let charge = |overhead: u32| Charge {
        overhead: Overhead::Fixed(overhead),
        mpu: 0,
        linklayer: LinkLayer::Ethernet,
    };
    let vdsl = with_overhead(30);
    assert_eq!(overhead(&vdsl, 0), (Stab::None, charge(30)));
    assert_eq!(overhead(&vdsl, 14), (Stab::None, charge(16)));
    assert_eq!(overhead(&vdsl, 22), (Stab::None, charge(8)));
    let raw = with_overhead(0);
    assert_eq!(overhead(&raw, 0), (Stab::None, charge(0)));
    assert_eq!(overhead(&raw, 14), (Stab::Fixed(-14), charge(0)));
    let docsis = with_overhead(18);
    assert_eq!(overhead(&docsis, 14), (Stab::None, charge(4)));
    assert_eq!(overhead(&docsis, 22), (Stab::Fixed(-4), charge(0)));
    assert!(matches!(raw.qdiscs[0].kind, QdiscKind::Htb { stab: Stab::BelowHeader { above_ip: 0 }, .. }));
    assert!(matches!(with_overhead(22).qdiscs[0].kind, QdiscKind::Htb { stab: Stab::None, .. }));
}

/// A CAKE in a class below a size table adds back the Ethernet header that every CAKE subtracts. Elsewhere it counts
/// like a CAKE at the root.
#[test]
fn a_cake_leaf_has_the_overhead_that_its_parent_needs() {
    let overhead = |above_ip: u32, header: u32| {
        let mut model = home();
        model.link.overhead = val(above_ip);
        let Shape::Inner(family) = &mut model.classes[0].shape else { panic!() };
        let Shape::Leaf(web) = &mut family[1].shape else { panic!() };
        web.queue.down = Queue::Cake {
            rtt: val(Micros::from_ms(100)),
            diffserv: val(Diffserv::Besteffort),
            ack_filter: val(false),
            wash: val(false),
            isolation: val(Isolation::Flows),
            nat: val(false),
            memory: val(Bytes::new(4 << 20)),
        };
        let program = lowered(&model).on(Facts { header, split_in_leaves: false });
        let shapers = program.qdiscs.iter().filter_map(|qdisc| match &qdisc.kind {
            QdiscKind::Cake { shaper, .. } => shaper.map(|shaper| shaper.overhead),
            _ => None,
        });
        shapers.collect::<Vec<_>>()
    };
    for (above_ip, header, expected) in [
        (30, 0, 30),
        (30, 14, 30),
        (30, 22, 22),
        (0, 0, 0),
        (0, 14, 14),
        (10, 0, 10),
        (10, 14, 14),
        (14, 14, 14),
        (18, 14, 18),
        (18, 22, 14),
    ] {
        assert_eq!(overhead(above_ip, header), [CakeOverhead::Fixed(expected)], "{above_ip} on {header}");
    }
}

#[test]
fn the_kernel_charges_atm_cells_but_not_ptm() {
    let layer = |layer: Layer| {
        let mut model = home();
        model.link.layer = val(layer);
        model.link.mpu = val(64);
        lowered(&model).charge
    };
    assert_eq!(layer(Layer::Atm).linklayer, LinkLayer::Atm);
    assert_eq!(layer(Layer::Ptm).linklayer, LinkLayer::Ethernet);
    assert_eq!((layer(Layer::Ethernet).linklayer, layer(Layer::Ethernet).mpu), (LinkLayer::Ethernet, 64));
}

#[test]
fn leaf_qdiscs_become_cake_if_leaves_must_split() {
    let mut model = home();
    model.tuning.split.down = val(false);
    let Shape::Inner(family) = &mut model.classes[0].shape else { panic!() };
    let Shape::Leaf(web) = &mut family[1].shape else { panic!() };
    web.queue.up = Queue::Fifo { limit: val(100) };
    let program = lowered(&model);
    let on = |split_in_leaves: bool| program.on(Facts { header: 0, split_in_leaves });
    let kinds = |program: &Program| {
        let leaves = program.qdiscs.iter().filter(|qdisc| matches!(qdisc.parent, Parent::At(_)));
        let kinds = leaves.map(|qdisc| match qdisc.kind {
            QdiscKind::FqCodel { .. } => "fq_codel",
            QdiscKind::Cake { tins: CakeTins::Besteffort, ack_filter: false, wash: false, .. } => "cake",
            QdiscKind::Pfifo { .. } => "pfifo",
            _ => "?",
        });
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(kinds(&on(false)), ["fq_codel", "pfifo", "fq_codel", "fq_codel", "fq_codel", "fq_codel"]);
    assert_eq!(kinds(&on(true)), ["cake", "pfifo", "cake", "fq_codel", "fq_codel", "fq_codel"]);
    assert!(on(true).qdiscs.iter().all(|qdisc| qdisc.instead.is_none()));
    assert_eq!(on(true), on(true).on(Facts { header: 14, split_in_leaves: false }));
}

#[test]
fn ingress_none_leaves_only_objects_for_uploads() {
    let mut model = home();
    model.link.ingress = val(Ingress::None);
    let program = lowered(&model);
    assert!(program.classes.iter().all(|class| class.dev == Dev::Wan));
    assert!(program.filters.iter().all(|filter| filter.dev == Dev::Wan));
    assert_eq!(program.ifb.as_str(), "ifb-home");
}
