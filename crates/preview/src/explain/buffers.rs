//! Section that contrasts the bytes on the wire, which keep a line busy, with the bytes in buffers, which only delay.

use super::queues::id_of_share;
use super::row::PACKET;
use super::row::{ExplanationRow, ExplanationSection, derived};
use qosc_compiler::derive::{self, Packet};
use qosc_compiler::model::{Direction, Leaf, Model, Queue};
use qosc_compiler::units::{Bytes, Micros, Rate};

/// Buffers of a direction: the end of the id, and the name for people.
const BUFFERS: [(&str, &str); 5] = [
    ("burst", "burst past the shaper"),
    ("target", "queue at its target"),
    ("most", "queue at its limit"),
    ("driver", "queue of the driver (BQL)"),
    ("socket", "socket buffer"),
];

/// Section on the buffers of the shaped directions.
pub(super) fn buffers(model: &Model) -> ExplanationSection {
    let rows = model.link.shaped_directions().flat_map(|direction| of_direction(model, direction)).collect();
    let mut section = ExplanationSection::new("bytes on the wire and in buffers", rows);
    section.words.push("on the wire: what senders must keep in flight for the full rate".to_owned());
    section.words.push(
        "buffers only add delay. The shaper is slower than the line, so the modem queues no more than the burst"
            .to_owned(),
    );
    if let Some(class) = model.default_leaf() {
        section.words.push(format!(
            "queue: that of packets without a match, `{}`, or of CAKE if it shapes the direction",
            class.name
        ));
    }
    section
}

/// Direction of a buffer, and the rate that empties it with the id of its row.
struct Drain {
    direction: Direction,
    rate: Rate,
    of: String,
}

impl Drain {
    /// Rows on the bytes of a buffer, and on the time in which they leave.
    fn rows(
        &self,
        end: &str,
        bytes: u64,
        formula: impl Into<String>,
        takes: impl IntoIterator<Item = String>,
    ) -> [ExplanationRow; 2] {
        let name = self.direction.as_str();
        let id = format!("buffers.{name}.{end}");
        let what = BUFFERS.iter().find(|(own, _)| *own == end).map_or(end, |(_, what)| what);
        let time = self.rate.time_for(bytes);
        let of_time = format!("{bytes} bytes at {}", self.rate);
        let time = derived(format!("{id}.time"), format!("  its delay {name}"), time, of_time)
            .takes([id.clone(), self.of.clone()]);
        let bytes = format!("{bytes} bytes");
        [derived(id, format!("{what} {name}"), bytes, formula).takes(takes), time]
    }
}

fn of_direction(model: &Model, direction: Direction) -> Vec<ExplanationRow> {
    let name = direction.as_str();
    let drain =
        Drain { direction, rate: model.link.tree.get(direction).value, of: format!("link.tree.{name}") };
    let mut rows = Vec::new();
    match model.cake.get(direction) {
        // CAKE sends each packet at its own time, so it has no burst.
        Some(cake) => {
            let queue = Waiting {
                id: format!("cake.{name}"),
                share: None,
                target: None,
                rtt: Some(cake.rtt.value),
                limit: None,
                memory: Some(cake.memory.value),
            };
            rows.extend(queue.rows(Packet::of(&model.link), &drain));
        }
        None => {
            let burst = model.link.scheduling.get(direction).burst.value.get();
            let formula = "the bucket of the root class, full after a pause";
            rows.extend(drain.rows("burst", burst, formula, [format!("tree.{name}.burst")]));
            rows.extend(default_queue(model, direction));
        }
    }
    if let (Some(bql), Direction::Up) = (&model.tuning.bql, direction) {
        let formula = "fills only while the device is slower than the shaper";
        rows.extend(drain.rows("driver", bql.value.get(), formula, ["router.bql".to_owned()]));
    }
    if let Some(tcp) = &model.tuning.tcp {
        let (bytes, of) = match direction {
            Direction::Up => (tcp.send.value, "router.tcp.send"),
            Direction::Down => (tcp.receive.value, "router.tcp.receive"),
        };
        let formula = "for each connection of the router itself";
        rows.extend(drain.rows("socket", bytes.get(), formula, [of.to_owned()]));
    }
    rows
}

