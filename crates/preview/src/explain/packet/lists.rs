//! Walk of a packet through the filter lists as in the kernel: the filters it meets, the one that matches, its actions.

use super::differs::differs;
use super::seen::Seen;
use super::{Asked, Policed};
use qosc_compiler::model::Direction;
use qosc_compiler::tc::{Action, Dev, Filter, Handle, Hook, PoliceStep, Program};

/// Result of a filter list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The filters at the direction's root decide on the class.
    Root,
    /// The packet goes to this class.
    Class(Handle),
    /// The packet bypasses all classes.
    Past,
    /// The packet goes on without a queue of ours.
    Unshaped,
}

/// State of a walk through filter lists.
pub(super) struct Walk<'p> {
    pub(super) program: &'p Program,
    pub(super) asked: Vec<Asked>,
    pub(super) police: Option<Policed>,
    /// Policer of all downloads behind it.
    pub(super) cap: Option<Policed>,
    /// Name of the class that the packet goes to.
    pub(super) name: String,
}

impl Walk<'_> {
    /// Walks through the filters at a hook of the WAN device.
    pub(super) fn hook(&mut self, hook: Hook, seen: &mut Seen<'_>) -> Then {
        let end = if hook == Hook::Egress { Then::Root } else { Then::Unshaped };
        let filters =
            self.program.filters.iter().filter(|filter| filter.dev == Dev::Wan && filter.hook == hook);
        for filter in filters {
            let takes = seen.meets(filter);
            let serves = matches!(
                filter.actions.as_slice(),
                [Action::Restore { .. } | Action::ClearLabel | Action::Redirect(_), ..]
            ) || filter.is_of_decrypted()
                || (hook == Hook::Egress && filter.actions == [Action::Pass]);
            if !serves && !filter.why.name.is_empty() && seen.is_asked(filter) {
                self.note(filter, &filter.why.name, seen, takes);
            }
            if takes && let Some(then) = self.act(filter, seen, end) {
                return then;
            }
        }
        end
    }

    /// Returns the result of a matching filter at a hook, or `None` if the next filter is tried.
    fn act(&mut self, filter: &Filter, seen: &mut Seen<'_>, end: Then) -> Option<Then> {
        let mut then = None;
        for action in &filter.actions {
            match action {
                Action::Police(police) => {
                    let named = self.program.policers().into_iter().find(|own| own.1 == police.index);
                    let name = named.map_or("", |(_, _, name)| name).to_owned();
                    let place = if self.police.is_none() { &mut self.police } else { &mut self.cap };
                    let dropped = police.exceed == PoliceStep::Drop;
                    *place = Some(Policed { name, rate: police.rate, dropped, class: None });
                    match police.conform {
                        PoliceStep::Pipe => {}
                        PoliceStep::Continue => return None,
                        PoliceStep::Ok | PoliceStep::Drop => return Some(end),
                    }
                }
                Action::Redirect(_) => return Some(then.unwrap_or(Then::Root)),
                Action::Priority(Handle { minor: 0, .. }) => then = Some(Then::Past),
                Action::Priority(class) => then = Some(Then::Class(*class)),
                Action::Pass => return Some(end),
                Action::ClearLabel => return None,
                Action::Restore { mask, flag } => {
                    seen.mark = seen.connection & mask | flag;
                    return None;
                }
                Action::SetDscp { .. } => {}
            }
        }
        Some(then.unwrap_or(end))
    }

    /// Walks through the filters at the root of a direction.
    pub(super) fn root(&mut self, seen: &Seen<'_>) -> Then {
        let dev = match seen.direction {
            Direction::Up => Dev::Wan,
            Direction::Down => Dev::Ifb,
        };
        let filters =
            self.program.filters.iter().filter(|filter| filter.dev == dev && filter.hook == Hook::Root);
        let program = self.program;
        for filter in filters {
            let takes = seen.meets(filter);
            let priority = filter.actions.iter().find_map(|action| match action {
                Action::Priority(handle) => Some(*handle),
                _ => None,
            });
            let class = filter.flowid.or(priority);
            let name =
                class.map_or(filter.why.name.as_str(), |id| name_of(program, dev, id, &filter.why.name));
            if seen.is_asked(filter) {
                self.note(filter, name, seen, takes);
            }
            if let Some(class) = class.filter(|_| takes) {
                self.name = name.to_owned();
                return Then::Class(class);
            }
        }
        Then::Past
    }

    /// Records a filter. Filters of one match become one entry, under the name of their class or police.
    fn note(&mut self, filter: &Filter, name: &str, seen: &Seen<'_>, takes: bool) {
        let same = |asked: &&mut Asked| {
            !asked.takes && asked.hook == filter.hook && asked.name == name && asked.what == filter.why.what
        };
        let differs = if takes { Vec::new() } else { differs(filter, seen) };
        match self.asked.last_mut().filter(|asked| same(asked)) {
            Some(asked) => {
                asked.takes = takes;
                // keep the differences of the filter that came nearest to matching
                if takes || asked.differs.is_empty() || (1..asked.differs.len()).contains(&differs.len()) {
                    asked.differs = differs;
                }
            }
            None => self.asked.push(Asked {
                hook: filter.hook,
                name: name.to_owned(),
                what: filter.why.what.clone(),
                line: filter.why.own_line(),
                takes,
                differs,
            }),
        }
    }
}

/// Returns the name of a filter's class as the tables show it. In a leaf with host classes, the class of the other
/// hosts has its own name. `filtered` is the name in the filter; it is used for the tins of CAKE.
fn name_of<'a>(program: &'a Program, dev: Dev, id: Handle, filtered: &'a str) -> &'a str {
    let class = program.classes.iter().find(|class| class.dev == dev && class.id == id);
    class.map_or(filtered, |class| class.why.name.as_str())
}
