use super::asked;
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::model::Model;

fn model(classes: &str) -> Model {
    let yaml = format!(
        "link: {{ device: eth0, profile: docsis, up: 10mbit, down: 50mbit }}\nclasses: {{ {classes} }}\n"
    );
    let (model, _) = compile(yaml, &Options::of("home.yaml")).into_finished().unwrap();
    model
}

/// Uses the formulas that resolve really writes, so that a share is distinguished from a share of the remaining rate.
#[test]
fn the_written_amount_is_recovered_from_the_formula() {
    let model =
        model("a: { guarantee: 12.5%, ceiling: 80% }, b: { guarantee: 1mbit }, c: {}, d: { default: true }");
    for class in &model.classes {
        assert_eq!(asked(&class.guarantee.up), class.asked.guarantee.up, "{}", class.name);
        assert_eq!(asked(&class.ceiling.down), class.asked.ceiling.down, "{}", class.name);
    }
}
