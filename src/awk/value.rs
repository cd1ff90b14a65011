//! Values: texts and numbers.

use super::error::Error;
use super::number;
use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// Bytes of a text. Like most awks of routers, the interpreter counts bytes and not characters.
pub(super) type Text = Rc<[u8]>;

/// An array: values by their joined subscripts.
pub(super) type Array = HashMap<Text, Value>;

/// An array that variables share, because functions take arrays by reference.
pub(super) type Shared = Rc<RefCell<Array>>;

/// A value, or the reason why there is none.
pub(super) type Evaluated = Result<Value, Error>;

/// A value.
#[derive(Debug, Clone, Default)]
pub(super) enum Value {
    /// Value of a variable that nothing was assigned to: zero and an empty text.
    #[default]
    Unset,
    Number(f64),
    Text(Text),
    /// Text from outside the program. If it is a number, it is compared as one.
    Input(Text),
}

impl Value {
    pub(super) fn truth(truth: bool) -> Value {
        Value::Number(if truth { 1.0 } else { 0.0 })
    }

    pub(super) fn number(&self) -> f64 {
        match self {
            Value::Unset => 0.0,
            Value::Number(number) => *number,
            Value::Text(text) | Value::Input(text) => number::leading(text).0,
        }
    }

    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Value::Unset => Cow::Borrowed(&[]),
            Value::Text(text) | Value::Input(text) => Cow::Borrowed(text),
            Value::Number(_) => {
                let mut text = Vec::new();
                self.append_to(&mut text);
                Cow::Owned(text)
            }
        }
    }

    /// Appends the text of the value.
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        match self {
            Value::Unset => {}
            Value::Text(text) | Value::Input(text) => out.extend_from_slice(text),
            Value::Number(number) => number::print(*number, out),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Unset => false,
            Value::Number(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::Input(text) => number::whole(text).map_or(!text.is_empty(), |number| number != 0.0),
        }
    }

    /// Returns the number as which the value is compared; `None` if it is compared as a text.
    fn compared(&self) -> Option<f64> {
        match self {
            Value::Unset => Some(0.0),
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
            Value::Input(text) => number::whole(text),
        }
    }

    /// Compares as numbers if both values are numbers, otherwise as texts.
    pub(super) fn compare(&self, other: &Value) -> Ordering {
        let numbers = match (self, other) {
            (Value::Text(_), _) | (_, Value::Text(_)) => None,
            _ => self.compared().zip(other.compared()),
        };
        match numbers {
            Some((one, other)) => one.partial_cmp(&other).unwrap_or(Ordering::Greater),
            None => self.bytes().cmp(&other.bytes()),
        }
    }
}
