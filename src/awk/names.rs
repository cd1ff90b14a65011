//! Names of a program: numbers for its variables, and which of them are arrays.

use super::ast::{Function, OWN, Slot};
use super::error::Error;
use std::collections::{BTreeMap, BTreeSet};

/// Names with a meaning in awk that the interpreter does not know.
const UNKNOWN: [&str; 13] = [
    "NR", "FNR", "FS", "OFS", "ORS", "RS", "CONVFMT", "OFMT", "FILENAME", "ARGV", "ARGC", "tolower", "system",
];

/// A variable: the number of its function, if it is local, and its own number.
type Variable = (Option<usize>, usize);

/// The names that a parser has met.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) globals: BTreeMap<String, usize>,
    functions: BTreeMap<String, usize>,
    /// The function that is being read: its number and parameters.
    inside: Option<(usize, Vec<String>)>,
    arrays: BTreeSet<Variable>,
    /// Number of uses of a variable as a scalar.
    scalars: BTreeMap<Variable, isize>,
    /// Variables that are arguments, each with the parameter.
    passed: Vec<(Variable, Variable)>,
}

impl Names {
    pub(super) fn new() -> Names {
        let globals = OWN.iter().enumerate().map(|(number, name)| ((*name).to_owned(), number));
        Names { globals: globals.collect(), ..Names::default() }
    }

    fn slot(&mut self, name: &str) -> Result<Slot, Error> {
        if UNKNOWN.contains(&name) {
            return Err(Error::new(format!("`{name}` is unknown here")));
        }
        if let Some((_, parameters)) = &self.inside
            && let Some(number) = parameters.iter().position(|own| own == name)
        {
            return Ok(Slot::Local(number));
        }
        let next = self.globals.len();
        Ok(Slot::Global(*self.globals.entry(name.to_owned()).or_insert(next)))
    }

    fn variable(&self, slot: Slot) -> Variable {
        match (slot, &self.inside) {
            (Slot::Local(number), Some((function, _))) => (Some(*function), number),
            (Slot::Local(number) | Slot::Global(number), _) => (None, number),
        }
    }

    pub(super) fn scalar(&mut self, name: &str) -> Result<Slot, Error> {
        let slot = self.slot(name)?;
        *self.scalars.entry(self.variable(slot)).or_default() += 1;
        Ok(slot)
    }

    pub(super) fn array(&mut self, name: &str) -> Result<Slot, Error> {
        let slot = self.slot(name)?;
        self.arrays.insert(self.variable(slot));
        Ok(slot)
    }

    /// Notes that a variable is an argument: if the parameter is an array, the variable is one, too.
    pub(super) fn pass(&mut self, slot: Slot, function: usize, parameter: usize) {
        let variable = self.variable(slot);
        *self.scalars.entry(variable).or_default() -= 1;
        self.passed.push((variable, (Some(function), parameter)));
    }

    /// Returns the number of a function, and adds it to the functions if it is new.
    pub(super) fn function(&mut self, name: &str, functions: &mut Vec<Function>) -> usize {
        let next = functions.len();
        let number = *self.functions.entry(name.to_owned()).or_insert(next);
        if number == next {
            functions.push(Function { name: name.to_owned(), ..Function::default() });
        }
        number
    }

    pub(super) fn enter(&mut self, function: usize, parameters: Vec<String>) {
        self.inside = Some((function, parameters));
    }

    pub(super) fn leave(&mut self) {
        self.inside = None;
    }

    /// Finds out which parameters are arrays. Nothing can be both an array and a scalar.
    pub(super) fn finish(&mut self, functions: &mut [Function]) -> Result<(), Error> {
        if let Some(missing) = functions.iter().find(|function| function.line == 0) {
            return Err(Error::new(format!("there is no function `{}`", missing.name)));
        }
        loop {
            let before = self.arrays.len();
            for (argument, parameter) in &self.passed {
                if self.arrays.contains(argument) || self.arrays.contains(parameter) {
                    self.arrays.extend([*argument, *parameter]);
                }
            }
            if self.arrays.len() == before {
                break;
            }
        }
        let both = self.arrays.iter().find(|own| self.scalars.get(*own).is_some_and(|uses| *uses > 0));
        if let Some((function, number)) = both {
            let inside = function.and_then(|number| functions.get(number));
            return Err(match inside {
                Some(function) => {
                    let text =
                        format!("parameter {} of `{}` is an array and a scalar", number + 1, function.name);
                    Error::new(text).at(function.line)
                }
                None => {
                    let name = self.globals.iter().find(|(_, own)| *own == number);
                    Error::new(format!("`{}` is an array and a scalar", name.map_or("", |(name, _)| name)))
                }
            });
        }
        for (number, function) in functions.iter_mut().enumerate() {
            for (parameter, is_array) in function.arrays.iter_mut().enumerate() {
                *is_array = self.arrays.contains(&(Some(number), parameter));
            }
        }
        Ok(())
    }
}
