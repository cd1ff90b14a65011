//! Topology that the guest builds: the house, the line and the internet.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use qosc_compiler::model::{Direction, Host, Layer, Model, PerDirection};
use qosc_compiler::units::{Address, Mac, Micros, Rate};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes that an Ethernet frame adds to its IP packet, and bytes that GRE over IPv4 adds within such a frame. GRE
/// carries packets without a link-layer header.
const ETHERNET: i64 = 14;
const GRE: i64 = ETHERNET + 20 + 4;
/// Rate of the fastest line in bit/s. On a faster line, simulating one second takes minutes.
const MOST: u64 = 2_500_000_000;
/// Rate of the slowest line in bit/s. The queue of a slower line takes minutes to empty.
const LEAST: u64 = 100_000;
/// Number of addresses in the internet, so that each flow can have its own.
const REMOTES: u16 = 250;
/// Name prefixes of devices whose packets begin with their IP header. A number must follow, except after `ppp`.
const RAW: [&str; 4] = ["tun", "wg", "wwan", "rmnet"];
/// Usual prefixes of households.
const USUAL_V4: IpNet = IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(192, 168, 77, 0)), 24);
const USUAL_V6: IpNet = IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(0xfd00, 0x77, 0, 1, 0, 0, 0, 0)), 64);

/// A machine of the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Name for people: from the file, or the purpose of the machine.
    pub name: String,
    /// Network namespace of the machine.
    pub space: String,
    /// Index among the file's hosts, if it is one of them.
    pub host: Option<usize>,
    /// IPv4 address of the machine.
    pub v4: Option<Ipv4Addr>,
    /// IPv6 address of the machine.
    pub v6: Option<Ipv6Addr>,
    /// MAC address, if the file gives one.
    pub mac: Option<Mac>,
}

/// Topology of the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// Machines of the house. Those of the file come first, in its order.
    pub machines: Vec<Machine>,
    /// Rate of the line without the overhead of its encoding.
    pub rate: PerDirection<Rate>,
    /// Round trip time of an idle line.
    pub rtt: Micros,
    wan: String,
    lan: String,
    others: Vec<String>,
    raw: bool,
    mtu: u32,
    nat: bool,
    charge: String,
    networks: Vec<IpNet>,
    internet: (Ipv4Addr, Ipv6Addr),
}

impl Topology {
    /// Returns the topology of this model: its hosts that have an address, and `unlisted` machines that the file does
    /// not name.
    ///
    /// # Errors
    /// Returns the reason if this household cannot be modelled.
    pub fn of(model: &Model, rtt: Micros, unlisted: usize) -> Result<Topology, String> {
        if model.link.frames.value == qosc_compiler::model::Frames::Pppoe {
            return Err(
                "the lab has no PPPoE client behind the router: `frames: pppoe` cannot be tried".to_owned()
            );
        }
        for direction in Direction::BOTH {
            can_model(model.link.line.get(direction).value)?;
        }
        let networks = networks(model);
        let wan = model.link.device.value.as_str().to_owned();
        let raw = is_raw(&wan);
        let mut devices = model.lan.devices.iter().map(|device| device.value.as_str().to_owned());
        let lan = devices.next().unwrap_or_else(|| "br-lan".to_owned());
        let mut topology = Topology {
            machines: Vec::new(),
            rate: carried(model),
            rtt,
            wan,
            lan,
            others: devices.collect(),
            raw,
            mtu: model.link.mtu.value,
            nat: model.lan.nat.value,
            charge: charge(model, raw),
            internet: internet(&networks),
            networks,
        };
        topology.people(model, unlisted);
        Ok(topology)
    }

    /// Adds the machines. Hosts with single addresses come first, because a host with a network can take any free
    /// address of it.
    fn people(&mut self, model: &Model, unlisted: usize) {
        let is_single = |host: &&Host| host.widest() == 0 && !host.addresses.is_empty();
        let all = || model.hosts.iter().enumerate();
        let single = all().filter(|(_, host)| is_single(host));
        for (index, host) in single.chain(all().filter(|(_, host)| !is_single(host))) {
            self.person(index, host);
        }
        self.machines.sort_by_key(|machine| machine.host);
        for number in 1..=unlisted {
            let (v4, v6) = self.anywhere();
            let (name, space) = (format!("another host {number}"), format!("other{number}"));
            self.machines.push(Machine { name, space, host: None, v4, v6, mac: None });
        }
    }

