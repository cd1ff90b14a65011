//! The arguments of the commands that measure a line, and of `plot`.

use clap::{Args, ValueEnum};
use qosc_compiler::units::{Dscp, Micros, Rate};
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Fit {
    /// Measurements, or `-`: one line each with packet size, packets per second and, if known, bits per second, separated by commas
    #[arg(required_unless_present = "plan", conflicts_with = "plan")]
    pub(super) data: Option<PathBuf>,
    /// Meaning of the packet sizes
    #[arg(long, value_enum, default_value_t = Size::Ip)]
    pub(super) size: Size,
    /// Rate of the line in that direction as the modem states it, such as `6.5mbit`: it distinguishes PTM from Ethernet
    #[arg(long, value_name = "RATE")]
    pub(super) rate: Option<Rate>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FitFormat::Human, conflicts_with = "plan")]
    pub(super) format: FitFormat,
    /// Print a script that measures against this host; nothing is sent
    #[arg(long, value_name = "HOST", num_args = 0..=1, default_missing_value = "")]
    pub(super) plan: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Size {
    /// IP packet with its header
    Ip,
    /// UDP payload over IPv4, 28 bytes less: `-l` of iperf, `length` of a capture
    Udp,
    /// UDP payload over IPv6, 48 bytes less
    Udp6,
    /// Ethernet frame without its check sequence, 14 bytes more
    Frame,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FitFormat {
    /// Table, sentences, and the YAML to paste
    Human,
    /// JSON object
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Ping {
    /// Hosts by name or address, such as the router, the first router of the provider (`traceroute` shows it) and a distant host
    #[arg(required = true, value_name = "TARGET")]
    pub(super) targets: Vec<String>,
    /// DSCP values, separated by commas: each target gets requests with each value
    #[arg(long, value_delimiter = ',', default_value = "cs0", value_name = "DSCP")]
    pub(super) dscp: Vec<Dscp>,
    /// Time between two requests, for each target and DSCP; at least 1ms
    #[arg(long, default_value = "20ms", value_name = "TIME")]
    pub(super) interval: Micros,
    /// Number of requests for each target and DSCP; without it, `ping` runs until Ctrl-C and keeps the results
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "time")]
    pub(super) count: Option<u64>,
    /// Duration of the measurement, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub(super) time: Option<Micros>,
    /// Size of the IP packet of each request with its headers: 64 to 1500 bytes
    #[arg(long, default_value_t = 64, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(64..=1500))]
    pub(super) size: u16,
    /// Shell command that loads the line during the measurement, such as `iperf3 -c HOST -t 600 -P 3`; at the end, it is
    /// stopped with all its child processes
    #[arg(long, value_name = "COMMAND")]
    pub(super) load: Option<String>,
    /// Time from the first request to the start of the load
    #[arg(long, default_value = "5s", value_name = "TIME", requires = "load")]
    pub(super) load_after: Micros,
    /// Duration of the load; without it, the load lasts to the end
    #[arg(long, value_name = "TIME", requires = "load")]
    pub(super) load_for: Option<Micros>,
    /// Write every round trip time to this file, for `qosc plot`; `-` is standard output
    #[arg(short, long, value_name = "RUN")]
    pub(super) output: Option<PathBuf>,
    /// Format of the file
    #[arg(long, value_enum, default_value_t = RunFormat::Json, requires = "output")]
    pub(super) format: RunFormat,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    pub(super) force: bool,
    /// Name of the run in pictures; by default the name of its file
    #[arg(long, value_name = "TEXT")]
    pub(super) label: Option<String>,
    /// Source address, one of this machine
    #[arg(long, value_name = "ADDRESS")]
    pub(super) source: Option<IpAddr>,
    /// Use IPv4 addresses of names
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(super) ipv4: bool,
    /// Use IPv6 addresses of names
    #[arg(short = '6', long)]
    pub(super) ipv6: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RunFormat {
    /// JSON, which `qosc plot` reads
    Json,
    /// Table for other programs
    Csv,
}

#[derive(Debug, Args)]
pub(super) struct Plot {
    /// Files that `qosc ping -o` wrote, or `-`
    #[arg(required = true, value_name = "RUN")]
    pub(super) runs: Vec<PathBuf>,
    /// Draw a picture to this file, whose extension selects the format: `.svg`, or `.html` with zoom. Repeat `-o` for
    /// several pictures
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Vec<PathBuf>,
    /// Draw a dot for each round trip time, over time
    #[arg(long, conflicts_with_all = ["lines", "cdf"])]
    pub(super) scatter: bool,
    /// Draw a line through the round trip times, over time; this is the default
    #[arg(long, conflicts_with = "cdf")]
    pub(super) lines: bool,
    /// Draw the cumulative distribution: the share of requests that were answered within each time
    #[arg(long)]
    pub(super) cdf: bool,
    /// Use a logarithmic scale for round trip times; the default if medians or p99 differ by a factor of 10 or more, without `--max`
    #[arg(long)]
    pub(super) log: bool,
    /// Use a linear scale for round trip times
    #[arg(long, conflicts_with = "log")]
    pub(super) linear: bool,
    /// Largest round trip time of the scale, such as `100ms`; longer ones are drawn at the edge
    #[arg(long, value_name = "TIME")]
    pub(super) max: Option<Micros>,
}
