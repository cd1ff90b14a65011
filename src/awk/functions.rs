//! Calls of functions: those of the program, and those that awk has.

use super::ast::{Built, Expr, LENGTH, Place, START, Slot};
use super::error::Error;
use super::formats;
use super::machine::{Local, Machine};
use super::number::{from_place, truncated};
use super::regex::Regex;
use super::texts;
use super::value::{Evaluated, Text, Value};

impl<'p> Machine<'p> {
    pub(super) fn regex(&self, number: usize) -> Result<&'p Regex, Error> {
        self.program.regexes.get(number).ok_or_else(|| Error::new("a missing regular expression"))
    }

    pub(super) fn invoke(&mut self, number: usize, arguments: &'p [Expr]) -> Evaluated {
        let program = self.program;
        let arrays = program.functions.get(number).map_or(&[][..], |function| &function.arrays);
        if arguments.len() > arrays.len() {
            return Err(Error::new("a function is called with too many arguments"));
        }
        let base = self.locals.len();
        for (argument, is_array) in arguments.iter().zip(arrays) {
            let local = match argument {
                Expr::Place(Place::Variable(slot)) if *is_array => Local::Array(self.array(*slot)),
                argument => Local::Value(self.eval(argument)?),
            };
            self.locals.push(local);
        }
        if self.watched.as_ref().is_some_and(|(watched, _)| *watched == number)
            && let Some((watched, mut watcher)) = self.watched.take()
        {
            let text = |local: &Local| match local {
                Local::Value(value) => String::from_utf8_lossy(&value.bytes()).into_owned(),
                Local::Array(_) | Local::NoArray => String::new(),
            };
            let values: Vec<String> = self.locals.iter().skip(base).map(text).collect();
            watcher(self, &values)?;
            self.watched = Some((watched, watcher));
        }
        self.enter(number, base)
    }

    pub(super) fn built(&mut self, built: &'p Built) -> Evaluated {
        let text = |bytes: &[u8]| Value::Text(Text::from(bytes));
        Ok(match built {
            Built::Length(None) => Value::Number(from_place(self.record.text().len())),
            Built::Length(Some(value)) => Value::Number(from_place(self.eval(value)?.bytes().len())),
            Built::Substr(value, from, length) => {
                let value = self.eval(value)?;
                let from = self.eval(from)?.number();
                let length = length.as_ref().map(|length| self.eval(length)).transpose()?;
                text(texts::substr(&value.bytes(), from, length.map(|length| length.number())))
            }
            Built::Index(value, part) => {
                let value = self.eval(value)?;
                Value::Number(texts::index(&value.bytes(), &self.eval(part)?.bytes()))
            }
            Built::Match(value, regex) => {
                let value = self.eval(value)?;
                let regex = self.regex(*regex)?;
                let found = self.find(regex, &value.bytes(), 0);
                let (start, length) = found
                    .map_or((0.0, -1.0), |(begin, end)| (from_place(begin + 1), from_place(end - begin)));
                self.set(Slot::Global(START), Value::Number(start));
                self.set(Slot::Global(LENGTH), Value::Number(length));
                Value::Number(start)
            }
            Built::Split(value, array, separator) => {
                let value = self.eval(value)?;
                let separator = separator.as_ref().map(|separator| self.eval(separator)).transpose()?;
                let separator = separator.as_ref().map(Value::bytes);
                let parts = texts::split(&value.bytes(), separator.as_deref())
                    .ok_or_else(|| Error::new("`split` with a separator of more than one byte"))?;
                let count = parts.len();
                self.array(*array).borrow_mut().clear();
                for (number, part) in parts.into_iter().enumerate() {
                    self.set_element(*array, (number + 1).to_string().as_bytes(), part);
                }
                Value::Number(from_place(count))
            }
            Built::Replace(regex, with, place, all) => {
                let with = self.eval(with)?;
                let old = self.read(place)?;
                let regex = self.regex(*regex)?;
                match texts::replace(self, regex, &old.bytes(), &with.bytes(), *all) {
                    Some((new, count)) => {
                        self.assign(place, text(&new))?;
                        Value::Number(from_place(count))
                    }
                    None => Value::Number(0.0),
                }
            }
            Built::Format(values) => text(&self.formatted(values)?),
            Built::Int(value) => Value::Number(truncated(self.eval(value)?.number())),
            Built::Close(path) => {
                let path = self.eval(path)?;
                self.files.close(&path.bytes());
                Value::Number(0.0)
            }
        })
    }

    pub(super) fn formatted(&mut self, values: &'p [Expr]) -> Result<Vec<u8>, Error> {
        let values = values.iter().map(|value| self.eval(value)).collect::<Result<Vec<_>, _>>()?;
        let (format, values) = values.split_first().ok_or_else(|| Error::new("printf has no format"))?;
        formats::format(&format.bytes(), values)
    }
}
