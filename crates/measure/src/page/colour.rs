//! Colours of series and bars.

/// Colours that people with colour vision deficiency can distinguish (Okabe and Ito 2008, "Color Universal Design"),
/// the most distinct first. Each pair has one for a light page and one for a dark page. Yellow and black are moved
/// towards the middle, because each would be invisible on one of the pages.
pub const COLOURS: [(&str, &str); 8] = [
    ("#0072b2", "#3d9bd8"),
    ("#d55e00", "#f07f2e"),
    ("#009e73", "#1fbf92"),
    ("#cc79a7", "#d68cb5"),
    ("#e69f00", "#e69f00"),
    ("#56b4e9", "#7cc6f0"),
    ("#4d4d4d", "#c4c4c4"),
    ("#b5a800", "#f0e442"),
];

/// Index of the colour of a line without the script, in every picture.
pub const WITHOUT_SCRIPT: usize = 1;
/// Index of the colour of a line with the script, in every picture.
pub const WITH_SCRIPT: usize = 0;
