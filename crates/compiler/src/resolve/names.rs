//! Looks up names and reports missing ones.

use crate::diag::{Code, Diagnostic, Fix, Sink, Span, Spanned, or_ticked, respelt, ticked};
use crate::model::{ClassId, FileSection, Host, Link, Tunnel, Val};
use crate::units::LinkName;
use std::collections::{BTreeMap, BTreeSet};

/// Number of names that a message lists.
const LISTED: usize = 8;

/// Object that a class name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class {
    /// Id of the class.
    pub id: ClassId,
    /// `true` for a leaf class, which has a queue.
    pub leaf: bool,
}

/// All names of one file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Indices of hosts in the model.
    pub hosts: BTreeMap<String, usize>,
    /// Indices of tunnels in the model.
    pub tunnels: BTreeMap<String, usize>,
    /// Indices of devices in the model's link.
    pub devices: BTreeMap<String, usize>,
    /// Classes by name.
    pub classes: BTreeMap<String, Class>,
    /// Names of classes by path.
    pub named: BTreeMap<String, String>,
    /// Paths of classes by the last part of their path.
    pub paths: BTreeMap<String, BTreeSet<String>>,
    /// Sections from which no name could be read. A name that is missing there may exist in the file.
    pub unread: Vec<FileSection>,
    /// Keys of the file's sections.
    keys: Vec<(FileSection, Span)>,
}

impl Names {
    /// Registers the devices of the link, hosts and tunnels; classes are added later.
    pub fn new(
        link: &Link,
        hosts: &[Host],
        tunnels: &[Tunnel],
        unread: Vec<FileSection>,
        keys: &[(FileSection, Span)],
    ) -> Self {
        Names {
            unread,
            keys: keys.to_vec(),
            hosts: hosts.iter().enumerate().map(|(index, host)| (host.name.clone(), index)).collect(),
            tunnels: tunnels.iter().enumerate().map(|(index, tunnel)| (tunnel.name.clone(), index)).collect(),
            devices: link
                .devices
                .iter()
                .enumerate()
                .map(|(index, own)| (own.device.value.to_string(), index))
                .collect(),
            ..Names::default()
        }
    }

    /// Returns the index of the host with this name.
    pub fn host(&self, name: &Spanned<String>, sink: &mut Sink) -> Option<usize> {
        self.look_up(&self.hosts, ("host", "hosts", FileSection::Hosts), &name.value, name.span, sink)
    }

    /// Returns the index of the tunnel with this name.
    pub fn tunnel(&self, name: &Spanned<String>, sink: &mut Sink) -> Option<usize> {
        self.look_up(&self.tunnels, ("tunnel", "tunnels", FileSection::Tunnels), &name.value, name.span, sink)
    }

    /// Returns the index of the device with this name.
    pub fn device(&self, name: &Spanned<String>, sink: &mut Sink) -> Option<usize> {
        self.look_up(
            &self.devices,
            ("device", "link.devices", FileSection::Link),
            &name.value,
            name.span,
            sink,
        )
    }

    /// Returns the leaf class with this name. A parent class is an error, because packets can only enter a queue.
    ///
    /// A class has its path, and if no other class has the same name, that name alone.
    pub fn leaf(&self, name: &str, span: Span, sink: &mut Sink) -> Option<ClassId> {
        let name = self.named.get(name).map_or(name, String::as_str);
        if let Some(paths) = self.paths.get(name).filter(|_| !self.classes.contains_key(name)) {
            let message = format!("{} classes are called {}", paths.len(), ticked(name));
            let help = format!(
                "write the path of one: {}",
                or_ticked(paths.iter().take(LISTED).map(String::as_str))
            );
            sink.push(Diagnostic::new(Code::UndefinedName, span, message).help(help));
            return None;
        }
        let class =
            self.look_up(&self.classes, ("class", "classes", FileSection::Classes), name, span, sink)?;
        if !class.leaf {
            let message = format!("class {} contains classes, so it has no queue", ticked(name));
            sink.push(
                Diagnostic::new(Code::BadChoice, span, message).help("write one of the leaf classes inside"),
            );
        }
        class.leaf.then_some(class.id)
    }

