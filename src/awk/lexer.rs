//! Tokens of an awk program.

use super::error::Error;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(Vec<u8>),
    Regex(Vec<u8>),
    Name(String),
    /// A name directly before a parenthesis: a call.
    Call(String),
    /// A word of the language, or the name of a function that awk has.
    Word(&'static str),
    Sign(&'static str),
    /// End of a line.
    Line,
    End,
}

/// Words of the language.
const WORDS: [&str; 17] = [
    "BEGIN", "END", "function", "if", "else", "while", "do", "for", "break", "continue", "next", "exit",
    "return", "delete", "in", "getline", "print",
];

/// Functions that awk has, and statements that look like one.
const FUNCTIONS: [&str; 11] =
    ["printf", "length", "substr", "index", "match", "split", "sub", "gsub", "sprintf", "int", "close"];

/// Signs, the longer ones before those that they begin with.
const SIGNS: [&str; 36] = [
    "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "==", "<=", ">=", "!=", "!~", "{", "}", "(", ")",
    "[", "]", ";", ",", "+", "-", "*", "/", "%", "!", ">", "<", "?", ":", "~", "$", "=", "\\\n",
];

/// True for a function that awk has, but not for a statement.
pub(super) fn is_function(word: &str) -> bool {
    word != "printf" && FUNCTIONS.contains(&word)
}

/// Splits a program into its tokens, each with its line.
pub(super) fn tokens(source: &str) -> Result<Vec<(Token, usize)>, Error> {
    let mut found: Vec<(Token, usize)> = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            ' ' | '\t' | '\r' => {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            '#' => {
                rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default();
                continue;
            }
            '\n' => (Token::Line, 1),
            '"' => quoted(rest, b'"', line)?,
            '/' if !ends_operand(found.last()) => quoted(rest, b'/', line)?,
            first if first.is_ascii_digit() || first == '.' => {
                let (number, length) = super::number::leading(rest.as_bytes());
                if length == 0 {
                    return Err(Error::new("`.` alone").at(line));
                }
                (Token::Number(number), length)
            }
            first if first.is_ascii_alphabetic() || first == '_' => name(rest),
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign
                    .ok_or_else(|| Error::new(format!("unknown sign {}", first.escape_debug())).at(line))?;
                (Token::Sign(sign), sign.len())
            }
        };
        let text = rest.get(..length).unwrap_or_default();
        rest = rest.get(length..).unwrap_or_default();
        if token != Token::Sign("\\\n") {
            found.push((token, line));
        }
        line += text.matches('\n').count();
    }
    found.push((Token::End, line));
    Ok(found)
}

fn name(rest: &str) -> (Token, usize) {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (text, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let word = WORDS.iter().chain(&FUNCTIONS).find(|word| **word == text);
    let token = match word {
        Some(word) => Token::Word(word),
        None if after.starts_with('(') => Token::Call(text.to_owned()),
        None => Token::Name(text.to_owned()),
    };
    (token, end)
}

/// True if an operand can end here, so that `/` divides.
fn ends_operand(last: Option<&(Token, usize)>) -> bool {
    matches!(
        last.map(|(token, _)| token),
        Some(
            Token::Number(_)
                | Token::Text(_)
                | Token::Regex(_)
                | Token::Name(_)
                | Token::Sign(")" | "]" | "$")
        )
    )
}

/// Reads a text or a regular expression up to its end sign.
fn quoted(rest: &str, end: u8, line: usize) -> Result<(Token, usize), Error> {
    let bytes = rest.as_bytes();
    let (mut text, mut at, mut in_set) = (Vec::new(), 1, false);
    loop {
        let byte = bytes.get(at).copied().filter(|byte| *byte != b'\n');
        let byte = byte.ok_or_else(|| Error::new("a text or regular expression has no end").at(line))?;
        at += 1;
        match (byte, end) {
            (b'\\', b'"') => {
                let (byte, length) = escape(bytes.get(at..).unwrap_or_default())
                    .ok_or_else(|| Error::new("a text has no end").at(line))?;
                // Before other bytes, awk keeps the backslash. `sub` reads it.
                if !is_escape(bytes.get(at).copied()) {
                    text.push(b'\\');
                }
                text.push(byte);
                at += length;
            }
            (b'\\', _) => {
                text.push(byte);
                text.extend(bytes.get(at));
                at += 1;
            }
            (byte, end) if byte == end && !in_set => break,
            (byte, end) => {
                if end == b'/' {
                    in_set = byte == b'[' || (in_set && byte != b']');
                }
                text.push(byte);
            }
        }
    }
    Ok((if end == b'"' { Token::Text(text) } else { Token::Regex(text) }, at))
}

fn is_escape(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| b"\\\"/abfnrtv".contains(&byte) || (b'0'..b'8').contains(&byte))
}

/// Returns the byte that the text after a backslash stands for, and the length of that text.
pub(super) fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let first = *text.first()?;
    let plain = match first {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        first => first,
    };
    let digits = text.iter().take(3).take_while(|byte| (b'0'..b'8').contains(*byte));
    let (value, length) = digits.fold((0_u8, 0), |(value, length), digit| {
        (value.wrapping_mul(8).wrapping_add(digit - b'0'), length + 1)
    });
    Some(if length > 0 { (value, length) } else { (plain, 1) })
}