    fn person(&mut self, index: usize, host: &Host) {
        let addresses = host.addresses.iter().map(|address| address.value);
        let v4 = addresses.clone().find_map(|address| match address {
            Address::V4(net) => self.free_v4(net),
            _ => None,
        });
        let v6 = addresses.clone().find_map(|address| match address {
            Address::V6(net) => self.free_v6(net, 1),
            Address::V6Interface { part, bits } => self.v6().next().map(|net| {
                let mask = u128::MAX.checked_shl(u32::from(bits)).unwrap_or(0);
                Ipv6Addr::from(u128::from(net.network()) & mask | u128::from(part))
            }),
            Address::V4(_) => None,
        });
        let mac = host.mac.first().map(|mac| mac.value);
        // a host known only by its MAC address may have any IP address
        let (v4, v6) = match (v4, v6, mac) {
            (None, None, Some(_)) => self.anywhere(),
            known => (known.0, known.1),
        };
        if v4.is_some() || v6.is_some() {
            let (name, space) = (host.name.clone(), format!("host{}", index + 1));
            self.machines.push(Machine { name, space, host: Some(index), v4, v6, mac });
        }
    }

    fn anywhere(&self) -> (Option<Ipv4Addr>, Option<Ipv6Addr>) {
        let v4 = self.v4().filter(|net| net.prefix_len() < 31).find_map(|net| self.free_v4(net));
        let v6 = self.v6().filter(|net| net.prefix_len() < 127).find_map(|net| self.free_v6(net, 0x7700));
        (v4, v6)
    }

    fn v4(&self) -> impl Iterator<Item = Ipv4Net> {
        self.networks.iter().filter_map(|net| if let IpNet::V4(net) = net { Some(*net) } else { None })
    }

    fn v6(&self) -> impl Iterator<Item = Ipv6Net> {
        self.networks.iter().filter_map(|net| if let IpNet::V6(net) = net { Some(*net) } else { None })
    }

    /// Returns a free address of a network, except its first one, which the router takes if possible.
    fn free_v4(&self, net: Ipv4Net) -> Option<Ipv4Addr> {
        if net.prefix_len() == 32 {
            return Some(net.addr());
        }
        // search from the middle, because reserved addresses are mostly at an end of the network
        let middle = 1_usize << (32 - net.prefix_len().max(24)) >> 1;
        let all = net.hosts().skip(middle.max(1)).chain(net.hosts().skip(1).take(middle));
        all.take(512).find(|address| !self.has((*address).into()))
    }

    fn free_v6(&self, net: Ipv6Net, from: u128) -> Option<Ipv6Addr> {
        if net.prefix_len() == 128 {
            return Some(net.addr());
        }
        let all = (from.max(2)..).map(|number| Ipv6Addr::from(u128::from(net.network()) | number));
        all.take(512).find(|address| net.contains(address) && !self.has((*address).into()))
    }

    fn has(&self, address: IpAddr) -> bool {
        self.machines.iter().any(|machine| match address {
            IpAddr::V4(address) => machine.v4 == Some(address),
            IpAddr::V6(address) => machine.v6 == Some(address),
        })
    }

    /// Returns the router's address in a network: the first that no machine has.
    fn router(&self, net: IpNet) -> IpAddr {
        // The first host of an IPv6 network is the network itself.
        let all = net.hosts().skip(usize::from(net.addr().is_ipv6())).take(512);
        all.into_iter().find(|address| !self.has(*address)).unwrap_or(net.addr())
    }

