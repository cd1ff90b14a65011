//! Collects contradictions between the rates of sibling classes, and reports one that holds in both directions only
//! once.

use super::claims::{Above, Claim, amount};
use crate::derive::LEAST_RATE;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked};
use crate::model::{Direction, Val};
use crate::terms::Amount;
use crate::units::Rate;
use std::collections::BTreeMap;

/// Largest number of classes that one finding points at.
const POINTED_AT: usize = 8;

/// A contradiction in one direction.
struct Problem {
    code: Code,
    direction: Direction,
    at: Span,
    message: String,
    label: String,
    help: String,
    /// Amount that would fit at the place.
    fits: Option<String>,
    /// Other places with their labels.
    also: Vec<(Span, String)>,
}

/// Contradictions between the classes of one parent.
pub(super) struct Problems<'a> {
    above: &'a Above,
    claims: &'a [Claim<'a>],
    found: Vec<Problem>,
}

impl<'a> Problems<'a> {
    /// Returns an empty collection.
    pub fn new(above: &'a Above, claims: &'a [Claim<'a>]) -> Self {
        Problems { above, claims, found: Vec::new() }
    }

    fn parent(&self) -> String {
        self.above
            .name
            .as_deref()
            .map_or_else(|| "the link".to_owned(), |name| format!("class {}", ticked(name)))
    }

    /// Returns the claimants that exist in a direction.
    fn here(&self, direction: Direction) -> impl Iterator<Item = &'a Claim<'a>> {
        self.claims.iter().filter(move |claim| *claim.directions.get(direction))
    }

    fn plural(&self) -> &'static str {
        if self.claims.first().is_some_and(|claim| claim.noun == "class") { "classes" } else { "hosts" }
    }

    /// Returns the words for a class, and the place of its `rate`: that of its name if the rate is not written.
    fn class(&self, index: usize, rate: &Val<Rate>) -> (String, Span) {
        let claim = self.claims.get(index);
        let name = claim.map_or(self.above.span, |claim| claim.name.span);
        (claim.map(spoken_of).unwrap_or_default(), rate.span().unwrap_or(name))
    }

    /// Records a class whose guarantee exceeds that of its parent.
    pub fn guarantee_above(&mut self, index: usize, direction: Direction, rate: &Val<Rate>) {
        let (class, at) = self.class(index, rate);
        self.found.push(Problem {
            code: Code::GuaranteeAboveParent,
            direction,
            at,
            message: format!("{class} is guaranteed more than {} has", self.parent()),
            label: of_whole(rate.value, *self.above.guarantee.get(direction)),
            help: "lower the `guarantee`: the class can still borrow up to its `ceiling`".to_owned(),
            fits: None,
            also: Vec::new(),
        });
    }

    /// Records a class with a guarantee under a parent that only borrows.
    pub fn of_nothing(&mut self, index: usize, direction: Direction, rate: &Val<Rate>) {
        let (class, at) = self.class(index, rate);
        let parent = self.parent();
        self.found.push(Problem {
            code: Code::GuaranteeAboveParent,
            direction,
            at,
            message: format!("{class} has a guarantee in {parent}, which only borrows"),
            label: "the parent class guarantees nothing".to_owned(),
            help: format!("remove `guarantee` from {class}, or write one above `0%` in {parent}"),
            fits: None,
            also: Vec::new(),
        });
    }

