//! Texts that the program carries compressed: the rule pages, the JSON Schema and the runtime of scripts. `build.rs` writes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static ALL: LazyLock<String> = LazyLock::new(|| {
    let compressed = include_bytes!(concat!(env!("OUT_DIR"), "/carried.zlib"));
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(compressed).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
});

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut by_name = BTreeMap::new();
    let mut rest = ALL.as_str();
    while let Some((name, after)) = rest.split_once('\n')
        && let Some((length, after)) = after.split_once('\n')
        && let Some((text, after)) = length.parse().ok().and_then(|length| after.split_at_checked(length))
    {
        by_name.insert(name, text);
        rest = after;
    }
    by_name
});

/// Returns the text of a file by its name, such as `Q0101.md`.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    BY_NAME.get(name).copied()
}
