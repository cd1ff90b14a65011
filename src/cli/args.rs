//! The command line.

#[cfg(unix)]
use super::args_deploy::Deploy;
#[cfg(unix)]
use super::args_import::Import;
#[cfg(unix)]
use super::args_install::InstallFiles;
#[cfg(unix)]
use super::args_lab::{Lab, LabGuest, LabKernel};
#[cfg(unix)]
use super::args_measure::{Fit, Ping, Plot};
use super::args_output::Output;
#[cfg(unix)]
use super::args_watch::Watch;
use super::layers::Layers;
use super::levels::LevelArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use qosc_compiler::tc::{ETHERNET, PPPOE_FRAMES};
use qosc_compiler::units::{IfName, Micros, Rate};
use qosc_preview::explain::PACKET_SIZE;
use std::path::PathBuf;

/// Compiles a YAML description of an internet line into one tc/ip shell script for a Linux router.
///
/// Results go to standard output, findings and errors to standard error. FILE `-` is standard input.
///
/// Exit code 0: success, and no differences. Exit code 1: the configuration has errors; `diff` or `plan` found differences; or a host never answered
/// `ping`. Exit code 2: wrong usage; a file cannot be read or written; or `diff` or `plan` cannot compare because a configuration has errors.
#[derive(Debug, Parser)]
#[command(name = "qosc", version, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a commented starter file; on a terminal, ask for missing values
    Init(Init),
    /// Compile a configuration into a script
    Compile(Compile),
    /// Write the files that start the script at boot and after a reconnect, and an uninstaller
    #[cfg(unix)]
    InstallFiles(InstallFiles),
    /// Apply a configuration to routers over ssh, on trial; confirm it if the router still answers
    #[cfg(unix)]
    Deploy(Deploy),
    /// Check configurations
    Check(Check),
    /// Show the changes between two configurations, and their cost for the traffic of a running router
    Diff(Diff),
    /// Show what `start` would change on a router, with the reason and the cost of each change
    #[cfg(unix)]
    Plan(Plan),
    /// Show the origin of every number, and how packets find their class
    Explain(Explain),
    /// Estimate overhead, mpu and link layer of a line from measured packet rates
    #[cfg(unix)]
    Fit(Fit),
    /// Measure round trip times to several hosts and with several DSCP values at once, optionally under load
    #[cfg(unix)]
    Ping(Ping),
    /// Plot results of `ping`, several runs in one picture, and print percentiles
    #[cfg(unix)]
    Plot(Plot),
    /// Draw the class tree, with guarantees and ceilings as bars, and the matches of each class
    Graph(Graph),
    /// Convert a configuration of another tool to YAML, and report what has no equivalent
    #[cfg(unix)]
    Import(Import),
    /// Test a configuration on a real kernel with a modelled line: latency, shares and loss without and with the script
    #[cfg(unix)]
    Lab(Lab),
    /// The part of the lab that runs in its kernel
    #[cfg(unix)]
    #[command(hide = true)]
    LabGuest(LabGuest),
    /// Becomes the kernel of the lab
    #[cfg(unix)]
    #[command(hide = true)]
    LabKernel(LabKernel),
    /// Show the classes of a running router with rates, drops and delays, here or over ssh
    #[cfg(unix)]
    Watch(Watch),
    /// List link profiles and class sets, or show one
    Profiles(Profiles),
    /// Explain the code of a finding and its remedy, or list all codes
    #[cfg(unix)]
    Rule(Rule),
    /// Print the JSON Schema of configurations, for editors
    #[cfg(unix)]
    Schema(Schema),
    /// Print the completion script of a shell
    #[cfg(unix)]
    Completions(Completions),
    /// Print a manual page, or write all manual pages
    #[cfg(unix)]
    Man(Man),
}

