//! Steps for the ingress of tunnel devices, where decrypted downloads are redirected to the ifb.

use super::described::{List, Tunnel};
use super::shown::{At, Hooked, Number};
use super::step::{Object, Tool};
use super::walk::{StepFacts, Walk};

impl Walk<'_> {
    pub(super) fn tunnel_on(&mut self, own: &Hooked) {
        let (list, at) = (List::Tunnel(own.tunnel), At::Tunnel(own.tunnel));
        if own.hook == "none" {
            let words = format!("qdisc add dev {} clsact", own.tunnel);
            self.say(Tool::Tc, &words, &self.tunnel_origin(own.tunnel), self.hook_kind(own.tunnel));
        }
        self.switch(list, at, at);
    }

    pub(super) fn tunnel_off(&mut self, own: &Hooked) {
        for number in [Number::One, Number::Two] {
            self.drop_bank(List::Tunnel(own.tunnel), At::Tunnel(own.tunnel), number);
        }
        let name = own.tunnel.to_string();
        let made = self.before.tunnels_made.contains(&(name.clone(), own.index.clone()));
        if made && own.hook != "none" && !own.crowded {
            let words = format!("qdisc del dev {name} {}", own.hook);
            self.say(Tool::Tc, &words, &self.tunnel_origin(own.tunnel), self.hook_kind(own.tunnel));
        }
    }

    fn hook_kind(&self, tunnel: Tunnel) -> StepFacts {
        let of_filters = self.filter_kind(List::Tunnel(tunnel));
        StepFacts::new(Object::Tunnel { device: tunnel.to_string() }, of_filters.price, of_filters.cause)
    }

    /// Returns the origin of a tunnel's filters, now or at the last start.
    pub(super) fn tunnel_origin(&self, tunnel: Tunnel) -> String {
        let last = |lines: &[super::described::Line]| lines.last().map(|line| line.from.clone());
        last(self.wanted.list(List::Tunnel(tunnel)))
            .or_else(|| last(self.was.list(List::Tunnel(tunnel))))
            .unwrap_or_else(|| tunnel.to_string())
    }
}