    /// Returns a machine's address of a family and an address in the internet. Flows with different numbers get
    /// different addresses in the internet, up to `REMOTES` flows.
    #[must_use]
    pub fn ends_of(&self, machine: &Machine, v4: bool, number: u16) -> Option<(IpAddr, IpAddr)> {
        let number = number % REMOTES;
        if v4 {
            let remote = Ipv4Addr::from(u32::from(self.internet.0) + u32::from(number));
            machine.v4.map(|own| (own.into(), remote.into()))
        } else {
            let remote = Ipv6Addr::from(u128::from(self.internet.1) + u128::from(number));
            machine.v6.map(|own| (own.into(), remote.into()))
        }
    }

    /// True if the router translates addresses.
    #[must_use]
    pub const fn nat(&self) -> bool {
        self.nat
    }

    /// Returns the names and texts of the files for the guest. `remotes` has all addresses in the internet.
    #[must_use]
    pub fn files(&self, remotes: &BTreeSet<IpAddr>) -> Vec<(&'static str, String)> {
        let mut settings = String::new();
        let yes = |is: bool| if is { "yes" } else { "no" };
        let rows: [(&str, String); 10] = [
            ("WAN", self.wan.clone()),
            ("RAW", yes(self.raw).to_owned()),
            ("MTU", self.mtu.to_string()),
            ("LAN", self.lan.clone()),
            ("OTHERS", self.others.join(" ")),
            ("UP", self.rate.up.bps().to_string()),
            ("DOWN", self.rate.down.bps().to_string()),
            ("CHARGE", self.charge.clone()),
            ("HALF", (self.rtt.us() / 2).to_string()),
            ("NAT", yes(self.nat).to_owned()),
        ];
        for (name, value) in rows {
            let _infallible = writeln!(settings, "{name}='{}'", value.replace('\'', r"'\''"));
        }
        let mut networks = String::new();
        for net in &self.networks {
            let translated = self.nat && net.addr().is_ipv4();
            let _infallible = writeln!(networks, "{} {net} {}", self.router(*net), yes(!translated));
        }
        let gateway = |v4: bool| {
            let net = self.networks.iter().find(|net| net.addr().is_ipv4() == v4);
            or_dash(net.map(|net| self.router(*net)))
        };
        let (by4, by6) = (gateway(true), gateway(false));
        let mut hosts = String::new();
        for machine in &self.machines {
            let mac = or_dash(machine.mac);
            let (v4, v6) = (or_dash(machine.v4), or_dash(machine.v6));
            let _infallible =
                writeln!(hosts, "{} {mac} {v4} {by4} {v6} {by6} {}", machine.space, machine.name);
        }
        let mut far = String::new();
        for address in remotes {
            let rest = if address.is_ipv4() { "/32 dev lo" } else { "/128 dev lo nodad" };
            let _infallible = writeln!(far, "addr add {address}{rest}");
        }
        vec![("topology.env", settings), ("networks", networks), ("hosts", hosts), ("remotes", far)]
    }
}