    /// Records classes whose guarantees together exceed that of their parent.
    pub fn sum_above(&mut self, direction: Direction, sum: Rate) {
        let whole = *self.above.guarantee.get(direction);
        let given = self.here(direction).filter_map(|claim| *claim.guarantee.get(direction));
        let all: Vec<Spanned<Amount>> = given.collect();
        let rates: Vec<(Span, Rate)> =
            all.iter().map(|given| (given.span, spoken(amount(*given, whole).value, whole))).collect();
        let count = rates.len();
        // The devices of a prefix have their guarantee at one place.
        let mut given: Vec<(Span, String)> = rates
            .chunk_by(|one, next| one.0 == next.0)
            .filter_map(|same| {
                let (span, rate) = same.first()?;
                let number = if same.len() == 1 { String::new() } else { format!("{} x ", same.len()) };
                Some((*span, format!("{number}{rate}")))
            })
            .collect();
        // The place is one that the user can change, if there is one.
        given.sort_by_key(|(span, _)| span.is_own());
        let of_preset = given.iter().any(|(span, _)| !span.is_own());
        let Some((last, own)) = given.pop() else { return };
        let fits = fits(&all, last, sum, whole);
        given.truncate(POINTED_AT);
        let total = if given.is_empty() { format!("{own} =") } else { "in total".to_owned() };
        self.found.push(Problem {
            code: Code::GuaranteeAboveParent,
            direction,
            at: last,
            message: format!(
                "{count} {} are together guaranteed more than {} has",
                self.plural(),
                self.parent()
            ),
            label: format!("{total} {}", of_whole(sum, whole)),
            help: match self.plural() {
                "classes" if of_preset && last.is_own() => {
                    "lower the guarantees, also those of the preset: a class here with the name of one of its classes overrides its values"
                }
                "classes" => {
                    "lower the guarantees, or remove one: a class without `guarantee` gets a share of what the others leave"
                }
                _ => "lower the guarantees: what they leave is for all other hosts of the class",
            }
            .to_owned(),
            fits,
            also: given,
        });
    }

    /// Records that no rate remains for classes without a guarantee.
    pub fn nothing_left(&mut self, direction: Direction, left: Rate) {
        let without: Vec<&Claim<'_>> =
            self.here(direction).filter(|claim| claim.guarantee.get(direction).is_none()).collect();
        let Some((first, rest)) = without.split_first() else { return };
        let whole = *self.above.guarantee.get(direction);
        self.found.push(Problem {
            code: Code::NothingLeft,
            direction,
            at: first.name.span,
            message: format!("{} has no rate left to guarantee {}", self.parent(), spoken_of(first)),
            label: format!("left: {}", of_whole(left, whole)),
            help: match first.noun {
                "class" => {
                    format!("lower the guarantees of the other classes: a class needs at least {LEAST_RATE}")
                }
                _ => "lower the guarantees of the hosts: all other hosts share what they leave".to_owned(),
            },
            fits: None,
            also: rest
                .iter()
                .filter(|class| class.name.span != first.name.span)
                .take(POINTED_AT)
                .map(|class| (class.name.span, "no rate left".to_owned()))
                .collect(),
        });
    }

    /// Records a ceiling above the parent's.
    pub fn ceiling_above(&mut self, index: usize, direction: Direction, ceiling: &Val<Rate>) {
        let (class, at) = self.class(index, ceiling);
        self.found.push(Problem {
            code: Code::CeilingAboveParent,
            direction,
            at,
            message: match self.above.name {
                Some(_) => format!("the ceiling of {class} is above that of {}", self.parent()),
                None => format!("the ceiling of {class} is above the rate of the link"),
            },
            label: of_whole(ceiling.value, *self.above.ceiling.get(direction)),
            help: "remove `ceiling`: by default it is that of the parent".to_owned(),
            fits: None,
            also: Vec::new(),
        });
    }

    /// Records a ceiling below the class's own guarantee.
    pub fn ceiling_below(
        &mut self,
        index: usize,
        direction: Direction,
        guarantee: &Val<Rate>,
        ceiling: &Val<Rate>,
    ) {
        let (class, at) = self.class(index, ceiling);
        let own = spoken(guarantee.value, ceiling.value);
        let also = guarantee.span().map(|span| (span, format!("guarantee {own}")));
        self.found.push(Problem {
            code: Code::CeilingBelowGuarantee,
            direction,
            at,
            message: format!("the ceiling of {class} is below its guarantee"),
            label: format!("ceiling {}", spoken(ceiling.value, guarantee.value)),
            help: "raise the `ceiling` or lower the `guarantee`".to_owned(),
            fits: None,
            also: also.into_iter().collect(),
        });
    }

    /// Records a rate that is too low for a packet, with advice.
    pub fn too_low(&mut self, index: usize, direction: Direction, rate: &Val<Rate>, help: String) {
        let (class, at) = self.class(index, rate);
        let help = match at.is_own() {
            true => help,
            false => "the line is too slow for these classes: write `classes: { preset: simple }`".to_owned(),
        };
        self.found.push(Problem {
            code: Code::RateTooLow,
            direction,
            at,
            message: format!("{class} has a rate below {LEAST_RATE}"),
            label: rate.value.to_string(),
            help,
            fits: None,
            also: Vec::new(),
        });
    }

