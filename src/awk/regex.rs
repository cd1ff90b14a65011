//! Regular expressions of awk: the leftmost match, and of these the longest, as POSIX demands. The time of a search grows
//! linearly with the text.
//!
//! Missing are intervals such as `x{2}` and named sets such as `[:alpha:]`: not every awk of a router has them.

use super::error::Error;
use memchr::memmem::Finder;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn add(&mut self, byte: u8) {
        if let Some(word) = self.0.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6)).is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }

    fn of(byte: u8) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.add(byte);
        bytes
    }

    fn others(self) -> Bytes {
        Bytes(self.0.map(|word| !word))
    }

    fn or(self, other: Bytes) -> Bytes {
        let mut bytes = self;
        bytes.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
        bytes
    }
}

#[derive(Debug)]
enum Node {
    Byte(u8),
    Set(Bytes),
    Begin,
    End,
    All(Vec<Node>),
    Any(Vec<Node>),
    /// A repeated node: true in the first place if it may be absent, in the second if it may occur more than once.
    Repeated(Box<Node>, bool, bool),
}

/// A state of the automaton.
#[derive(Debug, Clone, Copy)]
enum State {
    Read(Bytes, usize),
    Either(usize, usize),
    Begin(usize),
    End(usize),
    Match,
}

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Regex {
    states: Vec<State>,
    start: usize,
    /// Bytes that a match can begin with; all, if it can be empty.
    first: Bytes,
    /// Text that every match begins with.
    prefix: Vec<u8>,
    finder: Option<Finder<'static>>,
    /// True if a match is only the prefix.
    is_literal: bool,
    /// True if a match begins at the beginning of the text.
    at_begin: bool,
}

/// Memory of searches.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    now: Vec<(usize, usize)>,
    next: Vec<(usize, usize)>,
    open: Vec<usize>,
    marks: Vec<usize>,
    mark: usize,
}

impl Regex {
    pub(super) fn new(source: &[u8]) -> Result<Regex, Error> {
        let mut reader = Reader { source, at: 0 };
        let node = reader.any(0)?;
        if reader.at < source.len() {
            return Err(Error::new("a parenthesis of a regular expression has no partner"));
        }
        let mut states = vec![State::Match];
        let start = build(&node, 0, &mut states);
        let mut prefix = Vec::new();
        let parts = match &node {
            Node::All(parts) => parts.as_slice(),
            node => std::slice::from_ref(node),
        };
        let at_begin = matches!(parts.first(), Some(Node::Begin));
        let rest = if at_begin { parts.get(1..).unwrap_or_default() } else { parts };
        for part in rest {
            let Node::Byte(byte) = part else { break };
            prefix.push(*byte);
        }
        let is_literal = !prefix.is_empty() && prefix.len() == rest.len();
        let finder = (!prefix.is_empty() && !at_begin).then(|| Finder::new(&prefix).into_owned());
        Ok(Regex { first: first(&states, start), states, start, prefix, finder, is_literal, at_begin })
    }

    /// Returns the place of the leftmost longest match that does not begin before `from`.
    pub(super) fn find(&self, text: &[u8], from: usize, scratch: &mut Scratch) -> Option<(usize, usize)> {
        if self.at_begin && (from > 0 || !text.starts_with(&self.prefix)) {
            return None;
        }
        if self.is_literal {
            let begin = if self.at_begin { 0 } else { self.skip(text, from)? };
            return Some((begin, begin + self.prefix.len()));
        }
        scratch.begin(self.states.len());
        let mut best: Option<(usize, usize)> = None;
        let mut at = from;
        loop {
            if scratch.now.is_empty() {
                if best.is_some() || (self.at_begin && at > from) {
                    return best;
                }
                at = self.skip(text, at)?;
            }
            if best.is_none() && !(self.at_begin && at > from) {
                scratch.mark_from_now();
                scratch.follow(&self.states, self.start, at, (at, text.len()));
            }
            let byte = text.get(at).copied();
            scratch.step();
            let now = std::mem::take(&mut scratch.now);
            for (state, begin) in &now {
                // A match that begins later cannot win.
                if best.is_some_and(|(other, _)| *begin > other) {
                    break;
                }
                match self.states.get(*state) {
                    Some(State::Match) => best = Some((*begin, at)),
                    Some(State::Read(bytes, next)) if byte.is_some_and(|byte| bytes.has(byte)) => {
                        scratch.follow_next(&self.states, *next, *begin, (at + 1, text.len()));
                    }
                    _ => {}
                }
            }
            scratch.now = now;
            std::mem::swap(&mut scratch.now, &mut scratch.next);
            if byte.is_none() {
                return best;
            }
            at += 1;
        }
    }

    /// Returns the next place at which a match can begin.
    fn skip(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let further = match &self.finder {
            Some(finder) => finder.find(rest)?,
            None if self.first.0 == [u64::MAX; 4] => 0,
            None => rest.iter().position(|byte| self.first.has(*byte))?,
        };
        Some(at + further)
    }
}

impl Scratch {
    fn begin(&mut self, states: usize) {
        self.now.clear();
        self.next.clear();
        if self.marks.len() < states {
            self.marks.resize(states, 0);
        }
        self.step();
    }

    fn step(&mut self) {
        self.next.clear();
        self.mark += 1;
    }

    /// Marks the states that are already there.
    fn mark_from_now(&mut self) {
        self.mark += 1;
        for (state, _) in &self.now {
            if let Some(mark) = self.marks.get_mut(*state) {
                *mark = self.mark;
            }
        }
    }

    /// Adds the states that follow from one without reading, to those of now.
    fn follow(&mut self, states: &[State], state: usize, begin: usize, place: (usize, usize)) {
        let mut now = std::mem::take(&mut self.now);
        self.close(states, state, begin, place, &mut now);
        self.now = now;
    }

