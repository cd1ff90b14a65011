//! `qosc profiles`.

use super::args::Profiles;
use super::outcome::Done;
use super::output;
use qosc_compiler::diag::wrapped;
use qosc_compiler::profile::sets;
use qosc_compiler::profile::{self, apps, keywords};

pub(super) fn run(args: &Profiles) -> Done {
    match &args.name {
        None => output::text(&list()),
        Some(name) => show(name),
    }
}

/// Lists the link profiles with their numbers, CAKE's keywords for them, and the class sets.
fn list() -> String {
    let mut profiles = "link profiles: overhead above IP, mpu, link layer\n".to_owned();
    for p in profile::all() {
        let numbers = format!("  {:20} {:>3} {:>3} {:9} ", p.name, p.overhead, p.mpu, p.layer.as_str());
        wrapped(&mut profiles, &numbers, &p.about, numbers.len());
    }
    let mut lines = vec![profiles.trim_end().to_owned()];
    lines.push("keywords of CAKE for the same lines, which `profile` accepts as well:".to_owned());
    lines.extend(keywords::all().filter_map(|(keyword, name)| {
        let wire = profile::find(name)?.wire();
        let layer = wire.layer.as_str();
        Some(format!("  {keyword:22} {:>3} {:>3} {layer:9} {name}", wire.overhead, wire.mpu))
    }));
    lines.push("applications, for `app` in a match:".to_owned());
    for (name, app) in apps::names().into_iter().filter_map(|name| Some((name, apps::find(name)?))) {
        let mut line = String::new();
        wrapped(&mut line, &format!("  {name:22} "), &app.about, 25);
        lines.push(line.trim_end().to_owned());
    }
    lines.push("class sets:".to_owned());
    lines.extend(sets::names().into_iter().map(|name| format!("  {name}")));
    lines.join("\n") + "\n"
}

fn show(name: &str) -> Done {
    if let Some(text) = profile::text(name).or_else(|| sets::text(name)).or_else(|| apps::text(name)) {
        return output::text(text);
    }
    let keywords = keywords::all().map(|(keyword, _)| keyword);
    let all = profile::names().into_iter().chain(sets::names()).chain(apps::names()).chain(keywords);
    Err(output::no_such("profile", name, all, None))
}