fn or_dash<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// True if a device with this name carries IP packets without a link-layer header.
fn is_raw(name: &str) -> bool {
    let numbered = |begin: &&str| {
        name.strip_prefix(*begin).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    name.starts_with("ppp") || RAW.iter().any(numbered)
}

/// Returns the prefixes of the house: those in the file. If the file has none of a family, they come from its hosts;
/// without such hosts, they are usual ones of households. No prefix is within another.
fn networks(model: &Model) -> Vec<IpNet> {
    let listed: Vec<Address> = model.lan.listed().iter().map(|address| address.value).collect();
    let hosts: Vec<Address> =
        model.hosts.iter().flat_map(|host| &host.addresses).map(|address| address.value).collect();
    let given = |is_v4: bool, widest: u8| -> Vec<IpNet> {
        let family = |all: &[Address]| -> Vec<IpNet> {
            all.iter()
                .filter_map(|address| network(*address))
                .filter(|net| net.addr().is_ipv4() == is_v4)
                .collect()
        };
        let own = family(&listed);
        if !own.is_empty() {
            return own;
        }
        let wide = |net: IpNet| IpNet::new(net.addr(), net.prefix_len().min(widest)).ok();
        family(&hosts).into_iter().filter_map(wide).map(|net| net.trunc()).collect()
    };
    let (mut v4, mut v6) = (given(true, 24), given(false, 64));
    if v4.is_empty() && (listed.is_empty() || v6.is_empty()) {
        v4.push(USUAL_V4);
    }
    if v6.is_empty() && listed.is_empty() {
        v6.push(USUAL_V6);
    }
    outermost(&[v4, v6].concat())
}

const fn network(address: Address) -> Option<IpNet> {
    match address {
        Address::V4(net) => Some(IpNet::V4(net)),
        Address::V6(net) => Some(IpNet::V6(net)),
        Address::V6Interface { .. } => None,
    }
}

/// Removes duplicates and networks that are part of another, but keeps the order.
fn outermost(all: &[IpNet]) -> Vec<IpNet> {
    let mut kept: Vec<IpNet> = Vec::new();
    for net in all {
        let within = all.iter().any(|other| other != net && other.contains(net));
        if !within && !kept.contains(net) {
            kept.push(*net);
        }
    }
    kept
}

/// Returns the first addresses of the internet. They are outside the house, in networks for examples (RFC 5737, RFC
/// 3849). If the house uses those, they are in the IPv4 network for benchmarks (RFC 2544).
fn internet(house: &[IpNet]) -> (Ipv4Addr, Ipv6Addr) {
    let is_outside = |far: IpAddr| !house.iter().any(|net| net.contains(&far));
    let v4 = [Ipv4Addr::new(203, 0, 113, 1), Ipv4Addr::new(198, 51, 100, 1), Ipv4Addr::new(198, 18, 0, 1)];
    let v6 = [0xbeef, 0xcafe].map(|third| Ipv6Addr::new(0x2001, 0xdb8, third, 0, 0, 0, 0, 1));
    let v4 = v4.into_iter().find(|far| is_outside((*far).into()));
    let v6 = v6.into_iter().find(|far| is_outside((*far).into()));
    (v4.unwrap_or(Ipv4Addr::new(198, 19, 0, 1)), v6.unwrap_or(Ipv6Addr::new(0xfd79, 0, 0, 0, 0, 0, 0, 1)))
}

/// Returns an error for a rate that the lab cannot model.
pub(super) fn can_model(rate: Rate) -> Result<(), String> {
    let error = |limit, word| {
        Err(format!("the lab carries {} at {word}, and this line {rate}", Rate::from_bps(limit)))
    };
    match rate.bps() {
        bps if bps > MOST => error(MOST, "most"),
        bps if bps < LEAST => error(LEAST, "least"),
        _ => Ok(()),
    }
}

/// Returns the rates that the line carries: the shaped rates, if no line rates are known.
fn carried(model: &Model) -> PerDirection<Rate> {
    let link = &model.link;
    PerDirection::from_fn(|direction| {
        let known = link.line_rate(direction).unwrap_or_else(|| link.shaped.get(direction));
        carries(model, direction, known.value)
    })
}

/// Returns the part of a line rate that packets can use. PTM carries 64 of 65 bytes (IEEE 802.3, clause 61.3.3), which a
/// shaped rate leaves out.
pub(super) fn carries(model: &Model, direction: Direction, rate: Rate) -> Rate {
    let encoded = model.link.layer.value == Layer::Ptm && model.link.line_rate(direction).is_some();
    if encoded { rate.scale(64, 65) } else { rate }
}

/// Returns the line's charge for a packet as words of `stab`: the bytes of the guest's devices are subtracted, those of
/// the line added. A table as long as the longest packet is exact to the byte.
fn charge(model: &Model, raw: bool) -> String {
    let wire = model.link.wire();
    let overhead = i64::from(wire.overhead) - if raw { GRE } else { ETHERNET };
    let layer = if wire.layer == Layer::Atm { "atm" } else { "ethernet" };
    if wire.layer != Layer::Atm && wire.mpu == 0 {
        return format!("overhead {overhead} linklayer ethernet");
    }
    let size = (u64::from(model.link.mtu.value) + 128).next_power_of_two().max(2048);
    format!("overhead {overhead} mpu {} linklayer {layer} mtu {} tsize {size}", wire.mpu, size - 1)
}
