//! The findings for files with errors: `tests/bad/` has one file for each fault, and its findings are beside it.
//!
//! To add a fault, add a file there. `INSTA_UPDATE=always cargo test --test file bad` writes its findings. Read them as a
//! user would before you commit them.

#[cfg(test)]
mod tests {
    use qosc_compiler::diag::{Format, Sink, Sources, render};
    use qosc_compiler::syntax;
    use std::collections::BTreeSet;
    use std::path::Path;

    test_each_file::test_each_path! { for ["yaml"] in "./tests/bad" as fault => is_told }

    /// Compares the findings about a file with the snapshot beside it.
    fn is_told([path]: [&Path; 1]) {
        let name = path.file_name().unwrap().to_string_lossy();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(path).unwrap();
        let mut sources = Sources::default();
        let mut sink = Sink::default();
        if let Some(file) = syntax::load(&mut sources, &name, &bytes, &mut sink) {
            let _ = syntax::read(&sources, file, &mut sink);
        }
        assert!(sink.has_errors(), "{name} is accepted");
        let findings = render(&sink.into_sorted(), &sources, Format::Human { colour: false });
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../bad");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_input_file(Path::new("tests/bad").join(&*name));
        settings.bind(|| crate::golden::assert_golden!(stem, findings));
    }

    #[test]
    fn every_bad_file_has_a_snapshot_and_none_is_left_over() {
        let names = |extension: &str| -> BTreeSet<_> {
            std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|e| e == extension))
                .map(|path| path.file_stem().unwrap().to_owned())
                .collect()
        };
        assert_eq!(names("snap"), names("yaml"));
    }
}
