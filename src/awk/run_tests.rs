use super::{Files, Machine, Program};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs a program. Returns what it prints, or the error.
fn run(source: &str, input: &str) -> String {
    let program = match Program::read(source) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let mut machine = Machine::new(&program, Files::default(), &[], &[]);
    match machine.run(input) {
        Ok(()) => machine.printed(),
        Err(error) => error.to_string(),
    }
}

/// Runs a program with each awk of this machine.
fn by_others(source: &str, input: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for awk in ["mawk", "gawk", "original-awk", "busybox awk"] {
        let mut words = awk.split(' ');
        let mut command = Command::new(words.next().unwrap());
        command.args(words).arg(source).env("LC_ALL", "C");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let Ok(mut child) = spawned else { continue };
        // A program without rules does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let both = [output.stdout, output.stderr].concat();
        found.push((awk.to_owned(), String::from_utf8_lossy(&both).into_owned()));
    }
    found
}

const INPUT: &str = "1 2\n1.0 abc\n 10  9 \nqdisc htb c05: root refcnt 2 r2q 10 800::12\tx\n\nlast\n";

/// Programs with what they print for [`INPUT`].
const PROGRAMS: [(&str, &str); 40] = [
    ("BEGIN { x = \"a\" \"b\" 1+2; print x, length(x), 2 -1, 1 \" \" -1 }", "ab3 3 1 1-1\n"),
    (
        "BEGIN { print substr(\"hello\", 2, 3), substr(\"hello\", -1), substr(\"hello\", 4, 9) \"|\" substr(\"x\", 2) }",
        "ell hello lo|\n",
    ),
    (
        "BEGIN { print substr(12345, 2, 2), length(12345), index(12345, 34) + 1, index(\"abc\", \"d\") }",
        "23 5 4 0\n",
    ),
    (
        "BEGIN { print match(\"foobar\", /o+/), RSTART, RLENGTH; print match(\"x\", /y/), RSTART, RLENGTH }",
        "2 2 2\n0 0 -1\n",
    ),
    (
        "BEGIN { print match(\"abcd\", /a|ab|abc/), RLENGTH, match(\"xabcabcx\", /(abc)+/), RLENGTH }",
        "1 3 2 6\n",
    ),
    (
        "BEGIN { print match(\"foo  \", /[ \\t]+$/), RLENGTH, match(\"ab\", /^(a|ab)(c|bcd)?$/), RLENGTH }",
        "4 2 1 2\n",
    ),
    (
        "BEGIN { print (\"abc\" ~ /^a.c$/), (\"abc\" ~ /^b/), \"x\" ~ /[^a-c]/, \"a]b\" ~ /[]]/, \"a.b\" ~ /a\\.b/ }",
        "1 0 1 1 1\n",
    ),
    (
        "BEGIN { s = \"aaa\"; n = gsub(/a/, \"<&>\", s); print n, s; s = \"abc\"; gsub(/x*/, \"-\", s); print s }",
        "3 <a><a><a>\n-a-b-c-\n",
    ),
    (
        "BEGIN { s = \"a.b.c\"; print gsub(/\\./, \"/\", s), s, sub(/^a/, \"\", s), s, gsub(/z/, \"\", s), s }",
        "2 a/b/c 1 /b/c 0 /b/c\n",
    ),
    (
        "BEGIN { s = \"it's\"; gsub(/\\047/, \"\\047\\\\\\047\\047\", s); print s; s = \"a&b\"; gsub(/&/, \"\\\\&\\\\&\", s); print s }",
        "it'\\''s\na&&b\n",
    ),
    (
        "BEGIN { s = \"  x  y \"; gsub(/^ +| +$/, \"\", s); print \"[\" s \"]\"; s = \"aaa\"; print gsub(/^a/, \"b\", s), s }",
        "[x  y]\n1 baa\n",
    ),
    (
        "BEGIN { n = split(\"a b  c \", w, \" \"); print n, w[1], w[3]; n = split(\"a:b::c\", w, \":\"); print n, w[3] \"|\" w[4] }",
        "3 a c\n4 |c\n",
    ),
    (
        "BEGIN { n = split(\"\", w); print n, length(w[1]); print split(\"x\\ny\\n\", w, \"\\n\"), w[2] }",
        "0 0\n3 y\n",
    ),
    ("NF == 2 { $2 = \"x\"; print; print NF }", "1 x\n2\n1.0 x\n2\n10 x\n2\n"),
    (
        "NF == 1 { $0 = \"q r\"; print $2, NF; $5 = \"z\"; print $0, NF; sub(/q/, \"p\"); print $1 }",
        "r 2\nq r   z 5\np\n",
    ),
    ("$1 == 1 { print \"one\", $1 } $1 == \"1.0\" { print \"text\" }", "one 1\none 1.0\ntext\n"),
    ("NF == 2 { print ($1 < $2), ($1 \"\" < $2 \"\") }", "1 1\n1 1\n0 1\n"),
    (
        "function f(a, k) { a[k]++; return a[k] } BEGIN { print f(z, \"x\"), f(z, \"x\"), z[\"x\"] }",
        "1 2 2\n",
    ),
    ("function f(a) { g(a) } function g(b) { b[1] = 7 } BEGIN { f(z); print z[1] }", "7\n"),
    (
        "function f(n,    a) { a[n] = n; if (n > 0) f(n - 1); return a[n] \"\" a[n - 1] } BEGIN { print f(3) }",
        "3\n",
    ),
    ("function f(n) { return n <= 1 ? 1 : n * f(n - 1) } BEGIN { print f(10), f(0) }", "3628800 1\n"),
    (
        "BEGIN { print (\"y\" in z), z[\"y\"] \"\", (\"y\" in z); delete z[\"y\"]; print (\"y\" in z) }",
        "0  1\n0\n",
    ),
    (
        "BEGIN { a[1,2] = 3; print ((1,2) in a), a[1,2], !((2,1) in a); split(\"\", a); print ((1,2) in a) }",
        "1 3 1\n0\n",
    ),
    (
        "BEGIN { print 1e6, 100000000, 0.1, 1/3, -5 % 3, int(-3.7), 1234567.5, 0.00001234, -0, 1e300 }",
        "1000000 100000000 0.1 0.333333 -2 -3 1.23457e+06 1.234e-05 0 1e+300\n",
    ),
    (
        "BEGIN { print \"1e2x\" + 0, \".5.\" + 0, \"+3\" + 0, \"- 3\" + 0, \"x\" + 0, \" 7 \" + 0 }",
        "100 0.5 3 0 0 7\n",
    ),
    (
        "BEGIN { printf \"%s|%5d|%-5s|%05d|%.2f|%%|%.0f|%.2s\\n\", \"a\", 3.9, \"b\", -42, 3.14159, 2.5, \"hello\" }",
        "a|    3|b    |-0042|3.14|%|2|he\n",
    ),
    ("BEGIN { x = sprintf(\"%.0f\", 4294967296 * 1024); print x, length(x) }", "4398046511104 13\n"),
    (
        "BEGIN { i = 5; print i++ + ++i, i--, --i, i; a = b = 3; a += 2; a *= b; a %= 4; a -= 1; a /= 2; print a, b, -a }",
        "12 7 5 5\n1 3 -1\n",
    ),
    (
        "BEGIN { print !0, !1, !\"\", !\"0\", !x, 1 == 1.0, \"a\" < \"b\", \"10\" < \"9\", 10 < 9, x == 0, x == \"\" }",
        "1 0 1 0 1 1 1 1 0 1 1\n",
    ),
    ("{ n = n \",\" !$1 } END { print n }", ",0,0,0,0,1,0\n"),
    (
        "BEGIN { for (i = 0; i < 10; i++) { if (i == 3) continue; if (i == 6) break; printf \"%d \", i } do i--; while (i > 3); print i }",
        "0 1 2 4 5 3\n",
    ),
    (
        "BEGIN { while (i < 3) i++\n if (i == 3) print \"three\"; else print \"no\"\n if (0) ; else if (1) {\n print \"else\" } }",
        "three\nelse\n",
    ),
    ("NF == 0 { exit } { n++; next } { print \"never\" } END { print n, $0 \"|\" }", "4 |\n"),
    ("{ n++; exit n ? 0 : 4 } END { print n; exit n - 1; print \"never\" }", "1\n"),
    (
        "/^[^ \\t]/ && $1 !~ /[0-9]/ || $2 ~ /c$/",
        "1.0 abc\nqdisc htb c05: root refcnt 2 r2q 10 800::12\tx\nlast\n",
    ),
    (
        "$1 == \"qdisc\" { sub(/ refcnt [0-9]*/, \"\"); print $5, $NF, $(NF - 1); gsub(/[0-9a-f]*[0-9:][0-9a-f:.x]*/, \"N\"); print }",
        "r2q x 800::12\nqdisc htb N root rNq N N\tx\n",
    ),
    ("BEGIN { print \"a\\tb\\\\n\\\"q\\\" \\101\" # a comment\n}", "a\tb\\n\"q\" A\n"),
    (
        "BEGIN { a[\"x\"] = 1; b = \"x\"; print a[b]++ + a[b], a[\"x\"]; print (1 > 2 ? \"y\" : \"n\") }",
        "3 2\nn\n",
    ),
    (
        "function f() { return } function g(a) { if (a) return \"set\" } BEGIN { print f() \"|\" g(1) g(0) \"|\" f() + 1 }",
        "|set|1\n",
    ),
    ("BEGIN { k = 1 SUBSEP 2; a[k] = 3; print a[1,2], (k in a), ((1,2) in a), ((1,3) in a) }", "3 1 1 0\n"),
];