    fn follow_next(&mut self, states: &[State], state: usize, begin: usize, place: (usize, usize)) {
        let mut next = std::mem::take(&mut self.next);
        self.close(states, state, begin, place, &mut next);
        self.next = next;
    }

    fn close(
        &mut self,
        states: &[State],
        state: usize,
        begin: usize,
        (at, end): (usize, usize),
        found: &mut Vec<(usize, usize)>,
    ) {
        self.open.push(state);
        while let Some(state) = self.open.pop() {
            let Some(mark) = self.marks.get_mut(state).filter(|mark| **mark != self.mark) else { continue };
            *mark = self.mark;
            match states.get(state) {
                Some(State::Either(one, other)) => self.open.extend([*other, *one]),
                Some(State::Begin(next)) if at == 0 => self.open.push(*next),
                Some(State::End(next)) if at == end => self.open.push(*next),
                Some(State::Read(..) | State::Match) => found.push((state, begin)),
                _ => {}
            }
        }
    }
}

/// Adds the states for a node, which `next` follows. Returns the first of them.
fn build(node: &Node, next: usize, states: &mut Vec<State>) -> usize {
    let state = match node {
        Node::Byte(byte) => State::Read(Bytes::of(*byte), next),
        Node::Set(bytes) => State::Read(*bytes, next),
        Node::Begin => State::Begin(next),
        Node::End => State::End(next),
        Node::All(parts) => return parts.iter().rev().fold(next, |next, part| build(part, next, states)),
        Node::Any(parts) => {
            let starts: Vec<usize> = parts.iter().map(|part| build(part, next, states)).collect();
            let either = |other: usize, one: &usize| {
                states.push(State::Either(*one, other));
                states.len() - 1
            };
            let mut starts = starts.iter().rev();
            return starts.next().copied().map_or(next, |last| starts.fold(last, either));
        }
        Node::Repeated(node, may_be_absent, often) => {
            let again = states.len();
            states.push(State::Either(next, next));
            let start = build(node, if *often { again } else { next }, states);
            if let Some(state) = states.get_mut(again) {
                *state = State::Either(start, next);
            }
            return if *may_be_absent { again } else { start };
        }
    };
    states.push(state);
    states.len() - 1
}

/// Returns the bytes that a match can begin with; all, if it can be empty.
fn first(states: &[State], start: usize) -> Bytes {
    let (mut open, mut seen, mut found) = (vec![start], vec![false; states.len()], Bytes::default());
    while let Some(state) = open.pop() {
        if seen.get_mut(state).is_none_or(|seen| std::mem::replace(seen, true)) {
            continue;
        }
        match states.get(state) {
            Some(State::Read(bytes, _)) => found = found.or(*bytes),
            Some(State::Either(one, other)) => open.extend([*one, *other]),
            Some(State::Begin(next)) => open.push(*next),
            _ => return Bytes::default().others(),
        }
    }
    found
}

/// Reader of the text of a regular expression.
struct Reader<'a> {
    source: &'a [u8],
    at: usize,
}

/// Deepest nesting of parentheses.
const DEEPEST: usize = 50;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn any(&mut self, depth: usize) -> Result<Node, Error> {
        if depth > DEEPEST {
            return Err(Error::new("a regular expression has too many parentheses"));
        }
        let mut parts = vec![self.all(depth)?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Result<Node, Error> {
        let mut parts = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| !b"|)".contains(byte)) {
            self.at += 1;
            let mut node = match byte {
                b'^' => Node::Begin,
                b'$' => Node::End,
                b'.' => Node::Set(Bytes::default().others()),
                b'[' => Node::Set(self.set()?),
                b'(' => {
                    let node = self.any(depth + 1)?;
                    if self.peek() != Some(b')') {
                        return Err(Error::new("a parenthesis of a regular expression has no partner"));
                    }
                    self.at += 1;
                    node
                }
                b'\\' => Node::Byte(self.escaped()?),
                b'*' | b'+' | b'?' | b'{' => {
                    return Err(Error::new("a regular expression repeats nothing, or has an interval"));
                }
                byte => Node::Byte(byte),
            };
            while let Some(sign) = self.peek().filter(|byte| b"*+?".contains(byte)) {
                self.at += 1;
                node = Node::Repeated(Box::new(node), sign != b'+', sign != b'?');
            }
            parts.push(node);
        }
        Ok(Node::All(parts))
    }

    fn escaped(&mut self) -> Result<u8, Error> {
        let (byte, length) = super::lexer::escape(self.source.get(self.at..).unwrap_or_default())
            .ok_or_else(|| Error::new("a regular expression ends in a backslash"))?;
        self.at += length;
        Ok(byte)
    }

    fn set(&mut self) -> Result<Bytes, Error> {
        let mut bytes = Bytes::default();
        let negated = self.peek() == Some(b'^');
        self.at += usize::from(negated);
        let start = self.at;
        loop {
            let byte = self.peek().ok_or_else(|| Error::new("a set of a regular expression has no end"))?;
            self.at += 1;
            let from = match byte {
                b']' if self.at > start + 1 => break,
                b'[' if self.peek() == Some(b':') => return Err(Error::new("named sets of bytes")),
                b'\\' => self.escaped()?,
                byte => byte,
            };
            let range = (self.peek() == Some(b'-')).then(|| self.source.get(self.at + 1).copied());
            match range.flatten().filter(|to| *to != b']') {
                Some(to) => {
                    self.at += 2;
                    let to = if to == b'\\' { self.escaped()? } else { to };
                    (from..=to).for_each(|byte| bytes.add(byte));
                }
                None => bytes.add(from),
            }
        }
        Ok(if negated { bytes.others() } else { bytes })
    }
}
