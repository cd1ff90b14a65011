//! The record `$0` and its fields, which are found when they are first needed.

use super::value::{Text, Value};

/// A record.
#[derive(Debug)]
pub(super) struct Record {
    text: Text,
    /// Places of the fields, if they are found and belong to the text.
    places: Vec<(usize, usize)>,
    split: bool,
    /// The fields, if one was assigned to.
    fields: Option<Vec<Value>>,
}

/// Most fields of a record: an assignment to one that is further away is an error.
pub(super) const MOST: usize = 1_000_000;

impl Record {
    pub(super) fn new() -> Record {
        Record { text: Text::from([]), places: Vec::new(), split: true, fields: None }
    }

    pub(super) fn set(&mut self, text: Text) {
        self.text = text;
        self.split = false;
        self.fields = None;
    }

    /// Returns the whole record.
    pub(super) fn text(&mut self) -> Text {
        if !self.split
            && let Some(fields) = &self.fields
        {
            let mut text = Vec::new();
            for (number, field) in fields.iter().enumerate() {
                if number > 0 {
                    text.push(b' ');
                }
                field.append_to(&mut text);
            }
            self.text = Text::from(text);
            self.split = true;
        }
        Text::clone(&self.text)
    }

    fn find(&mut self) {
        if !self.split && self.fields.is_none() {
            self.places.clear();
            words(&self.text, &mut self.places);
            self.split = true;
        }
    }

    pub(super) fn count(&mut self) -> usize {
        self.find();
        self.fields.as_ref().map_or(self.places.len(), Vec::len)
    }

    /// Returns field `$n`.
    pub(super) fn field(&mut self, n: usize) -> Value {
        let Some(number) = n.checked_sub(1) else { return Value::Input(self.text()) };
        self.find();
        match &self.fields {
            Some(fields) => fields.get(number).cloned().unwrap_or_default(),
            None => match self.bytes_of(number) {
                Some(bytes) => Value::Input(Text::from(bytes)),
                None => Value::Unset,
            },
        }
    }

    /// Returns the bytes of a field, counted from 0, if no field was assigned to.
    fn bytes_of(&self, number: usize) -> Option<&[u8]> {
        let (from, to) = self.places.get(number)?;
        self.text.get(*from..*to)
    }

    /// Assigns to field `$n`; `n` is at most [`MOST`].
    pub(super) fn assign(&mut self, n: usize, value: Value) {
        let Some(number) = n.checked_sub(1) else {
            self.set(Text::from(&*value.bytes()));
            return;
        };
        self.find();
        if self.fields.is_none() {
            let all = (0..self.places.len()).map(|number| {
                self.bytes_of(number).map_or(Value::Unset, |bytes| Value::Input(Text::from(bytes)))
            });
            self.fields = Some(all.collect());
        }
        if let Some(fields) = &mut self.fields {
            if fields.len() <= number {
                fields.resize(number + 1, Value::Unset);
            }
            if let Some(field) = fields.get_mut(number) {
                *field = value;
            }
        }
        self.split = false;
    }
}

/// Adds the places of the words of a text.
pub(super) fn words(text: &[u8], places: &mut Vec<(usize, usize)>) {
    let mut begin = None;
    for (at, byte) in text.iter().enumerate() {
        match (matches!(byte, b' ' | b'\t' | b'\n'), begin) {
            (true, Some(from)) => {
                places.push((from, at));
                begin = None;
            }
            (false, None) => begin = Some(at),
            _ => {}
        }
    }
    places.extend(begin.map(|from| (from, text.len())));
}
