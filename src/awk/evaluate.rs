//! Evaluates expressions.

use super::ast::{Expr, Place, SEPARATOR, Slot};
use super::error::Error;
use super::machine::Machine;
use super::number::{Operation, from_place, negative, to_place};
use super::record::MOST;
use super::value::{Evaluated, Text, Value};

impl<'p> Machine<'p> {
    /// Appends the text of an expression.
    pub(super) fn append(&mut self, expr: &'p Expr, out: &mut Vec<u8>) -> Result<(), Error> {
        match expr {
            Expr::Text(number) => self.texts.get(*number).unwrap_or(&Value::Unset).append_to(out),
            Expr::Place(Place::Variable(slot)) => self.get(*slot).append_to(out),
            expr => self.eval(expr)?.append_to(out),
        }
        Ok(())
    }

    /// Returns the key of subscripts. The caller gives the buffer back.
    pub(super) fn key(&mut self, subscripts: &'p [Expr]) -> Result<Vec<u8>, Error> {
        let mut key = self.buffer();
        for (number, subscript) in subscripts.iter().enumerate() {
            if number > 0 {
                key.push(SEPARATOR);
            }
            self.append(subscript, &mut key)?;
        }
        Ok(key)
    }

    fn field_number(&mut self, expr: &'p Expr) -> Result<usize, Error> {
        let number = self.eval(expr)?.number();
        let place = to_place(number);
        if number < 0.0 || place > MOST { Err(Error::new("there is no such field")) } else { Ok(place) }
    }

    pub(super) fn read(&mut self, place: &'p Place) -> Evaluated {
        Ok(match place {
            Place::Variable(slot) => self.get(*slot).clone(),
            Place::Element(array, subscripts) => {
                let key = self.key(subscripts)?;
                let value = self.get_element(*array, &key);
                self.spare.push(key);
                value
            }
            Place::Field(number) => {
                let number = self.field_number(number)?;
                self.record.field(number)
            }
            Place::Fields => Value::Number(from_place(self.record.count())),
        })
    }

    /// Assigns the value that a function makes from the present one.
    fn change(&mut self, place: &'p Place, make: impl FnOnce(&Value) -> Evaluated) -> Evaluated {
        if let Place::Element(array, subscripts) = place {
            let key = self.key(subscripts)?;
            let value = make(&self.get_element(*array, &key))?;
            self.set_element(*array, &key, value.clone());
            self.spare.push(key);
            return Ok(value);
        }
        let value = make(&self.read(place)?)?;
        self.assign(place, value.clone())?;
        Ok(value)
    }

    pub(super) fn assign(&mut self, place: &'p Place, value: Value) -> Result<(), Error> {
        match place {
            Place::Variable(slot) => self.set(*slot, value),
            Place::Element(array, subscripts) => {
                let key = self.key(subscripts)?;
                self.set_element(*array, &key, value);
                self.spare.push(key);
            }
            Place::Field(number) => {
                let number = self.field_number(number)?;
                self.record.assign(number, value);
            }
            Place::Fields => {}
        }
        Ok(())
    }

    fn counted(&mut self, place: &'p Place, by: f64, before: bool) -> Evaluated {
        let mut old = 0.0;
        let new = self.change(place, |value| {
            old = value.number();
            calculated(Operation::Add, old, by)
        })?;
        Ok(if before { Value::Number(old) } else { new })
    }

    fn member(&mut self, subscripts: &'p [Expr], array: Slot) -> Evaluated {
        let key = self.key(subscripts)?;
        let is_there = self.array(array).borrow().contains_key(key.as_slice());
        self.spare.push(key);
        Ok(Value::truth(is_there))
    }

    fn joined(&mut self, parts: &'p [Expr]) -> Evaluated {
        let mut text = self.buffer();
        for part in parts {
            self.append(part, &mut text)?;
        }
        let value = Value::Text(Text::from(text.as_slice()));
        self.spare.push(text);
        Ok(value)
    }

    fn matches(&mut self, text: &Value, regex: usize) -> Evaluated {
        let regex = self.regex(regex)?;
        Ok(Value::truth(self.find(regex, &text.bytes(), 0).is_some()))
    }

    fn get_line(&mut self, place: Option<&'p Place>, path: &'p Expr) -> Evaluated {
        let path = self.eval(path)?;
        Ok(match self.files.line(&path.bytes()) {
            None => Value::Number(-1.0),
            Some(None) => Value::Number(0.0),
            Some(Some(line)) => {
                match place {
                    Some(place) => self.assign(place, Value::Input(line))?,
                    None => self.record.set(line),
                }
                Value::Number(1.0)
            }
        })
    }

    pub(super) fn eval(&mut self, expr: &'p Expr) -> Evaluated {
        Ok(match expr {
            Expr::Number(number) => Value::Number(*number),
            Expr::Text(number) => self.texts.get(*number).cloned().unwrap_or_default(),
            Expr::Place(place) => self.read(place)?,
            Expr::Assign(place, None, value) => {
                let value = self.eval(value)?;
                self.assign(place, value.clone())?;
                value
            }
            Expr::Assign(place, Some(operation), value) => {
                let by = self.eval(value)?.number();
                self.change(place, |old| calculated(*operation, old.number(), by))?
            }
            Expr::Count(place, by, before) => self.counted(place, *by, *before)?,
            Expr::In(subscripts, array) => self.member(subscripts, *array)?,
            Expr::Joined(parts) => self.joined(parts)?,
            Expr::Calculated(operation, one, other) => {
                let one = self.eval(one)?.number();
                calculated(*operation, one, self.eval(other)?.number())?
            }
            Expr::Negative(value) => Value::Number(negative(self.eval(value)?.number())),
            Expr::Not(value) => Value::truth(!self.eval(value)?.is_true()),
            Expr::And(one, other) => Value::truth(self.eval(one)?.is_true() && self.eval(other)?.is_true()),
            Expr::Or(one, other) => Value::truth(self.eval(one)?.is_true() || self.eval(other)?.is_true()),
            Expr::If(condition, yes, no) => {
                let is_true = self.eval(condition)?.is_true();
                self.eval(if is_true { yes } else { no })?
            }
            Expr::Compare(comparison, one, other) => {
                let one = self.eval(one)?;
                Value::truth(comparison.is(one.compare(&self.eval(other)?)))
            }
            Expr::Matches(text, regex) => {
                let text = match text {
                    Some(text) => self.eval(text)?,
                    None => self.record.field(0),
                };
                self.matches(&text, *regex)?
            }
            Expr::GetLine(place, path) => self.get_line(place.as_ref(), path)?,
            Expr::Call(function, arguments) => self.invoke(*function, arguments)?,
            Expr::Built(built) => self.built(built)?,
        })
    }
}

fn calculated(operation: Operation, one: f64, other: f64) -> Evaluated {
    operation.of(one, other).map(Value::Number).ok_or_else(|| Error::new("a division by zero"))
}
