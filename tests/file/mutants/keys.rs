//! Misspelt keys, and the suggestions for them.

use super::chance::Chance;
use super::damage::misspelt;
use super::pipeline::{said, through};
use super::tree::{Tree, examples};

/// The percentage of keys with one slip that must get the right suggestion.
const RIGHT: usize = 95;

#[test]
#[expect(clippy::print_stdout, reason = "figures for people, with --nocapture")]
fn misspelt_keys_get_the_right_suggestion() {
    let (mut asked, mut right, mut wrong) = (0, 0, Vec::new());
    for (name, text) in examples() {
        let mut chance = Chance::new(7);
        for key in Tree::of(&text).keys.iter().filter(|key| !key.name) {
            for damage in misspelt(&text, key, &mut chance) {
                let read = through(damage.text.as_bytes());
                let meant = format!("did you mean `{}`?", key.text);
                let names_key = |text: &String| *text == meant;
                if !read.has_errors() {
                    continue;
                }
                asked += 1;
                if read
                    .errors()
                    .any(|f| f.labels.iter().any(|l| names_key(&l.text)) || f.help.iter().any(names_key))
                {
                    right += 1;
                } else {
                    wrong.push(format!("{name}: {}\n{}", damage.what, said(&read)));
                }
            }
        }
    }
    println!("{right} of {asked} misspelt keys get the right suggestion; not:\n{}", wrong.join("\n"));
    assert!(asked > 600 && right * 100 >= asked * RIGHT, "{right} of {asked}");
}
