//! State of a running program: its variables, record and files.

use super::ast::{ENVIRONMENT, Program, SEPARATOR, Slot};
use super::error::Error;
use super::files::Files;
use super::record::Record;
use super::regex::{Regex, Scratch};
use super::value::{Shared, Text, Value};
use std::rc::Rc;

/// Observer of calls: it sees the values of the arguments before the function runs, and may look at the machine.
pub(super) type Watcher<'p> = Box<dyn FnMut(&mut Machine<'p>, &[String]) -> Result<(), Error> + 'p>;

/// A running awk program.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    /// Texts of the program.
    pub(super) texts: Vec<Value>,
    globals: Vec<Value>,
    arrays: Vec<Shared>,
    /// Local variables of all calls, and where those of the present one begin.
    pub(super) locals: Vec<Local>,
    pub(super) base: usize,
    /// Value that the last function returned.
    pub(super) returned: Value,
    pub(super) depth: usize,
    pub(super) record: Record,
    /// Files that the program reads and writes.
    pub files: Files,
    pub(super) out: Vec<u8>,
    scratch: Scratch,
    /// Buffers that are free.
    pub(super) spare: Vec<Vec<u8>>,
    pub(super) watched: Option<(usize, Watcher<'p>)>,
}

/// A local variable.
pub(super) enum Local {
    Value(Value),
    Array(Shared),
    /// Array that nothing was written to.
    NoArray,
}

impl<'p> Machine<'p> {
    /// Returns a machine for a program, with these values of variables, and of `ENVIRON`.
    #[must_use]
    pub fn new(
        program: &'p Program,
        files: Files,
        variables: &[(&str, &str)],
        environment: &[(&str, &str)],
    ) -> Machine<'p> {
        let count = program.globals.len();
        let input = |text: &str| Value::Input(Text::from(text.as_bytes()));
        let mut machine = Machine {
            program,
            texts: program.texts.iter().map(|text| Value::Text(Text::from(text.as_slice()))).collect(),
            globals: vec![Value::Unset; count],
            arrays: (0..count).map(|_| Shared::default()).collect(),
            locals: Vec::new(),
            base: 0,
            returned: Value::Unset,
            depth: 0,
            record: Record::new(),
            files,
            out: Vec::new(),
            scratch: Scratch::default(),
            spare: Vec::new(),
            watched: None,
        };
        for (name, value) in variables {
            if let Some(number) = program.globals.get(*name) {
                machine.set(Slot::Global(*number), input(value));
            }
        }
        let shared = machine.array(Slot::Global(ENVIRONMENT));
        for (name, value) in environment {
            shared.borrow_mut().insert(Text::from(name.as_bytes()), input(value));
        }
        machine
    }

    /// Sets an observer of the calls of a function.
    ///
    /// # Errors
    /// Fails if the program has no such function.
    pub fn watch(
        &mut self,
        function: &str,
        watcher: impl FnMut(&mut Machine<'p>, &[String]) -> Result<(), Error> + 'p,
    ) -> Result<(), Error> {
        self.watched = Some((self.function(function)?, Box::new(watcher)));
        Ok(())
    }

    pub(super) fn function(&self, name: &str) -> Result<usize, Error> {
        let number = self.program.functions.iter().position(|function| function.name == name);
        number.ok_or_else(|| Error::new(format!("there is no function `{name}`")))
    }

    /// Returns the text that the program has printed.
    #[must_use]
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Returns the value of a global variable; an empty text if there is none.
    #[must_use]
    pub fn variable(&self, name: &str) -> String {
        let value = self.program.globals.get(name).and_then(|number| self.globals.get(*number));
        value.map_or(String::new(), |value| String::from_utf8_lossy(&value.bytes()).into_owned())
    }

    /// Returns an element of a global array.
    #[must_use]
    pub fn element(&self, array: &str, subscripts: &[&str]) -> Option<String> {
        let shared = self.arrays.get(*self.program.globals.get(array)?)?;
        let shared = shared.borrow();
        let value = shared.get(subscripts.join(char::from(SEPARATOR).encode_utf8(&mut [0; 4])).as_bytes())?;
        Some(String::from_utf8_lossy(&value.bytes()).into_owned())
    }

    pub(super) fn get(&self, slot: Slot) -> &Value {
        match slot {
            Slot::Global(number) => self.globals.get(number).unwrap_or(&Value::Unset),
            Slot::Local(number) => match self.locals.get(self.base + number) {
                Some(Local::Value(value)) => value,
                _ => &Value::Unset,
            },
        }
    }

    pub(super) fn set(&mut self, slot: Slot, value: Value) {
        match slot {
            Slot::Global(number) => {
                if let Some(own) = self.globals.get_mut(number) {
                    *own = value;
                }
            }
            Slot::Local(number) => {
                if let Some(own) = self.locals.get_mut(self.base + number) {
                    *own = Local::Value(value);
                }
            }
        }
    }

    pub(super) fn array(&mut self, slot: Slot) -> Shared {
        match slot {
            Slot::Global(number) => self.arrays.get(number).map(Rc::clone).unwrap_or_default(),
            Slot::Local(number) => match self.locals.get_mut(self.base + number) {
                Some(Local::Array(shared)) => Rc::clone(shared),
                Some(own) => {
                    let shared = Shared::default();
                    *own = Local::Array(Rc::clone(&shared));
                    shared
                }
                None => Shared::default(),
            },
        }
    }

    /// Returns an element of an array. As in every awk, a missing one is added.
    pub(super) fn get_element(&mut self, array: Slot, key: &[u8]) -> Value {
        let shared = self.array(array);
        let mut elements = shared.borrow_mut();
        match elements.get(key) {
            Some(value) => value.clone(),
            None => {
                elements.insert(Text::from(key), Value::Unset);
                Value::Unset
            }
        }
    }

    pub(super) fn set_element(&mut self, array: Slot, key: &[u8], value: Value) {
        let shared = self.array(array);
        let mut elements = shared.borrow_mut();
        match elements.get_mut(key) {
            Some(own) => *own = value,
            None => drop(elements.insert(Text::from(key), value)),
        }
    }

    pub(super) fn find(&mut self, regex: &Regex, text: &[u8], from: usize) -> Option<(usize, usize)> {
        regex.find(text, from, &mut self.scratch)
    }

    /// Returns an empty buffer.
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Prints to the output, or to a file.
    pub(super) fn write(&mut self, file: Option<&Value>, text: &[u8]) {
        match file {
            Some(path) => self.files.write(&path.bytes(), text),
            None => self.out.extend_from_slice(text),
        }
    }
}