#[derive(Debug, Clone, Args)]
pub(super) struct Init {
    /// Read the router, without a change to it: `localhost`, or a host for ssh such as `root@router`
    #[arg(long, value_name = "HOST")]
    pub(super) from: Option<String>,
    /// Link profile: `qosc profiles` lists them
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// WAN device of the router: `ip route get 1.1.1.1` on the router names it after `dev`
    #[arg(long, value_name = "DEV")]
    pub(super) device: Option<IfName>,
    /// Upload rate of the line as the modem or the provider states it, such as `6.5mbit`
    #[arg(long, value_name = "RATE")]
    pub(super) up: Option<Rate>,
    /// Download rate of the line, such as `25mbit`
    #[arg(long, value_name = "RATE")]
    pub(super) down: Option<Rate>,
    /// Write to this file instead of standard output; an existing file is kept
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    pub(super) force: bool,
}

#[cfg(unix)]
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// Shell
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

#[cfg(unix)]
#[derive(Debug, Args)]
pub(super) struct Man {
    /// Command, such as `check`; without it, the page of qosc itself
    pub(super) name: Option<String>,
    /// Write the pages of qosc and of every command to this folder, as NAME.1
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    pub(super) all: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Schema {
    #[command(flatten)]
    pub(super) to: Output,
}

#[derive(Debug, Args)]
pub(super) struct Compile {
    /// YAML file, or `-`
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) to: Output,
    /// Kind of output
    #[arg(long, value_enum, default_value_t = Emit::Script)]
    pub(super) emit: Emit,
    /// Kind of the WAN device for `--emit batch` and `plain`, if neither its name nor `link.frames` tells; a script detects it on the router
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) assume: Option<Device>,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) levels: LevelArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Emit {
    /// Shell script
    Script,
    /// Short shell script without state, as an expert would write it by hand; rebuilds everything at each start
    Plain,
    #[cfg(unix)]
    /// Lines for `tc -batch` that create everything on a router without queues
    Batch,
    #[cfg(unix)]
    /// Kernel objects as JSON
    Ir,
    #[cfg(unix)]
    /// Resolved configuration with the origin of every value, as JSON
    Model,
    #[cfg(unix)]
    /// Digest of the shell script, as in its metric `qosc_script_info`
    Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Device {
    /// Ethernet or VLAN: 14 bytes above IP
    Ethernet,
    /// Ethernet that carries PPPoE frames: 22 bytes above IP
    PppoeFrames,
    /// ppp, tun, WireGuard and similar: IP packets without a header
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
    /// YAML files, folders of YAML files, or `-`
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Also compare the files, which all describe links of one router: report devices, names, settings and mark bits that two
    /// files use
    #[arg(long)]
    pub(super) same_router: bool,
    /// Output format of findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
    /// Count the findings of each code instead of printing each, the most frequent first
    #[arg(long)]
    pub(super) statistics: bool,
    /// Also print the guarantee and the ceiling of each class, on each link and with each variant, to standard output
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(super) matrix: Option<MatrixFormat>,
    /// Fix every finding that has a certain fix, and keep all other bytes of the file; without `--yes`, only show the fixes as a
    /// diff
    #[arg(long)]
    pub(super) fix: bool,
    /// With `--fix`, write the files; for `-`, write the text to standard output
    #[arg(long, requires = "fix")]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) levels: LevelArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MatrixFormat {
    /// Aligned columns
    Text,
    /// Table for a comment on a pull request
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text of the file with the place underlined, on standard error
    Human,
    /// One line per finding
    Short,
    /// JSON array
    Json,
    /// SARIF 2.1.0, for code scanning
    #[cfg(unix)]
    Sarif,
    /// Workflow commands for GitHub Actions
    #[cfg(unix)]
    Github,
    /// JUnit XML, for GitLab and Jenkins
    #[cfg(unix)]
    Junit,
}

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Old configuration: a YAML file, a compiled script, `-`, `REV:path` in a git repository if no such file exists, or a folder of
    /// YAML files; or `BASE..HEAD`, which compares NEW in two git revisions
    pub(super) old: PathBuf,
    /// New configuration, given in the same way; with `BASE..HEAD`, a file or a folder, as seen from the current folder
    pub(super) new: PathBuf,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) to: Output,
    /// Output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub(super) format: DiffFormat,
    /// List every derived value, and show exact numbers
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    /// Changes by name, each with its cost
    Human,
    /// JSON object, or for folders an array with an object for each file
    Json,
    /// Unified diff of the two scripts
    Script,
    /// Text for a comment on a pull request: a table of the files, and their changes to unfold
    #[cfg(unix)]
    Markdown,
}

