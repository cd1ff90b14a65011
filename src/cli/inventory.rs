//! Hosts of the files of a folder.

use super::args_deploy::Deploy;
use super::folder::configurations;
use super::front::whole;
use super::inside::within;
use super::outcome::is_dash;
use super::output;
use qosc_compiler::diag::{and_ticked, for_terminal};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest inventory in bytes.
const MOST: usize = 1 << 20;

/// A file of a folder, and its hosts.
pub(super) struct Hosted {
    pub(super) path: PathBuf,
    pub(super) hosts: Vec<String>,
}

/// A line of the inventory, or an argument `--host`: its place for messages, its file and its hosts.
type InventoryEntry = (String, String, Vec<String>);

/// Returns the files of a folder by their names within it, with the hosts that the arguments or the inventory name. Also
/// returns a message for each entry without a file, and one for all files without a host.
///
/// # Errors
/// Returns a message if there are no files, or if the entries cannot be read.
pub(super) fn hosted(args: &Deploy) -> Result<(BTreeMap<String, Hosted>, Vec<String>), String> {
    let (mut files, mut problems) = (BTreeMap::new(), Vec::new());
    for path in configurations(&args.file, &args.layers)? {
        let name = path.strip_prefix(&args.file).unwrap_or(&path).display().to_string();
        files.insert(name, Hosted { path, hosts: Vec::new() });
    }
    let default = args.file.join("hosts");
    let inventory = args.inventory.as_deref().unwrap_or(&default);
    let entries = match args.pairs.as_slice() {
        [] if args.inventory.is_none() && !default.exists() => Vec::new(),
        [] => {
            // The folder may be a stranger's, and a message would print the words of any file.
            let own = args.inventory.is_none().then(|| within(&args.file, inventory));
            own.transpose().and_then(|_| listed(inventory))?
        }
        pairs => pairs.iter().map(|pair| given(pair)).collect::<Result<_, _>>()?,
    };
    for (place, file, hosts) in entries {
        let Some(hosted) = files.get_mut(file.strip_prefix("./").unwrap_or(&file)) else {
            let known = files.keys().map(String::as_str);
            problems.push(format!("{place}: {}", output::no_such("file", &file, known, None)));
            continue;
        };
        for host in hosts {
            if hosted.hosts.contains(&host) {
                let (host, file) = (for_terminal(&host), for_terminal(&file));
                problems.push(format!("{place}: the host `{host}` is given twice for `{file}`"));
            } else {
                hosted.hosts.push(host);
            }
        }
    }
    let lonely: Vec<&str> =
        files.iter().filter(|(_, file)| file.hosts.is_empty()).map(|(name, _)| name.as_str()).collect();
    if let Some(first) = lonely.first() {
        let help = match args.pairs.is_empty() {
            true => {
                format!("write a line `{} root@ROUTER` to `{}`", for_terminal(first), output::name(inventory))
            }
            false => format!("add `--host {}=root@ROUTER`", for_terminal(first)),
        };
        problems.push(format!("there is no host for {}\n  help: {help}", for_terminal(&and_ticked(lonely))));
    }
    Ok((files, problems))
}

/// Reads an inventory: lines `FILE HOST...`, where a word that begins with `#` begins a comment.
fn listed(path: &Path) -> Result<Vec<InventoryEntry>, String> {
    let text = whole(path, is_dash(path), MOST)?;
    let text = String::from_utf8_lossy(&text);
    let entries = text.lines().enumerate().filter_map(|(number, line)| {
        let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#')).map(str::to_owned);
        let file = words.next()?;
        Some((format!("{}:{}", output::name(path), number + 1), file, words.collect()))
    });
    Ok(entries.collect())
}

/// Reads an argument `FILE=HOST`.
fn given(pair: &str) -> Result<InventoryEntry, String> {
    let place = format!("`--host {}`", for_terminal(pair));
    match pair.rsplit_once('=') {
        Some((file, host)) if !file.is_empty() && !host.is_empty() => {
            Ok((place, file.to_owned(), vec![host.to_owned()]))
        }
        _ => Err(format!(
            "{place}: write a file of the folder and its host, such as `--host north.yaml=root@north`"
        )),
    }
}
