//! Half of the lab that runs inside the test kernel. One process is both endpoints of every flow, so there is one clock
//! and little scheduling.

mod actor;
mod bulk;
mod fetch;
mod hub;
mod ping;
mod sockets;
mod stream;

use super::protocol::{Flow, Record, Records, Scenario, What};
use actor::Actor;
use hub::{Hub, SECOND};
use std::io::{self, Write};
use std::path::Path;

/// Plays the scenarios in a file and writes one record file per scenario, with its name, into the folder. The line
/// comes to rest between two scenarios. A line on standard output announces each scenario.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or a socket cannot be opened.
pub fn play(scenarios: &Path, folder: &Path) -> io::Result<()> {
    let text = std::fs::read(scenarios)?;
    let scenarios: Vec<Scenario> = serde_json::from_slice(&text)?;
    for scenario in &scenarios {
        #[expect(clippy::disallowed_methods, reason = "the lab reads these lines, and no person does")]
        let mut out = io::stdout().lock();
        writeln!(out, "{}{}", super::boot::SCENE, scenario.name)?;
        out.flush()?;
        drop(out);
        let records = one(scenario).map_err(|e| io::Error::other(format!("{}: {e}", scenario.name)))?;
        let text = serde_json::to_vec(&records)?;
        std::fs::write(folder.join(format!("{}.json", scenario.name)), text)?;
    }
    Ok(())
}

fn one(scenario: &Scenario) -> io::Result<Records> {
    let mut hub = Hub::new()?;
    let mut actors: Vec<Box<dyn Actor>> = Vec::new();
    for (number, flow) in scenario.flows.iter().enumerate() {
        hub.actor = u32::try_from(number).unwrap_or(u32::MAX);
        actors.push(actor(flow, scenario, &hub)?);
    }
    let end = scenario.length * (SECOND / 1000);
    let mut next: Vec<u64> = vec![0; actors.len()];
    loop {
        let now = hub.now();
        if now >= end {
            break;
        }
        for (number, (actor, next)) in actors.iter_mut().zip(&mut next).enumerate() {
            if *next <= now {
                hub.actor = u32::try_from(number).unwrap_or(u32::MAX);
                *next = actor.due(now, &hub)?.unwrap_or(u64::MAX);
            }
        }
        let wake = next.iter().copied().min().unwrap_or(end).min(end);
        for (owner, number) in hub.wait(wake)? {
            let now = hub.now();
            hub.actor = owner;
            let index = usize::try_from(owner).unwrap_or(usize::MAX);
            if let (Some(actor), Some(next)) = (actors.get_mut(index), next.get_mut(index)) {
                actor.ready(number, now, &hub)?;
                // new packets may have changed the due time
                *next = now.min(*next);
            }
        }
    }
    let mut records = Records::default();
    for (flow, actor) in scenario.flows.iter().zip(&actors) {
        records.add(Record { name: flow.name.clone(), ..actor.record() });
    }
    Ok(records)
}

fn actor(flow: &Flow, scenario: &Scenario, hub: &Hub) -> io::Result<Box<dyn Actor>> {
    Ok(match flow.what {
        What::Ping { gap } => Box::new(ping::Ping::new(flow, gap, hub)?),
        What::Stream { up, gap, size, each } => {
            let shape = stream::Shape { up, gap, size, each };
            Box::new(stream::Stream::new(flow, shape, scenario.length, hub)?)
        }
        What::Bulk { up } => Box::new(bulk::Bulk::new(flow, up, scenario.length, hub)?),
        What::Fetch { bytes, gap } => Box::new(fetch::Fetch::new(flow, bytes, gap, hub)?),
    })
}