    /// Reports all contradictions. One that holds in both directions at the same place becomes a single finding.
    pub fn push(self, sink: &mut Sink) {
        let mut places: BTreeMap<(Code, Span, String), Vec<Problem>> = BTreeMap::new();
        for problem in self.found {
            let key = (problem.code, problem.at, problem.message.clone());
            places.entry(key).or_default().push(problem);
        }
        for ((code, _, message), same) in places {
            let Some(first) = same.first() else { continue };
            let labels = same.iter().map(|problem| (problem.direction, problem.label.as_str()));
            let mut finding = Diagnostic::new(code, first.at, message).label(one_label(labels));
            let mut also: BTreeMap<Span, Vec<Saying<'_>>> = BTreeMap::new();
            for problem in &same {
                for (span, text) in &problem.also {
                    also.entry(*span).or_default().push((problem.direction, text));
                }
            }
            for (span, texts) in also {
                finding = finding.also(span, one_label(texts));
            }
            if self.above.name.is_some() {
                finding = finding.also(self.above.span, "the parent class");
            }
            let fits = same.iter().filter_map(|own| Some((own.direction, own.fits.as_deref()?)));
            let fits = Some(one_label(fits)).filter(|fits| !fits.is_empty());
            let fits =
                fits.map(|fits| format!("with the other guarantees as they are, at most {fits} fits here"));
            finding = fits.into_iter().fold(finding, Diagnostic::help).help(first.help.clone());
            // The rate of the link is written nowhere in the file.
            let of_link =
                matches!(code, Code::GuaranteeAboveParent | Code::CeilingAboveParent | Code::NothingLeft);
            if let Some(line) = self.above.line.as_ref().filter(|_| of_link) {
                finding = same
                    .iter()
                    .fold(finding, |finding, problem| finding.help(line.get(problem.direction).clone()));
            }
            sink.push(finding);
        }
    }
}

/// Returns the largest amount that could stand at a place, in the form of the one that does; nothing if there is none.
fn fits(all: &[Spanned<Amount>], at: Span, sum: Rate, whole: Rate) -> Option<String> {
    let here: Vec<_> = all.iter().filter(|given| given.span == at).collect();
    let own: u64 = here.iter().map(|given| amount(**given, whole).value.bps()).sum();
    let left = whole.bps().checked_sub(sum.bps().checked_sub(own)?)? / u64::try_from(here.len()).ok()?;
    match here.first()?.value {
        Amount::Share(_) => {
            Some(left * 100 / whole.bps()).filter(|share| *share > 0).map(|share| format!("{share}%"))
        }
        Amount::Rate(_) => {
            // Rounded down to whole kbit/s, and to whole Mbit/s above 10 of them.
            let unit = if left < 10_000_000 { 1_000 } else { 1_000_000 };
            Some(Rate::from_bps(left / unit * unit))
                .filter(|rate| *rate >= LEAST_RATE)
                .map(|rate| rate.to_string())
        }
    }
}

/// Returns the words for a claimant, such as its kind and its name.
fn spoken_of(claim: &Claim<'_>) -> String {
    format!("{} {}", claim.noun, ticked(&claim.name.value))
}

/// Label for one direction.
type Saying<'t> = (Direction, &'t str);

/// Merges the labels of one or both directions.
fn one_label<'t>(texts: impl IntoIterator<Item = Saying<'t>>) -> String {
    let mut texts: Vec<Saying<'_>> = texts.into_iter().collect();
    texts.dedup();
    match texts.as_slice() {
        [(Direction::Up, up), (Direction::Down, down)] if up == down => (*up).to_owned(),
        [(Direction::Up, up), (Direction::Down, down)] => format!("{up} up, {down} down"),
        _ => texts
            .iter()
            .map(|(direction, text)| format!("{text} {}", direction.as_str()))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Significant digits of a rate in a message.
pub(super) const DIGITS: u32 = 4;

/// Rounds a rate to [`DIGITS`], unless it then equals the rounded `other`.
fn spoken(rate: Rate, other: Rate) -> Rate {
    let rounded = rate.rounded(DIGITS);
    if rounded == other.rounded(DIGITS) && rate != other { rate } else { rounded }
}

/// Returns the words for a rate out of a total.
pub(super) fn of_whole(rate: Rate, whole: Rate) -> String {
    format!("{} of {}", spoken(rate, whole), spoken(whole, rate))
}
