//! The command line.

#[cfg(feature = "lab")]
use super::args_lab::{Lab, LabGuest};
#[cfg(feature = "measure")]
use super::args_measure::{Fit, Ping, Plot};
use crate::diag::Levels;
use crate::explain::PACKET_SIZE;
use crate::tc::{ETHERNET, PPPOE_FRAMES};
use crate::units::{IfName, Micros, Rate};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Compiles a household's wishes for its internet line into one tc/ip shell script for a Linux router.
///
/// Exit codes: 0 nothing wrong, nothing differs; 1 the configuration has errors, or (`diff`, `plan`) something differs, or (`ping`) a host never answered; 2
/// wrong usage, or something could not be read or written, or (`diff`, `plan`) a configuration has errors. `-` is standard input. Results go to standard output, findings to standard error.
#[derive(Debug, Parser)]
#[command(name = "qosc", version, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a commented starter file; what is not given is asked for on a terminal
    Init(Init),
    /// Write the script of a configuration
    Compile(Compile),
    /// Read and check configurations
    Check(Check),
    /// Say what changes between two configurations, and what each change costs a router at work
    Diff(Diff),
    /// Say what `start` would do on a router: what changes, why, and what it costs
    Plan(Plan),
    /// Say where every number comes from, and how packets find their class
    Explain(Explain),
    /// Find out from measured packet rates what the line adds to each packet: overhead, mpu and layer
    #[cfg_attr(not(feature = "measure"), command(hide = true))]
    Fit(Fit),
    /// Measure round trips: several hosts and several DSCP values side by side, under load if wished
    #[cfg_attr(not(feature = "measure"), command(hide = true))]
    Ping(Ping),
    /// Draw what `ping` measured, several runs in one picture, and print the percentiles
    #[cfg_attr(not(feature = "measure"), command(hide = true))]
    Plot(Plot),
    /// Draw the tree: guarantees and ceilings as bars, and what comes to each class
    Graph(Graph),
    /// Try a configuration on a real kernel beside a modelled line: latencies, shares, losses, without the script and with it
    #[cfg_attr(not(feature = "lab"), command(hide = true))]
    Lab(Lab),
    /// What the lab runs within its kernel
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    LabGuest(LabGuest),
    /// List the link profiles and class sets, or show one
    Profiles(Profiles),
    /// Say what a finding's code is about and how to put it right, or list the codes
    Rule(Rule),
    /// Print the JSON Schema of a configuration, for editors
    Schema,
    /// Print what makes a shell complete commands, options and their values
    #[cfg_attr(not(feature = "reference"), command(hide = true))]
    Completions(Completions),
    /// Print a manual page, or write all of them
    #[cfg_attr(not(feature = "reference"), command(hide = true))]
    Man(Man),
}

/// The arguments of a command that this build leaves out: any.
#[cfg(not(all(feature = "lab", feature = "measure", feature = "reference")))]
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct Missing {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<std::ffi::OsString>,
}

#[cfg(not(feature = "lab"))]
use Missing as Lab;
#[cfg(not(feature = "reference"))]
use {Missing as Completions, Missing as Man};
#[cfg(not(feature = "measure"))]
use {Missing as Fit, Missing as Ping, Missing as Plot};

#[derive(Debug, Args)]
pub(super) struct Init {
    /// The kind of line: `qosc profiles` lists them
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// The router's device to the internet: on the router, `ip route get 1.1.1.1` names it behind `dev`
    #[arg(long, value_name = "DEV")]
    pub(super) device: Option<IfName>,
    /// The line's upload rate, such as `6.5mbit`, as the modem or the provider states it
    #[arg(long, value_name = "RATE")]
    pub(super) up: Option<Rate>,
    /// The line's download rate, such as `25mbit`
    #[arg(long, value_name = "RATE")]
    pub(super) down: Option<Rate>,
    /// Write here instead of standard output; what is there already is kept
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write over what is there
    #[arg(long, requires = "output")]
    pub(super) force: bool,
}

#[cfg(feature = "reference")]
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

