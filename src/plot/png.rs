//! Conversion of an SVG picture into pixels.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Query};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// Pixels for each of the picture's own. Screens with a high density show letters sharply.
pub const SCALE: u32 = 2;

/// Error on a machine without fonts. Words would be missing without a message.
const NO_FONT: &str = "this machine has no font for the text of a PNG\n  help: install one, such as `apt install fonts-dejavu-core`, or write a name that \
     ends in `.svg` or `.html`, which use the fonts of the reader";

/// Converts an SVG picture into a PNG with this machine's fonts. It is [`SCALE`] times as wide and high.
///
/// # Errors
/// Returns an error if there is no font, or if the picture is broken or too large.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    drawn(svg, fonts)
}

fn drawn(svg: &str, mut fonts: Database) -> Result<Vec<u8>, String> {
    let sans_serif = Query { families: &[Family::SansSerif], ..Query::default() };
    if fonts.query(&sans_serif).is_none() {
        let first = fonts.faces().find_map(|face| face.families.first().map(|(name, _)| name.clone()));
        fonts.set_sans_serif_family(first.ok_or(NO_FONT)?);
    }
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let wrong = |words: String| format!("the picture cannot be drawn as PNG: {words}");
    let tree = Tree::from_str(svg, &options).map_err(|e| wrong(e.to_string()))?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width().saturating_mul(SCALE), size.height().saturating_mul(SCALE));
    let mut pixels = Pixmap::new(width, height)
        .ok_or_else(|| wrong(format!("{width} x {height} pixels do not fit into memory")))?;
    let scale = Transform::from_scale(SCALE as f32, SCALE as f32);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| wrong(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Database, drawn};

    #[test]
    fn a_missing_font_is_an_error() {
        let none =
            drawn("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"/>", Database::new());
        let words = none.unwrap_err();
        assert!(
            words.starts_with("this machine has no font") && words.contains("\n  help: install one"),
            "{words}"
        );
    }
}
