//! `qosc check --matrix`: the rates of each class on each link and with each variant.

use super::args::MatrixFormat;
use super::markdown::code;
use super::output;
use qosc_compiler::compile::Compilation;
use qosc_compiler::derive::borrows;
use qosc_compiler::diag::for_terminal;
use qosc_compiler::model::{Class, Direction, Shape};
use qosc_preview::explain::columns;

/// A class with its rates: the guarantee and the ceiling up, and both down.
type ClassRates = (String, [String; 4]);

/// Rates of the classes of one file.
#[derive(Default)]
pub(super) struct Matrix {
    /// Names of the link and of the variant, which can be empty, and the classes.
    settings: Vec<([String; 2], Vec<ClassRates>)>,
}

impl Matrix {
    /// Adds a link without errors and its variants.
    pub(super) fn add(&mut self, link: &Compilation) {
        for own in std::iter::once(link).chain(&link.variants) {
            let Some((model, _)) = own.finished() else { continue };
            let mut classes = Vec::new();
            rates(&model.classes, &mut classes);
            let variant = own.options.variant.clone();
            self.settings
                .push(([link.link.clone().unwrap_or_default(), variant.unwrap_or_default()], classes));
        }
    }

    /// Returns the table: for each class a row for each link and variant. A row shows `none` if the class is not there.
    fn rows(&self) -> Vec<Vec<String>> {
        let has =
            |of: fn(&[String; 2]) -> &String| self.settings.iter().any(|(names, _)| !of(names).is_empty());
        let used = [has(|[link, _]| link), has(|[_, variant]| variant)];
        let row = |class: &str, names: [&str; 2], rates: [&str; 4]| {
            let names = names.into_iter().zip(used).filter_map(|(name, used)| used.then_some(name));
            [class].into_iter().chain(names).chain(rates).map(for_terminal).collect::<Vec<_>>()
        };
        let mut table = vec![row("class", ["link", "variant"], ["up", "at most", "down", "at most"])];
        let mut classes: Vec<&str> = Vec::new();
        for (name, _) in self.settings.iter().flat_map(|(_, classes)| classes) {
            if !classes.contains(&name.as_str()) {
                classes.push(name);
            }
        }
        for class in classes {
            for ([link, variant], rates) in &self.settings {
                let own = rates.iter().find(|(name, _)| name == class).map(|(_, rates)| rates);
                let rates =
                    own.map_or(["none", "", "none", ""], |rates| rates.each_ref().map(String::as_str));
                table.push(row(class, [link, if variant.is_empty() { "-" } else { variant }], rates));
            }
        }
        table
    }

    /// Prints the table of a file to standard output. A file with errors has none.
    pub(super) fn print(&self, file: &str, format: MatrixFormat) -> super::outcome::Done {
        if self.settings.is_empty() {
            return Ok(super::outcome::Outcome::Fine);
        }
        let rows = self.rows();
        output::text(&match format {
            MatrixFormat::Text => format!("{}\n{}", for_terminal(file), columns(&rows)),
            MatrixFormat::Markdown => {
                let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
                let lines = rows.into_iter().enumerate().map(|(number, mut cells)| {
                    let width = cells.len();
                    let name = cells.first_mut().filter(|_| number > 0);
                    name.into_iter().for_each(|name| *name = code(name));
                    match number {
                        0 => line(cells) + &line(vec!["---".to_owned(); width]),
                        _ => line(cells),
                    }
                });
                format!("{}\n\n{}\n", code(file), lines.collect::<String>())
            }
        })
    }
}

/// Adds classes and those inside them.
fn rates(classes: &[Class], into: &mut Vec<ClassRates>) {
    for class in classes {
        let [up, down] = Direction::BOTH.map(|direction| {
            let guarantee = class.guarantee.get(direction).value;
            let guarantee =
                if borrows(guarantee) { "borrows only".to_owned() } else { guarantee.for_people() };
            [guarantee, class.ceiling.get(direction).value.for_people()]
        });
        let [[up, most_up], [down, most_down]] = [up, down];
        into.push((class.path.clone(), [up, most_up, down, most_down]));
        if let Shape::Inner(inner) = &class.shape {
            rates(inner, into);
        }
    }
}
