//! Devices, names, settings and mark bits that one file takes on its router.

use super::mark_bits::MarkBits;
use crate::diag::{FileId, Source, Span, Spanned, ticked};
use crate::model::{Model, Val};
use crate::tc::Program;
use crate::units::{IfName, LinkName};

/// Kernel setting of `tuning.ecn`; all others come from `tuning.tcp`.
const ECN: &str = "net/ipv4/tcp_ecn";

/// Devices, names, settings and mark bits that one file takes on its router.
#[derive(Debug, Clone)]
pub struct Claims {
    pub(super) source: Source,
    pub(super) link: Spanned<String>,
    pub(super) wan: Spanned<String>,
    /// The other devices of the line.
    pub(super) devices: Vec<Spanned<String>>,
    pub(super) lan: Vec<Spanned<String>>,
    pub(super) tunnels: Vec<TunnelDevice>,
    /// Devices that the script makes.
    pub(super) makes: Vec<String>,
    /// Tables of nft and directories.
    pub(super) names: Vec<String>,
    pub(super) settings: Vec<Setting>,
    pub(super) marks: MarkBits,
}

/// Device of a tunnel.
#[derive(Debug, Clone)]
pub(super) struct TunnelDevice {
    pub(super) tunnel: String,
    pub(super) device: Spanned<String>,
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
        let device = |own: &Val<IfName>, otherwise: Span| {
            Spanned::new(own.value.to_string(), own.span().unwrap_or(otherwise))
        };
        let tunnels = model.tunnels.iter().filter_map(|tunnel| {
            Some(TunnelDevice {
                tunnel: tunnel.name.clone(),
                device: device(tunnel.device.as_ref()?, tunnel.span),
                queues: tunnel.decrypted().is_some(),
            })
        });
        let link = program.link.as_str();
        let table = program.marks.is_some().then(|| format!("qosc_{link}"));
        let lan = model.lan.devices.iter().filter(|lan| lan.span().is_some());
        Claims {
            source,
            link: Spanned::new(link.to_owned(), model.name.span().unwrap_or(start)),
            wan: device(&model.link.device, start),
            devices: model.link.devices.iter().map(|own| device(&own.device, start)).collect(),
            lan: lan.map(|lan| device(lan, start)).collect(),
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
    pub(super) fn named_devices(&self) -> impl Iterator<Item = &Spanned<String>> {
        let tunnels = self.tunnels.iter().map(|tunnel| &tunnel.device);
        self.of_line().chain(&self.lan).chain(tunnels)
    }

    /// Returns the devices of the line, the WAN device first.
    pub(super) fn of_line(&self) -> impl Iterator<Item = &Spanned<String>> {
        [&self.wan].into_iter().chain(&self.devices)
    }

    /// Returns a valid name for the link that differs from its own.
    pub(super) fn other_name(&self) -> String {
        let name = self.link.value.as_str();
        let longer = format!("{name}2");
        let fits = |name: &str| name.parse::<LinkName>().is_ok();
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
    let tcp = model.tuning.tcp.as_ref().and_then(|tcp| tcp.rtt.span());
    let ecn = model.tuning.ecn.as_ref().and_then(|ecn| ecn.span());
    let setting = |(key, span): (&'static str, Option<Span>)| {
        let of_key = program.settings.sysctls.iter().filter(|one| (one.path == ECN) == (key == "ecn"));
        let values = of_key.map(|one| (one.path, one.value.clone())).collect();
        span.map(|span| Setting { key, span, values })
    };
    [("tcp", tcp), ("ecn", ecn)].into_iter().filter_map(setting).collect()
}
