//! Integer arithmetic of a shell: `+ - * / %`, parentheses, numbers and names of variables.

/// Deepest nesting of signs and parentheses.
const DEEPEST: u32 = 50;

/// Signs between operands; each binds less than those after it.
const SIGNS: &[&str] = &["+-", "*/%"];

/// Values of variables by name.
type Variables<'a> = &'a dyn Fn(&str) -> Option<i64>;

/// Returns the value of an expression. `None` if it is no such expression, or if a step exceeds 64 bits.
pub(super) fn value(text: &str, variable: Variables<'_>) -> Option<i64> {
    // `SPEED`, `$SPEED` and `${SPEED}` are the same
    let text = text.replace(['$', '{', '}'], " ");
    let mut rest = text.as_str();
    let value = terms(&mut rest, variable, SIGNS, 0)?;
    rest.trim().is_empty().then_some(value)
}

/// Skips the next character if it is one of `any`, and returns it.
fn takes(rest: &mut &str, any: &str) -> Option<char> {
    let mut chars = rest.trim_start().chars();
    let next = chars.next().filter(|c| any.contains(*c))?;
    *rest = chars.as_str();
    Some(next)
}

/// Returns the value of operands between these signs.
fn terms(rest: &mut &str, variable: Variables<'_>, signs: &[&str], depth: u32) -> Option<i64> {
    let [own, tighter @ ..] = signs else { return operand(rest, variable, depth) };
    let mut left = terms(rest, variable, tighter, depth)?;
    while let Some(sign) = takes(rest, own) {
        let right = terms(rest, variable, tighter, depth)?;
        left = match sign {
            '+' => left.checked_add(right)?,
            '-' => left.checked_sub(right)?,
            '*' => left.checked_mul(right)?,
            '/' => left.checked_div(right)?,
            _ => left.checked_rem(right)?,
        };
    }
    Some(left)
}

fn operand(rest: &mut &str, variable: Variables<'_>, depth: u32) -> Option<i64> {
    match takes(rest, "+-(") {
        Some(_) if depth == DEEPEST => None,
        Some('(') => {
            let inner = terms(rest, variable, SIGNS, depth + 1)?;
            takes(rest, ")").map(|_| inner)
        }
        Some('-') => operand(rest, variable, depth + 1)?.checked_neg(),
        Some(_) => operand(rest, variable, depth + 1),
        None => {
            let text = rest.trim_start();
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
            let (word, after) = text.split_at_checked(end)?;
            *rest = after;
            if word.starts_with(|c: char| c.is_ascii_digit()) { number(word) } else { variable(word) }
        }
    }
}

/// Reads a decimal number. A shell takes a number that begins with 0 for an octal one, which nobody means.
pub(super) fn number(text: &str) -> Option<i64> {
    let plain = text == "0" || !text.trim_start_matches('-').starts_with('0');
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn values_are_those_of_a_shell() {
        let variable = |name: &str| (name == "SPEED").then_some(890);
        let all = [
            ("12000 * 85 / 100", Some(10_200)),
            ("$SPEED * 95 / 100", Some(845)),
            ("(SPEED - ${SPEED} % 100)*2", Some(1_600)),
            ("2 + 3 * 4 - -1", Some(15)),
            ("-7 / 2", Some(-3)),
            ("1 / 0", None),
            ("010", None),
            ("UNSET + 1", None),
            ("1 << 2", None),
            ("2 3", None),
            ("(1", None),
            ("", None),
            ("9223372036854775807 + 1", None),
        ];
        for (text, expected) in all {
            assert_eq!(value(text, &variable), expected, "{text}");
        }
        assert_eq!(value(&"(".repeat(5_000), &variable), None);
        assert_eq!(value(&"-".repeat(5_000), &variable), None);
    }
}
