//! Resolves `app`: an alternative with names of applications becomes one for each of their alternatives.

use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked, undefined};
use crate::profile::apps;
use crate::syntax::raw::{Many, RawMatch};

/// Returns the alternatives of the applications, each with the name of its application and with the other keys of `raw`.
pub(super) fn expanded(raw: &RawMatch, sink: &mut Sink) -> Vec<(String, RawMatch)> {
    if let Some((key, place)) = own_ports(raw) {
        let message = format!("`{key}` cannot stand beside `app`, which brings protocols and ports");
        sink.push(
            Diagnostic::new(Code::CannotMatch, place, message)
                .help(format!("remove `{key}`, or write a second alternative: `- {{ {key}: ... }}`")),
        );
        return Vec::new();
    }
    let mut all = Vec::new();
    let names = &raw.app;
    let raw = &RawMatch { app: Vec::new(), ..raw.clone() };
    let values = [raw.host.len(), raw.tunnel.len(), raw.local.len(), raw.remote.len(), raw.mark.len()];
    let values = 1 + values.iter().sum::<usize>();
    for name in names {
        // Each application has a file in this program.
        if !sink.charge(1, budget::APP) {
            break;
        }
        let Some(app) = apps::find(&name.value) else {
            sink.push(unknown(name));
            continue;
        };
        if !sink.charge(app.matches.len() * values, budget::COPY) {
            break;
        }
        all.extend(app.matches.into_iter().map(|own| (name.value.clone(), both(own, raw, name.span))));
    }
    all
}

/// Returns a key that an application brings itself, if the alternative has it, and its place.
fn own_ports(raw: &RawMatch) -> Option<(&'static str, Span)> {
    let protocol = raw.protocol_key.map(|place| ("protocol", place));
    let tcp = || raw.tcp_key.map(|place| ("tcp", place));
    protocol.or_else(tcp).or_else(|| raw.first_port().map(|(key, port)| (key, port.span)))
}

/// Returns the protocols and ports of an application with the other keys of the file. `here` is the place of its name.
fn both(own: RawMatch, raw: &RawMatch, here: Span) -> RawMatch {
    // The places in the file of the application mean nothing to the user.
    fn at<T>(many: Many<T>, span: Span) -> Many<T> {
        many.into_iter().map(|item| Spanned { span, ..item }).collect()
    }
    RawMatch {
        span: here,
        protocol: at(own.protocol, here),
        local_port: at(own.local_port, here),
        remote_port: at(own.remote_port, here),
        port: at(own.port, here),
        ..raw.clone()
    }
}

/// Returns the error for a name without a file.
fn unknown(name: &Spanned<String>) -> Diagnostic {
    if apps::is_web(&name.value) {
        let shown = ticked(&name.value);
        let message = format!("{shown} uses port 443 as all web pages do, so ports do not tell it apart");
        return Diagnostic::new(Code::UndefinedName, name.span, message)
            .help("match the host that uses it: `{ host: NAME }`, with the host's address in `hosts`")
            .help("or let hosts share equally with `share: per-host`, so that it cannot take everything");
    }
    undefined("application", name, &apps::names(), || match apps::alias(&name.value) {
        Some(alias) => format!("did you mean `{alias}`?"),
        None => "`qosc profiles` lists the applications; for another one, write `protocol` and `remote_port`"
            .to_owned(),
    })
}

#[cfg(test)]
#[path = "apps_tests.rs"]
mod tests;