/// Rows on the queue of the packets without a match. If hosts have classes in that leaf, it is that of all other hosts.
fn default_queue(model: &Model, direction: Direction) -> Vec<ExplanationRow> {
    let Some((class, leaf)) = model.default_leaf().and_then(|class| Some((class, class.leaf()?))) else {
        return Vec::new();
    };
    let own = (class.name.as_str(), class.ceiling.get(direction).value, leaf.queue.get(direction));
    let share = Some(id_of_share(class, leaf, direction));
    let (class, ceiling, queue) = rest(leaf, direction).unwrap_or(own);
    let id = format!("class.{class}.{}", direction.as_str());
    let drain = Drain { direction, rate: ceiling, of: format!("{id}.ceiling") };
    Waiting { share, ..Waiting::of(queue, &id) }.rows(Packet::of(&model.link), &drain)
}

/// Returns name, ceiling and queue of the class of all other hosts; `None` if the leaf has no host classes.
fn rest(leaf: &Leaf, direction: Direction) -> Option<(&str, Rate, &Queue)> {
    let rest = &leaf.hosts.get(direction).as_ref()?.rest;
    Some((&rest.name, rest.ceiling.value, &rest.queue))
}

/// Parameters of a queue that bound the bytes in it. `id` begins the ids of their rows, and `share` is the id of the row
/// that determines the kind of the queue, if any.
struct Waiting {
    id: String,
    share: Option<String>,
    target: Option<Micros>,
    rtt: Option<Micros>,
    limit: Option<u32>,
    memory: Option<Bytes>,
}

impl Waiting {
    fn of(queue: &Queue, class: &str) -> Waiting {
        let none =
            Waiting { id: String::new(), share: None, target: None, rtt: None, limit: None, memory: None };
        match queue {
            Queue::FqCodel { target, limit, memory, .. } => Waiting {
                id: format!("{class}.fq_codel"),
                target: Some(target.value),
                limit: Some(limit.value),
                memory: Some(memory.value),
                ..none
            },
            Queue::Cake { rtt, memory, .. } => Waiting {
                id: format!("{class}.cake"),
                rtt: Some(rtt.value),
                memory: Some(memory.value),
                ..none
            },
            Queue::Fifo { limit } => {
                Waiting { id: format!("{class}.fifo"), limit: Some(limit.value), ..none }
            }
        }
    }

    fn rows(&self, packet: Packet, drain: &Drain) -> Vec<ExplanationRow> {
        let id = |what: &str| format!("{}.{what}", self.id);
        let [full] = PACKET.map(str::to_owned);
        let mut rows = Vec::new();
        if let Some(target) = self.target {
            let bytes = drain.rate.bytes_in(target);
            let formula = format!("{target} of {}, which CoDel tolerates", drain.rate);
            let takes = [id("target"), drain.of.clone()].into_iter().chain(self.share.clone());
            rows.extend(drain.rows("target", bytes, formula, takes));
        }
        if let Some(rtt) = self.rtt {
            let target = derive::cake_target(packet, drain.rate, rtt);
            let formula =
                format!("{target} of {}: the longer of {rtt} / 20 and 1.5 full packets", drain.rate);
            let takes = [id("rtt"), drain.of.clone(), full.clone()].into_iter().chain(self.share.clone());
            rows.extend(drain.rows("target", drain.rate.bytes_in(target), formula, takes));
        }
        let bytes = derive::queue_bytes(packet, self.limit, self.memory);
        let limits = [self.limit.map(|_| id("limit")), self.memory.map(|_| id("memory")), Some(full)];
        let takes = limits.into_iter().flatten().chain(self.share.clone());
        let formula = format!("full packets of {} bytes up to the limits of the queue", packet.full());
        rows.extend(drain.rows("most", bytes, formula, takes));
        rows
    }
}
