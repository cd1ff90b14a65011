//! State of the engine while it takes steps: the lines that it has read.

use crate::awk::{Error, Machine};

/// A step that the engine takes, with `@wan` and `@ifb` for the devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Words of the command, without its program.
    pub words: String,
    /// Comment of the command: the name and the place in the YAML.
    pub from: String,
}

impl Said {
    pub(super) fn of(arguments: &[String]) -> Said {
        let argument = |number: usize| arguments.get(number).cloned().unwrap_or_default();
        Said { words: argument(1), from: argument(2) }
    }
}

/// One of the four states that the steps follow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Described by the last completed start.
    Was,
    /// Observed after that start.
    Held,
    /// Observed now.
    Now,
    /// Described by the configuration.
    Wanted,
}

impl Which {
    const fn name(self) -> &'static str {
        match self {
            Which::Was => "was",
            Which::Held => "held",
            Which::Now => "now",
            Which::Wanted => "wanted",
        }
    }
}

/// The engine at a step.
///
/// A *place* is the key of a device: `@wan` and `@ifb` in the described states; `wan`, `first`, `second` or `nothing` in
/// the observed ones. The list of filters at a hook has the name of the hook as its place, and `ingress DEVICE` for a
/// tunnel.
pub struct State<'m, 'p>(&'m mut Machine<'p>);

impl<'m, 'p> State<'m, 'p> {
    pub(super) fn of(machine: &'m mut Machine<'p>) -> State<'m, 'p> {
        State(machine)
    }

    /// Returns an element of an array that is not empty. awk adds elements when it looks for them.
    fn element(&self, array: &str, subscripts: &[&str]) -> Option<String> {
        self.0.element(array, subscripts).filter(|text| !text.is_empty())
    }

    /// Returns the root qdisc.
    #[must_use]
    pub fn root(&self, of: Which, place: &str) -> Option<String> {
        self.element("root", &[of.name(), place])
    }

    /// Returns the line of the root's size table.
    #[must_use]
    pub fn size_table(&self, of: Which, place: &str) -> Option<String> {
        self.element("stab", &[of.name(), place])
    }

    /// Returns a class.
    #[must_use]
    pub fn class(&self, of: Which, place: &str, id: &str) -> Option<String> {
        self.element("class", &[of.name(), place, id])
    }

    /// Returns the id of a class's parent.
    #[must_use]
    pub fn parent(&self, of: Which, place: &str, id: &str) -> Option<String> {
        self.element("parent", &[of.name(), place, id])
    }

    /// Returns true if a class has child classes.
    #[must_use]
    pub fn has_kids(&self, of: Which, place: &str, id: &str) -> bool {
        self.element("kids", &[of.name(), place, id]).is_some()
    }

    /// Returns the comment of a described class.
    #[must_use]
    pub fn origin_of_class(&self, of: Which, place: &str, id: &str) -> Option<String> {
        self.element("whence", &[of.name(), place, id])
    }

    /// Returns the queue of a class.
    #[must_use]
    pub fn leaf(&self, of: Which, place: &str, id: &str) -> Option<String> {
        self.element("leaf", &[of.name(), place, id])
    }

    /// Returns true if the steps so far delete this class.
    #[must_use]
    pub fn is_gone(&self, place: &str, id: &str) -> bool {
        self.element("gone", &[place, id]).is_some()
    }

    /// Returns the described filters of a list.
    #[must_use]
    pub fn filters(&self, of: Which, list: &str) -> Vec<String> {
        self.numbered("filter", &[of.name(), list])
    }

    /// Returns the lines of the observed filters in bank 1 or 2, without their preferences.
    #[must_use]
    pub fn bank(&self, of: Which, list: &str, bank: &str) -> Vec<String> {
        self.numbered("held", &[of.name(), list, bank])
    }

    fn numbered(&self, array: &str, subscripts: &[&str]) -> Vec<String> {
        let element = |number: usize| {
            let number = number.to_string();
            self.0.element(array, &[subscripts, &[&number]].concat())
        };
        (1..).map_while(element).collect()
    }

    /// Returns the bank that a completed start left in use: it leaves the other one empty.
    #[must_use]
    pub fn bank_left(&self, list: &str) -> &'static str {
        let first = self.element("pref_count", &[Which::Held.name(), list, "1"]);
        if first.is_some_and(|count| count != "0") { "1" } else { "2" }
    }

    /// Returns the bank that packets meet now, `1` or `2`.
    ///
    /// # Errors
    /// Fails as the engine itself does.
    pub fn bank_in_force(&mut self, list: &str) -> Result<Option<String>, Error> {
        let bank = self.0.call("bank_in_force", &[list])?;
        Ok((bank != "0").then_some(bank))
    }

    /// Returns the name that the last start gave a class, or its id.
    ///
    /// # Errors
    /// Fails as the engine itself does.
    pub fn name_of(&mut self, role: &str, id: &str) -> Result<String, Error> {
        self.0.call("name_of", &[role, id])
    }

    /// Returns the place of a device now: `role` is `@wan` or `@ifb`.
    #[must_use]
    pub fn place_now(&self, role: &str) -> String {
        self.0.element("np", &[role]).unwrap_or_default()
    }

    /// Returns the place of a device in the state that a completed start left.
    #[must_use]
    pub fn place_held(&self, role: &str) -> String {
        self.0.element("hp", &[role]).unwrap_or_default()
    }

    /// Returns the ifb for downloads; empty if there is none.
    #[must_use]
    pub fn target(&self) -> String {
        self.0.variable("target")
    }

    /// Returns true if downloads switch to another ifb.
    #[must_use]
    pub fn redirect_moves(&self) -> bool {
        self.0.variable("redirect_moves") == "1"
    }

    /// Returns the reason why a direction is built in the other slot; `None` if it is not. `role` is `@wan` or `@ifb`.
    #[must_use]
    pub fn swap(&self, role: &str) -> Option<String> {
        self.element("outcome", &[role]).filter(|outcome| outcome != "rebuild")
    }

    /// Returns true if the start removes the hook qdisc of others.
    #[must_use]
    pub fn evicts_hook(&self) -> bool {
        self.0.variable("evict") == "1"
    }

    /// Returns the place of the ifb that downloads pass now; `None` if there is none that can stay in use.
    ///
    /// # Errors
    /// Fails as the engine itself does.
    pub fn place_of_downloads(&mut self) -> Result<Option<String>, Error> {
        let Some(bank) = self.bank_in_force("ingress")?.filter(|_| !self.evicts_hook()) else {
            return Ok(None);
        };
        let device = self.element("redirect", &[Which::Now.name(), &bank]);
        let number = ["1", "2"].into_iter().find(|number| self.0.element("name", &[number]) == device);
        let place = number.and_then(|number| self.element("place_of", &[number]));
        Ok(place.filter(|place| place != "nothing"))
    }
}
