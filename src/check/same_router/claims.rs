//! Devices, names, settings and mark bits that one file takes on its router.

use super::mark_bits::MarkBits;
use crate::diag::{FileId, Source, Span, ticked};
use crate::model::Model;
use crate::tc::Program;

/// Kernel setting of `tuning.ecn`; all others come from `tuning.tcp`.
const ECN: &str = "net/ipv4/tcp_ecn";

/// Devices, names, settings and mark bits that one file takes on its router.
#[derive(Debug, Clone)]
pub struct Claims {
    pub(super) source: Source,
    pub(super) link: Placed<String>,
    pub(super) wan: Placed<String>,
    /// The other devices of the line.
    pub(super) devices: Vec<Placed<String>>,
    pub(super) lan: Vec<Placed<String>>,
    pub(super) tunnels: Vec<TunnelDevice>,
    /// Devices that the script makes.
    pub(super) makes: Vec<String>,
    /// Tables of nft and directories.
    pub(super) names: Vec<String>,
    pub(super) settings: Vec<Setting>,
    pub(super) marks: MarkBits,
}

/// A value and its place in the file.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// Device of a tunnel.
#[derive(Debug, Clone)]
pub(super) struct TunnelDevice {
    pub(super) tunnel: String,
    pub(super) device: Placed<String>,
    /// True if the script queues downloads at the ingress of this device, after the kernel decrypted them.
    pub(super) queues: bool,
}

/// A key of `tuning` and the kernel settings that it writes.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) key: &'static str,
    pub(super) span: Span,
    pub(super) values: Vec<(&'static str, String)>,
}

impl Claims {
    /// Collects the claims of a compiled file. `source` is its name and text.
    #[must_use]
    pub fn of(model: &Model, program: &Program, source: Source) -> Self {
        // A link without `name` has its name nowhere in the text.
        let start = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };
        let wan = &model.link.device;
        let lan = model.lan.devices.iter();
        let tunnels = model.tunnels.iter().filter_map(|tunnel| {
            let device = tunnel.device.as_ref()?;
            let span = device.span().unwrap_or(tunnel.span);
            Some(TunnelDevice {
                tunnel: tunnel.name.clone(),
                device: Placed { value: device.value.to_string(), span },
                queues: tunnel.decrypted().is_some(),
            })
        });
        let link = program.link.as_str();
        let table = program.marks.is_some().then(|| format!("qosc_{link}"));
        Claims {
            source,
            link: Placed { value: link.to_owned(), span: model.name.span().unwrap_or(start) },
            wan: Placed { value: wan.value.to_string(), span: wan.span().unwrap_or(start) },
            devices: model
                .link
                .devices
                .iter()
                .map(|own| Placed {
                    value: own.device.value.to_string(),
                    span: own.device.span().unwrap_or(start),
                })
                .collect(),
            lan: lan
                .filter_map(|lan| Some(Placed { value: lan.value.to_string(), span: lan.span()? }))
                .collect(),
            tunnels: tunnels.collect(),
            makes: program.own_devices(),
            names: table.into_iter().chain([format!("/run/qosc/{link}")]).collect(),
            settings: settings(model, program),
            marks: MarkBits::of(model),
        }
    }

    /// Returns the name of the file, as the user gave it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// Text of a place in a message: `` in line 3 of `dsl.yaml` ``. A name that is not in the text has no line.
    pub(super) fn at(&self, span: Span) -> String {
        match span.start < span.end {
            true => format!("in line {} of {}", span.line, ticked(self.file())),
            false => format!("in {}", ticked(self.file())),
        }
    }

    pub(super) fn link(&self) -> String {
        format!("link {}", ticked(&self.link.value))
    }

    /// Returns every device that the file names.
    pub(super) fn named_devices(&self) -> impl Iterator<Item = &Placed<String>> {
        let tunnels = self.tunnels.iter().map(|tunnel| &tunnel.device);
        self.of_line().chain(&self.lan).chain(tunnels)
    }

    /// Returns the devices of the line, the WAN device first.
    pub(super) fn of_line(&self) -> impl Iterator<Item = &Placed<String>> {
        [&self.wan].into_iter().chain(&self.devices)
    }

    /// Returns a valid name for the link that differs from its own.
    pub(super) fn other_name(&self) -> String {
        let name = self.link.value.as_str();
        let longer = format!("{name}2");
        let fits = |name: &str| name.parse::<crate::units::LinkName>().is_ok();
        match name.char_indices().last() {
            Some((end, _)) if !fits(&longer) => {
                let last = if name.ends_with('2') { '3' } else { '2' };
                format!("{}{last}", name.get(..end).unwrap_or_default())
            }
            _ => longer,
        }
    }
}

fn settings(model: &Model, program: &Program) -> Vec<Setting> {
    let tuning = &model.tuning;
    let tcp = tuning.tcp.as_ref().and_then(|tcp| tcp.rtt.span());
    let ecn = tuning.ecn.as_ref().and_then(|ecn| ecn.span());
    let values = |of_ecn: bool| {
        let of_key = program.settings.sysctls.iter().filter(move |one| (one.path == ECN) == of_ecn);
        of_key.map(|one| (one.path, one.value.clone())).collect()
    };
    let tcp = tcp.map(|span| Setting { key: "tcp", span, values: values(false) });
    let ecn = ecn.map(|span| Setting { key: "ecn", span, values: values(true) });
    tcp.into_iter().chain(ecn).collect()
}
