//! Compares the numbers of a program with the limits of the kernel.

#![cfg(test)]

use qosc_compiler::tc::{Action, CakeShaper, Filter, HtbClass, Police, Program, Qdisc, QdiscKind, Sysctl};
use qosc_compiler::terms::Limit;
use qosc_compiler::terms::limits::{
    BURST, BYTE_QUEUE, CAKE_MEMORY, DIRECT, FLOWS, HTB_QUANTUM, KERNEL_RATE, LONG_CODEL_TIME, MEMORY, MPU,
    PACKETS, POLICE_INDEX, POLICE_MTU, PREFERENCE, PRIORITY, QUANTUM, RECEIVE_BUFFER, ROUND_TRIP,
    SEND_BUFFER, TCP_BUFFER, TRANSMIT_QUEUE, buckets,
};
use qosc_compiler::units::{Bytes, Rate};

/// Major number of the handle of each clsact.
const CLSACT: u16 = 0xffff;

/// Returns a sentence for each number of a program that the kernel would not hold as it is.
///
/// The readers of the file and the formulas keep every number within the limits, so the result is empty unless one of
/// them is wrong.
pub fn beyond(program: &Program) -> Vec<String> {
    let mut found = Found(Vec::new());
    program.qdiscs.iter().for_each(|qdisc| found.qdisc(qdisc));
    program.classes.iter().for_each(|class| found.class(class));
    program.filters.iter().for_each(|filter| found.filter(filter));
    if let Some(packets) = program.settings.txqueuelen {
        found.number("the device", TRANSMIT_QUEUE, packets.into());
    }
    if let Some(bytes) = program.settings.bql {
        found.number("the device", BYTE_QUEUE, bytes.get());
    }
    program.settings.sysctls.iter().for_each(|sysctl| found.sysctl(sysctl));
    found.0
}

struct Found(Vec<String>);

impl Found {
    fn number(&mut self, of: &str, limit: Limit, number: u64) {
        if !limit.holds(number) {
            self.0.push(format!(
                "{of}: {} {number} is not within {} to {} {}",
                limit.words, limit.least, limit.most, limit.unit
            ));
        }
    }

    fn sysctl(&mut self, sysctl: &Sysctl) {
        let limit = match sysctl.path {
            "net/core/rmem_max" => RECEIVE_BUFFER,
            "net/core/wmem_max" => SEND_BUFFER,
            "net/ipv4/tcp_rmem" | "net/ipv4/tcp_wmem" => TCP_BUFFER,
            _ => return,
        };
        for word in sysctl.value.split(' ') {
            // A text that is no number is beyond every limit.
            self.number(sysctl.path, limit, word.parse().unwrap_or(u64::MAX));
        }
    }

    fn bucket(&mut self, of: &str, rate: Rate, bytes: Bytes) {
        self.number(of, KERNEL_RATE, rate.bps());
        if !buckets(rate).contains(&bytes) {
            self.0.push(format!("{of}: {} of {bytes} does not fit its rate, {rate}", BURST.words));
        }
    }

    fn class(&mut self, class: &HtbClass) {
        let of = format!("class {} ({})", class.id, class.why.name);
        self.bucket(&of, class.rate, class.burst);
        self.bucket(&of, class.ceil, class.cburst);
        self.number(&of, HTB_QUANTUM, class.quantum.into());
        self.number(&of, PRIORITY, class.prio.into());
        self.number(&of, MPU, class.charge.mpu.into());
    }

    fn qdisc(&mut self, qdisc: &Qdisc) {
        let of = format!("qdisc {} ({})", qdisc.handle, qdisc.why.name);
        if qdisc.handle.major == CLSACT && !matches!(qdisc.kind, QdiscKind::Clsact) {
            self.0.push(format!("{of}: the kernel keeps this handle for clsact"));
        }
        for kind in [Some(&qdisc.kind), qdisc.instead.as_ref()].into_iter().flatten() {
            self.kind(&of, kind);
        }
    }

    fn kind(&mut self, of: &str, kind: &QdiscKind) {
        match kind {
            QdiscKind::Htb { direct_qlen, .. } => self.number(of, DIRECT, (*direct_qlen).into()),
            QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, .. } => {
                self.number(of, PACKETS, (*limit).into());
                self.number(of, FLOWS, (*flows).into());
                self.number(of, QUANTUM, (*quantum).into());
                self.number(of, LONG_CODEL_TIME, target.us());
                self.number(of, LONG_CODEL_TIME, interval.us());
                self.number(of, MEMORY, memory.get());
            }
            QdiscKind::Cake { shaper, rtt, memory, .. } => {
                if let Some(CakeShaper { rate, mpu, .. }) = shaper {
                    self.number(of, KERNEL_RATE, rate.bps());
                    self.number(of, MPU, (*mpu).into());
                }
                self.number(of, ROUND_TRIP, rtt.us());
                self.number(of, CAKE_MEMORY, memory.get());
            }
            QdiscKind::Pfifo { limit } => self.number(of, PACKETS, (*limit).into()),
            QdiscKind::Clsact => {}
        }
    }

    fn filter(&mut self, filter: &Filter) {
        let of = format!("filter {} ({})", filter.pref, filter.why.name);
        self.number(&of, PREFERENCE, filter.pref.into());
        for action in &filter.actions {
            if let Action::Police(Police { index, rate, burst, mtu, .. }) = action {
                self.bucket(&of, *rate, *burst);
                self.number(&of, POLICE_INDEX, (*index).into());
                self.number(&of, POLICE_MTU, (*mtu).into());
            }
        }
    }
}