#[cfg(feature = "reference")]
#[derive(Debug, Args)]
pub(super) struct Man {
    /// A command, such as `check`; without it, the page of qosc itself
    pub(super) name: Option<String>,
    /// Write the pages of qosc and of every command into this folder, as NAME.1
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    pub(super) all: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Compile {
    /// The YAML file, or `-`
    pub(super) file: PathBuf,
    /// Write here instead of standard output: made aside and renamed, so that it is whole or untouched; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Emit::Script)]
    pub(super) emit: Emit,
    /// For `batch`: the kind of the WAN device, if its name or `link.frames` does not tell; a script finds it out on the router
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) assume: Option<Device>,
    #[command(flatten)]
    pub(super) levels: Levels,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Emit {
    /// The shell script
    Script,
    /// The lines for `tc -batch` that make everything from nothing
    Batch,
    /// The kernel objects as JSON
    Ir,
    /// The configuration as understood, with the origin of every value, as JSON
    Model,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Device {
    /// Ethernet or VLAN: 14 bytes above IP
    Ethernet,
    /// Ethernet that carries PPPoE frames: 22 bytes above IP
    PppoeFrames,
    /// ppp, tun, WireGuard and the like: IP alone
    RawIp,
}

impl Device {
    /// Bytes above IP that a qdisc counts on such a device.
    pub(super) const fn header(self) -> u32 {
        match self {
            Device::Ethernet => ETHERNET,
            Device::PppoeFrames => PPPOE_FRAMES,
            Device::RawIp => 0,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Check {
    /// YAML files, folders of them, or `-`
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Compare the files too: all of them describe links of one router. Finds devices, names, settings and mark bits that two
    /// files take
    #[arg(long)]
    pub(super) same_router: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
    /// Put right what has a cure that is certain, and leave everything else as it is, byte for byte; without `--yes`, only show
    /// how, as a diff
    #[arg(long)]
    pub(super) fix: bool,
    /// With `--fix`, write the files; of `-`, the text to standard output
    #[arg(long, requires = "fix")]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) levels: Levels,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// With the text underlined, on standard error
    Human,
    /// A line each
    Short,
    /// A JSON array
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands for GitHub's workflows
    Github,
    /// JUnit's XML, for GitLab and Jenkins
    Junit,
}

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// A YAML file, a compiled script, `-`, or `REV:path` of a git repository where there is no such file
    pub(super) old: PathBuf,
    /// The same
    pub(super) new: PathBuf,
    /// How it is said
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub(super) format: DiffFormat,
    /// List every value that follows from a change
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    /// By names, with what each change costs
    Human,
    /// The same as a JSON object
    Json,
    /// A unified diff of the two scripts
    Script,
}

#[derive(Debug, Args)]
pub(super) struct Plan {
    /// A YAML file, a compiled script, `-`, or a folder of YAML files
    pub(super) file: PathBuf,
    /// What the script's `dump` printed on the router, or `-`; of a folder, the folder with NAME.dump for each NAME.yaml
    /// (without it, they lie side by side)
    #[arg(long, value_name = "DUMP", conflicts_with = "live")]
    pub(super) dump: Option<PathBuf>,
    /// Ask this router, as root
    #[arg(long)]
    pub(super) live: bool,
    /// The device that `start` would be told by `--device`
    #[arg(long, value_name = "DEV")]
    pub(super) device: Option<IfName>,
    /// As `start --take-over`, which removes what others made
    #[arg(long)]
    pub(super) take_over: bool,
    /// How it is said
    #[arg(long, value_enum, default_value_t = PlanFormat::Human)]
    pub(super) format: PlanFormat,
    /// Show every command, too
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PlanFormat {
    /// By direction and name, with what each change costs
    Human,
    /// A JSON object with every command
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The YAML file, or `-`
    pub(super) file: PathBuf,
    /// How it is said
    #[arg(long, value_enum, default_value_t = ExplainFormat::Human)]
    pub(super) format: ExplainFormat,
    /// Show every number with its formula and what it was computed from
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// Show every number of this class, and nothing else
    #[arg(long, value_name = "NAME")]
    pub(super) class: Option<String>,
    /// The round trip time that bandwidth-delay products are for, such as 30ms; CoDel's interval, 100ms, where none is given
    #[arg(long, value_name = "TIME")]
    pub(super) rtt: Option<Micros>,
    /// The IP packet whose serialization delay is shown beside that of a full one, in bytes, 20 to 65535: 200 are a packet of a call
    #[arg(long, value_name = "BYTES", default_value_t = PACKET_SIZE, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(20..=65535))]
    pub(super) packet_size: u32,
    /// Say instead which class and queue this packet meets, and its answer: such as
    /// `up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef`
    #[arg(long, value_name = "PACKET", conflicts_with_all = ["verbose", "class", "rtt", "packet_size"])]
    pub(super) packet: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainFormat {
    /// Tables, at most 100 columns wide
    Human,
    /// The same as a JSON object
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Graph {
    /// A YAML file, a compiled script, or `-`
    pub(super) file: PathBuf,
    /// What to write, to standard output
    #[arg(long, value_enum, default_value_t = GraphFormat::Svg)]
    pub(super) format: GraphFormat,
    /// Show also what a router holds, from a dump of it, or `-`: which classes are there, and the counters of `tc -s` where the dump has them
    #[arg(long, value_name = "DUMP", conflicts_with = "live")]
    pub(super) dump: Option<PathBuf>,
    /// Ask this router, as root, and show rates, drops and backlog, too
    #[arg(long)]
    pub(super) live: bool,
    /// The device that `start` was told by `--device`
    #[arg(long, value_name = "DEV")]
    pub(super) device: Option<IfName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GraphFormat {
    /// A picture that needs nothing else
    Svg,
    /// For Graphviz
    Dot,
    /// A flowchart for Mermaid, which GitHub and GitLab draw within documents
    Mermaid,
}

#[derive(Debug, Args)]
pub(super) struct Profiles {
    /// The link profile or class set to show
    pub(super) name: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Rule {
    /// The code of a finding, such as Q0102
    pub(super) code: Option<String>,
    /// How it is said
    #[arg(long, value_enum, default_value_t = RuleFormat::Human)]
    pub(super) format: RuleFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RuleFormat {
    /// The page that is in `docs/rules/`; a line each where they are listed
    Human,
    /// The same as a JSON object; an array where they are listed
    Json,
}
