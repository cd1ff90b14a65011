//! Tokens of Rust source: identifiers, texts and punctuation with their lines, without comments.

/// A token and the line where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// An identifier, `::`, one other character, or `"` and the contents of a text.
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// True for an identifier or a keyword.
    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

/// Splits a source file into tokens.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut reader = Reader { characters: source.chars().collect(), at: 0, line: 1, tokens: Vec::new() };
    while reader.at < reader.characters.len() {
        reader.next();
    }
    reader.tokens
}

struct Reader {
    characters: Vec<char>,
    at: usize,
    line: usize,
    tokens: Vec<Token>,
}

impl Reader {
    /// The character this far ahead; at the end of the file a NUL.
    fn peek(&self, ahead: usize) -> char {
        self.characters.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn step(&mut self) -> char {
        let character = self.peek(0);
        self.at += 1;
        self.line += usize::from(character == '\n');
        character
    }

    fn push(&mut self, text: String, line: usize) {
        self.tokens.push(Token { text, line });
    }

    fn next(&mut self) {
        let line = self.line;
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => {
                while self.at < self.characters.len() && self.peek(0) != '\n' {
                    self.step();
                }
            }
            ('/', '*') => self.block_comment(),
            ('"', _) => self.text(line),
            ('r', '#') if is_word(self.peek(2)) => {
                self.at += 2;
            }
            ('r', '"' | '#') => {
                self.step();
                self.raw_text(line);
            }
            ('b' | 'c', '"') => {
                self.step();
                self.text(line);
            }
            ('b' | 'c', 'r') if matches!(self.peek(2), '"' | '#') => {
                self.at += 2;
                self.raw_text(line);
            }
            ('\'', _) => self.quote(),
            (':', ':') => {
                self.at += 2;
                self.push("::".to_owned(), line);
            }
            (first, _) if is_word(first) => {
                let mut word = String::new();
                while is_word(self.peek(0)) {
                    word.push(self.step());
                }
                self.push(word, line);
            }
            _ => {
                let character = self.step();
                if !character.is_whitespace() {
                    self.push(character.to_string(), line);
                }
            }
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.characters.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.step();
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
    }

    fn text(&mut self, line: usize) {
        let mut text = String::from(self.step());
        while self.at < self.characters.len() {
            match self.step() {
                '"' => break,
                '\\' => {
                    self.step();
                }
                character => text.push(character),
            }
        }
        self.push(text, line);
    }

    fn raw_text(&mut self, line: usize) {
        let mut hashes = 0;
        while self.step() == '#' {
            hashes += 1;
        }
        let mut text = String::from('"');
        while self.at < self.characters.len() {
            let character = self.step();
            if character == '"' && (0..hashes).all(|ahead| self.peek(ahead) == '#') {
                self.at += hashes;
                break;
            }
            text.push(character);
        }
        self.push(text, line);
    }

    /// A character in quotes, or a lifetime.
    fn quote(&mut self) {
        self.step();
        if self.peek(0) != '\\' && self.peek(1) != '\'' {
            while is_word(self.peek(0)) {
                self.step();
            }
            return;
        }
        while self.at < self.characters.len() {
            match self.step() {
                '\'' => break,
                '\\' => {
                    self.step();
                }
                _ => {}
            }
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
