//! Shell programs that a router runs besides the script. Only fixed text and quoted words are in them.

use crate::install::File;
use qosc_compiler::emit::quote;
use std::fmt::Write as _;

/// Directories that a login without a terminal may leave out.
const PATH: &str = "PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH\n";

/// Answer for the user's number, before the number.
pub(super) const USER: &str = "qosc-user ";
/// Answer if the user is not root, but may run everything as root without a question.
pub(super) const MAY_SUDO: &str = "qosc-sudo";
/// Answer if `tc` is installed.
pub(super) const HAS_TC: &str = "qosc-tc";
/// Answer if a file that starts the script exists.
pub(super) const HAS_HOOK: &str = "qosc-hook";
/// Answer if the configuration before the last kept one is there.
pub(super) const HAS_BEFORE: &str = "qosc-before";
/// Answer for a file that was written, before its path.
pub(super) const WRITTEN: &str = "qosc-written ";

/// Functions that write files. `put` writes standard input, which has $3 bytes, to the file $1 with the mode $2, and keeps the old
/// file as $4, if that is named. A full disk leaves the old file there, and so does a connection that ends early.
const PUT: &str = r#"set -e
umask 022
new=
trap '[ -z "$new" ] || rm -f "$new" "$new.old"' EXIT
# Copies the file $1, if it is there, to $new.old.
old() {
    [ ! -e "$1" ] || cp -p "$1" "$new.old"
}
put() {
    mkdir -p "${1%/*}"
    new=$1.qosc-new
    cat >"$new"
    [ $(($(wc -c <"$new"))) = "${3-}" ] || {
        echo "only a part of $1 arrived, so the file is as before" >&2
        exit 1
    }
    chmod "$2" "$new"
    if [ "$(ls -l "$1" 2>/dev/null | cut -c 1-10)" = "$(ls -l "$new" | cut -c 1-10)" ] && cmp -s "$1" "$new"; then
        rm "$new"
    else
        if [ -n "${4-}" ] && ! cmp -s "$1" "$new"; then
            old "$1"
            [ ! -e "$new.old" ] || mv "$new.old" "$4"
        fi
        mv "$new" "$1"
        echo "$written$1"
    fi
    new=
}
"#;

/// Returns the program that looks at a router and changes nothing. `hooks` are the files that would start the script, and `before`
/// is the script before the last kept one.
pub(super) fn look(hooks: &[String], before: &str) -> String {
    let mut text = format!("{PATH}echo \"{USER}$(id -u)\"\n");
    // A command that reads would read the rest of this program.
    let _ = writeln!(
        text,
        "[ \"$(id -u)\" = 0 ] || ! sudo -n true </dev/null >/dev/null 2>&1 || echo {MAY_SUDO}"
    );
    let _ = writeln!(text, "! command -v tc >/dev/null || echo {HAS_TC}");
    let hooks = hooks.iter().map(|hook| (hook.as_str(), HAS_HOOK));
    for (path, answer) in hooks.chain([(before, HAS_BEFORE)]) {
        let _ = writeln!(text, "[ ! -e {} ] || echo {answer}", quote(path));
    }
    text
}

/// Returns the program that exchanges the script and the one before it.
pub(super) fn exchange(script: &str, before: &str) -> String {
    let [script, before] = [script, before].map(quote);
    format!(
        "{PATH}{PUT}trap '' HUP INT TERM\nnew={script}.qosc-new\nold {script}\nmv {before} {script}\n\
         [ ! -e \"$new.old\" ] || mv \"$new.old\" {before}\n"
    )
}

/// Returns the program that writes files and then runs commands. Each file is replaced as a whole, and only if it differs. An old
/// file `script` is kept as `before`.
pub(super) fn copy(files: &[File], commands: &[String], script: &str, before: &str) -> String {
    let mut text = format!("{PATH}written='{WRITTEN}'\n{PUT}");
    for file in files {
        let mut end = "QOSC_END".to_owned();
        while file.text.lines().any(|line| line == end) {
            end.push('_');
        }
        let mode = if file.executable { "0755" } else { "0644" };
        let line_feed = if file.text.ends_with('\n') { "" } else { "\n" };
        let bytes = file.text.len() + line_feed.len();
        let kept = if file.path == script { quote(before) } else { String::new() };
        let _ = writeln!(text, "put {} {mode} {bytes} {kept} <<'{end}'", quote(&file.path));
        let _ = writeln!(text, "{}{line_feed}{end}", file.text);
    }
    for command in commands {
        // A command that reads would read the rest of this program.
        let _ = writeln!(text, "{{ {command}\n}} </dev/null >/dev/null || exit 1");
    }
    text
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;
