//! Lines of text for formats with boxes, and the description for people who cannot see the picture.

use super::drawing::{Cell, Drawing, Limit, TreeRow, Tunnel};
use super::words;
use qosc_compiler::model::Direction;

/// Lines of a row, with its name first.
pub(super) fn of_row(row: &TreeRow) -> Vec<String> {
    let mut lines = vec![row.name.clone()];
    lines.extend(words::role(row));
    for direction in Direction::BOTH {
        let cell = row.cells.get(direction);
        if *cell == Cell::Empty {
            continue;
        }
        lines.push(format!("{}: {}", direction.as_str(), words::cell(cell).join(", ")));
        lines.extend(row.seen.get(direction).iter().map(|seen| words::seen(seen, cell).join(", ")));
    }
    lines.extend(row.notes.iter().cloned());
    lines.extend(row.matches.iter().cloned());
    lines.retain(|line| !line.is_empty());
    lines
}

/// Lines of a police.
pub(super) fn of_limit(limit: &Limit) -> Vec<String> {
    let mut lines = vec![limit.name.clone()];
    lines.extend(of_cap(limit));
    if let Some(first) = lines.get_mut(1) {
        first.insert_str(0, &format!("{}: ", limit.direction.as_str()));
    }
    lines.extend(limit.matches.iter().cloned());
    lines
}

/// Rate of a police and its treatment of other packets.
pub(super) fn of_cap(limit: &Limit) -> Vec<String> {
    let cap = format!("at most {}, {}", limit.rate.for_people(), limit.beyond);
    let aside = limit.bypass.then(|| "not shaped: its rate is set aside".to_owned());
    [cap].into_iter().chain(aside).collect()
}

/// Lines of a tunnel.
pub(super) fn of_tunnel(tunnel: &Tunnel) -> Vec<String> {
    vec![tunnel.name.clone(), tunnel.what.clone(), tunnel.inside.clone()]
}

/// Lines of the link, which is the root of the tree.
pub(super) fn of_link(drawing: &Drawing) -> Vec<String> {
    let mut lines = vec![drawing.name.clone(), format!("{}, {}", drawing.device, drawing.profile)];
    for direction in Direction::BOTH {
        let drawn = drawing.directions.get(direction);
        let mut said = words::direction(drawn);
        said.extend(drawn.seen.iter().flat_map(|seen| words::seen(seen, &Cell::Empty)));
        let said = said.join(", ");
        lines.push(format!("{}: {said}", direction.loads()));
    }
    lines.extend(drawing.counters.clone());
    lines
}

/// Description of the whole picture.
pub(super) fn description(drawing: &Drawing) -> String {
    let mut sentences = vec![of_link(drawing).join("; ")];
    sentences.extend(drawing.rows.iter().map(|row| match row.parent.and_then(|at| drawing.rows.get(at)) {
        Some(parent) => format!("In {}: {}", parent.name, of_row(row).join("; ")),
        None => format!("Class {}", of_row(row).join("; ")),
    }));
    sentences.extend(drawing.limits.iter().map(|limit| format!("Police {}", of_limit(limit).join("; "))));
    sentences.extend(drawing.tunnels.iter().map(|tunnel| format!("Tunnel {}", of_tunnel(tunnel).join("; "))));
    sentences.iter().map(|sentence| format!("{sentence}.")).collect::<Vec<_>>().join("\n")
}
