//! Runs the rules and functions of a program.

use super::ast::{Expr, Rule, Slot, Statement};
use super::error::Error;
use super::machine::{Local, Machine};
use super::value::{Text, Value};

/// Deepest nesting of calls: a class tree of the kernel has 8 levels.
const DEEPEST: usize = 64;

/// How a statement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
    Next,
    Exit,
    Return,
}

impl<'p> Machine<'p> {
    /// Runs the program on the lines of a text.
    ///
    /// # Errors
    /// Fails if the program divides by zero or calls functions too deeply, or if a watcher fails.
    pub fn run(&mut self, input: &str) -> Result<(), Error> {
        let program = self.program;
        let mut flow = self.rules(&program.begin)?;
        if flow != Flow::Exit && !(program.rules.is_empty() && program.end.is_empty()) {
            let text = input.strip_suffix('\n').unwrap_or(input);
            for line in text.split('\n').take(if input.is_empty() { 0 } else { usize::MAX }) {
                self.record.set(Text::from(line.as_bytes()));
                flow = self.rules(&program.rules)?;
                if flow == Flow::Exit {
                    break;
                }
            }
        }
        self.rules(&program.end)?;
        Ok(())
    }

    /// Calls a function with texts, and returns its value as a text.
    ///
    /// # Errors
    /// Fails if there is no such function, or as [`Machine::run`] does.
    pub fn call(&mut self, function: &str, arguments: &[&str]) -> Result<String, Error> {
        let number = self.function(function)?;
        let base = self.locals.len();
        let values = arguments.iter().map(|text| Value::Input(Text::from(text.as_bytes())));
        self.locals.extend(values.map(Local::Value));
        let value = self.enter(number, base)?;
        Ok(String::from_utf8_lossy(&value.bytes()).into_owned())
    }

    fn rules(&mut self, rules: &'p [Rule]) -> Result<Flow, Error> {
        for rule in rules {
            let flow = self.rule(rule).map_err(|error| error.at(rule.line))?;
            if matches!(flow, Flow::Next | Flow::Exit) {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn rule(&mut self, rule: &'p Rule) -> Result<Flow, Error> {
        if let Some(pattern) = &rule.pattern
            && !self.eval(pattern)?.is_true()
        {
            return Ok(Flow::On);
        }
        match &rule.action {
            Some(action) => self.exec(action),
            None => {
                self.print(&[], None)?;
                Ok(Flow::On)
            }
        }
    }

    fn exec(&mut self, statement: &'p Statement) -> Result<Flow, Error> {
        match statement {
            Statement::Block(all) => return self.all(all),
            Statement::Expr(expr) => drop(self.eval(expr)?),
            Statement::Print(values, file) => self.print(values, file.as_ref())?,
            Statement::PrintFormat(values, file) => self.print_format(values, file.as_ref())?,
            Statement::If(condition, yes, no) => {
                if self.eval(condition)?.is_true() {
                    return self.exec(yes);
                }
                return no.as_ref().map_or(Ok(Flow::On), |no| self.exec(no));
            }
            Statement::While(condition, body) => return self.repeat(condition, body, false),
            Statement::DoWhile(body, condition) => return self.repeat(condition, body, true),
            Statement::For(head, body) => return self.count(head, body),
            Statement::Delete(array, subscripts) => self.delete(*array, subscripts)?,
            Statement::Return(value) => {
                self.returned = value.as_ref().map_or(Ok(Value::Unset), |value| self.eval(value))?;
                return Ok(Flow::Return);
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Next => return Ok(Flow::Next),
            Statement::Exit(code) => {
                if let Some(code) = code {
                    self.eval(code)?;
                }
                return Ok(Flow::Exit);
            }
        }
        Ok(Flow::On)
    }

    fn all(&mut self, statements: &'p [Statement]) -> Result<Flow, Error> {
        for statement in statements {
            let flow = self.exec(statement)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    /// Runs a loop. If `first` is true, the body runs before the condition is tested.
    fn repeat(&mut self, condition: &'p Expr, body: &'p Statement, first: bool) -> Result<Flow, Error> {
        let mut first = first;
        while std::mem::take(&mut first) || self.eval(condition)?.is_true() {
            match self.exec(body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::On)
    }

    fn delete(&mut self, array: Slot, subscripts: &'p [Expr]) -> Result<(), Error> {
        let key = self.key(subscripts)?;
        let shared = self.array(array);
        if subscripts.is_empty() {
            shared.borrow_mut().clear();
        } else {
            shared.borrow_mut().remove(key.as_slice());
        }
        self.spare.push(key);
        Ok(())
    }

    fn count(&mut self, head: &'p [Option<Expr>; 3], body: &'p Statement) -> Result<Flow, Error> {
        let [first, condition, last] = head;
        if let Some(first) = first {
            self.eval(first)?;
        }
        loop {
            if let Some(condition) = condition
                && !self.eval(condition)?.is_true()
            {
                return Ok(Flow::On);
            }
            match self.exec(body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => return Ok(Flow::On),
                flow => return Ok(flow),
            }
            if let Some(last) = last {
                self.eval(last)?;
            }
        }
    }

    fn print_format(&mut self, values: &'p [Expr], file: Option<&'p Expr>) -> Result<(), Error> {
        let text = self.formatted(values)?;
        let file = file.map(|file| self.eval(file)).transpose()?;
        self.write(file.as_ref(), &text);
        Ok(())
    }

    fn print(&mut self, values: &'p [Expr], file: Option<&'p Expr>) -> Result<(), Error> {
        let mut text = self.buffer();
        if values.is_empty() {
            text.extend_from_slice(&self.record.text());
        }
        for (number, value) in values.iter().enumerate() {
            if number > 0 {
                text.push(b' ');
            }
            self.append(value, &mut text)?;
        }
        text.push(b'\n');
        let file = file.map(|file| self.eval(file)).transpose()?;
        self.write(file.as_ref(), &text);
        self.spare.push(text);
        Ok(())
    }

    /// Runs a function whose arguments are the last local variables, from `base`.
    pub(super) fn enter(&mut self, number: usize, base: usize) -> Result<Value, Error> {
        let program = self.program;
        let function = program.functions.get(number).ok_or_else(|| Error::new("a missing function"))?;
        if self.depth >= DEEPEST {
            return Err(Error::new(format!("`{}` is called too deeply", function.name)).at(function.line));
        }
        let given = self.locals.len() - base;
        let others = function.arrays.iter().skip(given);
        self.locals
            .extend(others.map(|array| if *array { Local::NoArray } else { Local::Value(Value::Unset) }));
        let before = std::mem::replace(&mut self.base, base);
        self.depth += 1;
        self.returned = Value::Unset;
        let flow = self.all(&function.body)?;
        self.depth -= 1;
        self.locals.truncate(base);
        self.base = before;
        match flow {
            Flow::On | Flow::Return => Ok(std::mem::take(&mut self.returned)),
            _ => Err(Error::new("a function ends the rule").at(function.line)),
        }
    }
}