    fn look_up<T: Copy>(
        &self,
        table: &BTreeMap<String, T>,
        (noun, key, part): (&str, &str, FileSection),
        name: &str,
        span: Span,
        sink: &mut Sink,
    ) -> Option<T> {
        let found = table.get(name).copied();
        if found.is_none() && !self.unread.contains(&part) {
            let near = sink.near(name, table.keys().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean {}?", ticked(near)),
                None if (1..=LISTED).contains(&table.len()) => {
                    format!(
                        "define it under `{key}`, or write {}",
                        or_ticked(table.keys().map(String::as_str))
                    )
                }
                None => format!("define it under `{key}`"),
            };
            let message = format!("there is no {noun} {}", ticked(name));
            // Users invent names, so a name with one more letter may be a different name whose declaration was
            // forgotten.
            let fix = near.and_then(|_| respelt(name, table.keys().map(String::as_str)));
            let fix = fix.map(|meant| Fix::name(meant, span));
            let empty = self.keys.iter().filter(|(of, _)| *of == part && table.is_empty());
            let empty = empty.map(|(_, place)| (*place, format!("`{key}` is empty")));
            let finding = Diagnostic::new(Code::UndefinedName, span, message).also_at(empty);
            let finding = match part {
                // the other device that users have in mind
                FileSection::Link => finding.help(
                    "to match hosts behind a LAN device, write their prefix, such as `local: 192.168.9.0/24`",
                ),
                _ => finding,
            };
            sink.push(finding.help(help).fix(fix));
        }
        found
    }
}

/// Reports names that occur in more than one mapping. The reader has already reported duplicates within one mapping.
pub(super) fn unique<'a>(noun: &str, names: impl IntoIterator<Item = &'a Spanned<String>>, sink: &mut Sink) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for name in names {
        if let Some(first) = seen.get(name.value.as_str()) {
            let message = format!(
                "the {noun} name {} is used twice, but {noun} names must be unique in the whole file",
                ticked(&name.value)
            );
            sink.push(
                Diagnostic::new(Code::DuplicateName, name.span, message)
                    .label("used again")
                    .also(*first, "first used here")
                    .help("write another name in one of the two places"),
            );
        } else {
            seen.insert(&name.value, name.span);
        }
    }
}

/// Returns the given name of the link, or the file's stem if that is a valid name. `None` after an error.
pub(super) fn link(
    given: Option<&Spanned<LinkName>>,
    stem: &str,
    link: Option<&str>,
    at: Span,
    sink: &mut Sink,
) -> Option<Val<LinkName>> {
    let whole = |file: &str| link.map_or_else(|| file.to_owned(), |link| format!("{file}-{link}"));
    if let Some(name) = given {
        let named = whole(name.value.as_str()).parse::<LinkName>();
        let named = named.map_err(|error| {
            let finding = Diagnostic::new(Code::BadName, name.span, error.message);
            let finding = finding.also(at, "the name of a link is that of the file, a `-` and its own");
            sink.push(finding.help("write shorter names"));
        });
        return named.ok().map(|named| Val::given(named, name.span));
    }
    match LinkName::of_file(&whole(stem)) {
        Ok(name) => Some(Val::default(name, "the file's name")),
        // The name of the link itself is already reported.
        Err(_) if link.is_some_and(|link| link.parse::<LinkName>().is_err()) => None,
        Err(error) => {
            let message =
                format!("no `name` is given, and the file name is not a valid link name: {}", error.message);
            let finding = Diagnostic::new(Code::BadName, at, message);
            let finding = finding.help("write `name: NAME`: devices and tables are named after the link");
            sink.push(error.help.into_iter().map(|help| help.words).fold(finding, Diagnostic::help));
            None
        }
    }
}