#[derive(Debug, Args)]
pub(super) struct Plan {
    /// YAML file, compiled script, `-`, or a folder of YAML files
    pub(super) file: PathBuf,
    /// Output of the script's `dump` on the router, or `-`; for a folder, the folder that has NAME.dump for each NAME.yaml, by
    /// default the same folder
    #[arg(long, value_name = "DUMP", conflicts_with = "live")]
    pub(super) dump: Option<PathBuf>,
    /// Read the state of this router, as root
    #[arg(long)]
    pub(super) live: bool,
    /// WAN device, if `start` is called with `--device`
    #[arg(long, value_name = "DEV")]
    pub(super) device: Option<IfName>,
    /// Plan for `start --take-over`, which removes objects of other tools
    #[arg(long)]
    pub(super) take_over: bool,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) to: Output,
    /// Output format
    #[arg(long, value_enum, default_value_t = PlanFormat::Human)]
    pub(super) format: PlanFormat,
    /// Also show exact numbers and every command
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PlanFormat {
    /// Changes by direction and name, each with its cost
    Human,
    /// JSON object with every command
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// YAML file, or `-`
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) to: Output,
    /// Output format
    #[arg(long, value_enum, default_value_t = ExplainFormat::Human)]
    pub(super) format: ExplainFormat,
    /// Show every number exactly, with its formula and its inputs
    // earlier versions needed `-vv` for this
    #[arg(short, long, overrides_with = "verbose")]
    pub(super) verbose: bool,
    /// Show only the numbers of this class
    #[arg(long, value_name = "NAME")]
    pub(super) class: Option<String>,
    /// Round trip time for bandwidth-delay products, such as `30ms`; by default CoDel's interval, 100ms
    #[arg(long, value_name = "TIME")]
    pub(super) rtt: Option<Micros>,
    /// Size of the IP packet whose serialization delay is shown beside that of a full packet: 20 to 65535 bytes. A voice packet has about 200
    #[arg(long, value_name = "BYTES", default_value_t = PACKET_SIZE, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(20..=65535))]
    pub(super) packet_size: u32,
    /// Show only the class and queue of this packet and of its answer, such as
    /// `up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef`
    #[arg(long, value_name = "PACKET", conflicts_with_all = ["verbose", "class", "rtt", "packet_size"])]
    pub(super) packet: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainFormat {
    /// Text with rounded numbers, at most 100 columns wide
    Human,
    /// JSON object with exact numbers
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Graph {
    /// YAML file, compiled script, or `-`
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) to: Output,
    /// Format of the drawing
    #[arg(long, value_enum, default_value_t = GraphFormat::Svg)]
    pub(super) format: GraphFormat,
    /// Also show the state of a router from its dump, or `-`: the existing classes, and the counters of `tc -s` if the dump has them
    #[arg(long, value_name = "DUMP", conflicts_with = "live")]
    pub(super) dump: Option<PathBuf>,
    /// Read the state of this router, as root, and also show rates, drops and backlog
    #[arg(long)]
    pub(super) live: bool,
    /// WAN device, if `start` was called with `--device`
    #[arg(long, value_name = "DEV")]
    pub(super) device: Option<IfName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GraphFormat {
    /// Self-contained picture
    Svg,
    /// Graph for Graphviz
    Dot,
    /// Mermaid flowchart, which GitHub and GitLab draw in documents
    Mermaid,
}

#[derive(Debug, Args)]
pub(super) struct Profiles {
    /// Link profile or class set to show
    pub(super) name: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Rule {
    /// Code of a finding, such as Q0102
    pub(super) code: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = RuleFormat::Human)]
    pub(super) format: RuleFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RuleFormat {
    /// The page of `docs/rules/`, or one line per code
    Human,
    /// JSON object, or an array of all codes
    Json,
}