#[test]
fn programs_print_what_every_awk_prints() {
    let mut wrong = String::new();
    for (source, expected) in PROGRAMS {
        let ours = ("qosc".to_owned(), run(source, INPUT));
        for (awk, printed) in by_others(source, INPUT).into_iter().chain([ours]) {
            if printed != expected {
                wrong += &format!("{awk}: {source}\n  {printed:?}\n  {expected:?}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Programs that end in an error, with its text.
const ERRORS: [(&str, &str); 19] = [
    ("BEGIN { print 2 ^ 3 }", "line 1 of the awk program: unknown sign ^"),
    ("BEGIN { for (k in a) print k }", "line 1 of the awk program: expected ;, found Sign(\")\")"),
    ("BEGIN {\n print NR }", "line 2 of the awk program: `NR` is unknown here"),
    ("BEGIN { print toupper(x) }", "there is no function `toupper`"),
    ("BEGIN { x[1] = 1; x = 2 }", "`x` is an array and a scalar"),
    ("function f(a) { return a[1] + a } BEGIN { f(z) }", "parameter 1 of `f` is an array and a scalar"),
    ("function f() { return }\nfunction f() { return }", "`f` is defined twice"),
    ("BEGIN { \"x\" ~ y }", "expected a regular expression"),
    ("BEGIN { x ~ /a{2}/ }", "repeats nothing, or has an interval"),
    ("BEGIN { x ~ /(a/ }", "a parenthesis of a regular expression has no partner"),
    ("BEGIN { x ~ /[a/ }", "a text or regular expression has no end"),
    ("BEGIN { print \"x }", "a text or regular expression has no end"),
    ("BEGIN { print 1 / (2 - 2) }", "a division by zero"),
    ("function f(n) { return f(n + 1) } BEGIN { f(1) }", "`f` is called too deeply"),
    ("BEGIN { $(0 - 1) = 2 }", "there is no such field"),
    ("BEGIN { $9999999 = 2 }", "there is no such field"),
    ("function f(a) { return a } BEGIN { f(1, 2) }", "a function is called with too many arguments"),
    ("BEGIN { NF = 2 }", "NF cannot be set"),
    ("BEGIN { SUBSEP = 2 }", "an assignment needs a variable"),
];

#[test]
fn the_rest_of_awk_is_an_error() {
    for (source, expected) in ERRORS {
        let said = run(source, INPUT);
        assert!(said.contains(expected), "{source}: {said}");
    }
}

#[test]
fn deep_programs_and_calls_do_not_overflow_the_stack() {
    let deep = |count: usize| format!("BEGIN {{ print {}1{} }}", "(".repeat(count), ")".repeat(count));
    assert_eq!(run(&deep(50), ""), "1\n");
    assert!(run(&deep(100_000), "").contains("nested too deeply"));
    assert!(run(&format!("BEGIN {{ {} }}", "if (1) ".repeat(100_000)), "").contains("nested too deeply"));
    assert!(run(&format!("BEGIN {{ x = {}1 }}", "!".repeat(100_000)), "").contains("nested too deeply"));
    let deep = "function f(n) { if (n > 0) { while (1) { return 1 + (f(n - 1) + 0) } } return 0 } BEGIN { print f(63) }";
    assert_eq!(run(deep, ""), "63\n");
}

#[test]
fn files_exist_only_in_memory() {
    let source = "BEGIN {
        while ((getline line <\"in\") > 0) text = text \"[\" line \"]\"
        print text, (getline line <\"in\"), (getline line <\"missing\"), (getline <(\"i\" \"n\"))
        close(\"in\")
        getline <\"in\"
        print $2, NF, ENVIRON[\"HOME\"], name + 1
        print \"one\" >\"out\"; printf \"%s\", \"two\" >(\"out\"); close(\"out\")
        while ((getline line <\"out\") > 0) print line
        printf \"\" >\"empty\"
    }";
    let program = Program::read(source).unwrap();
    let mut files = Files::default();
    files.add("in", "a b\n\nlast");
    let mut machine = Machine::new(&program, files, &[("name", "41"), ("unused", "1")], &[("HOME", "/here")]);
    machine.run("").unwrap();
    assert_eq!(machine.printed(), "[a b][][last] 0 -1 0\nb 2 /here 42\none\ntwo\n");
    assert_eq!(machine.files.text("out").as_deref(), Some("one\ntwo"));
    assert_eq!(machine.files.text("empty").as_deref(), Some(""));
    assert_eq!(machine.files.text("missing"), None);
}

#[test]
fn a_watcher_sees_calls_and_can_look_at_the_machine() {
    let source = "function say(a, b) { said++ } function twice(x) { return 2 * x } BEGIN { k[1,2] = \"v\"; say(\"one\", 2); say(3) }";
    let program = Program::read(source).unwrap();
    let seen = std::cell::RefCell::new(Vec::new());
    let mut machine = Machine::new(&program, Files::default(), &[], &[]);
    let watcher = |machine: &mut Machine<'_>, arguments: &[String]| {
        let (twice, said) = (machine.call("twice", &["21"])?, machine.variable("said"));
        seen.borrow_mut()
            .push(format!("{arguments:?} {twice} {said} {:?}", machine.element("k", &["1", "2"])));
        Ok(())
    };
    machine.watch("say", watcher).unwrap();
    machine.run("").unwrap();
    assert!(machine.watch("other", |_, _| Ok(())).is_err());
    drop(machine);
    assert_eq!(seen.into_inner(), ["[\"one\", \"2\"] 42  Some(\"v\")", "[\"3\"] 42 1 Some(\"v\")"]);
}

#[test]
fn long_texts_take_linear_time() {
    // A search that begins anew at each blank would take hours.
    let blanks = " ".repeat(1 << 20);
    let input = format!("{blanks}x\n");
    assert_eq!(
        run("{ print sub(/[ \\t]+$/, \"\"), sub(/( |  )*y/, \"\"), gsub(/ /, \"\"), length($0) }", &input),
        format!("0 0 {} 1\n", 1 << 20)
    );
}
