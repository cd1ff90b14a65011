//! Blocks of code in Markdown.

/// A fenced block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Language after the fence: `yaml`, or `text` if every real file would be too long.
    pub language: &'a str,
    /// Text between the fences.
    pub text: &'a str,
}

/// Returns the blocks of code in a text.
pub fn blocks(mut rest: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    while let Some((_, after)) = rest.split_once("```") {
        let Some((language, text)) = after.split_once('\n') else { break };
        let Some((text, after)) = text.split_once("```") else { break };
        blocks.push(Block { language: language.trim_end(), text });
        rest = after;
    }
    blocks
}
