//! The arguments of the commands that measure a line, and of `plot`.

use crate::units::{Dscp, Micros, Rate};
use clap::{Args, ValueEnum};
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Fit {
    /// The measurements: a line each with packet size, packets a second and, if known, bits a second, commas between; or `-`
    #[arg(required_unless_present = "plan", conflicts_with = "plan")]
    pub(super) data: Option<PathBuf>,
    /// What the sizes count
    #[arg(long, value_enum, default_value_t = Size::Ip)]
    pub(super) size: Size,
    /// The line's own rate in that direction, such as `6.5mbit`, as the modem states it: it tells PTM from Ethernet
    #[arg(long, value_name = "RATE")]
    pub(super) rate: Option<Rate>,
    /// Draw a picture: points, curve and runner-up, as SVG
    #[arg(long, value_name = "SVG", conflicts_with = "plan")]
    pub(super) plot: Option<PathBuf>,
    /// How it is said
    #[arg(long, value_enum, default_value_t = FitFormat::Human, conflicts_with = "plan")]
    pub(super) format: FitFormat,
    /// Print the script that takes the measurement, for this host at the far end; nothing is sent
    #[arg(long, value_name = "HOST", num_args = 0..=1, default_missing_value = "")]
    pub(super) plan: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Size {
    /// The IP packet, header included
    Ip,
    /// What UDP carries over IPv4, 28 bytes less: iperf's `-l`, a capture's `length`
    Udp,
    /// What UDP carries over IPv6, 48 bytes less
    Udp6,
    /// The Ethernet frame without its check sequence, 14 bytes more
    Frame,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FitFormat {
    /// A table, sentences, and the YAML to paste
    Human,
    /// The same as a JSON object
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Ping {
    /// Hosts by name or address, such as the router, the provider's first router (`traceroute` lists it), a host far away
    #[arg(required = true, value_name = "TARGET")]
    pub(super) targets: Vec<String>,
    /// DSCP values, commas between: each target is asked with each of them
    #[arg(long, value_delimiter = ',', default_value = "cs0", value_name = "DSCP")]
    pub(super) dscp: Vec<Dscp>,
    /// From one request to the next, for each target and DSCP; at least 1ms
    #[arg(long, default_value = "20ms", value_name = "TIME")]
    pub(super) interval: Micros,
    /// Send so many requests to each; else until Ctrl-C, which keeps what was measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "time")]
    pub(super) count: Option<u64>,
    /// Measure for so long, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub(super) time: Option<Micros>,
    /// Bytes of the IP packet of each request, headers included: 64 to 1500
    #[arg(long, default_value_t = 64, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(64..=1500))]
    pub(super) size: u16,
    /// Fill the line with this command meanwhile, which a shell starts and which is ended with all that it started:
    /// such as `iperf3 -c HOST -t 600 -P 3`
    #[arg(long, value_name = "COMMAND")]
    pub(super) load: Option<String>,
    /// Start the load so long after the first request
    #[arg(long, default_value = "5s", value_name = "TIME", requires = "load")]
    pub(super) load_after: Micros,
    /// End the load after so long; else it lasts to the end
    #[arg(long, value_name = "TIME", requires = "load")]
    pub(super) load_for: Option<Micros>,
    /// Write every round trip to this file, for `qosc plot`; `-` is standard output
    #[arg(short, long, value_name = "RUN")]
    pub(super) output: Option<PathBuf>,
    /// How the file is written
    #[arg(long, value_enum, default_value_t = RunFormat::Json, requires = "output")]
    pub(super) format: RunFormat,
    /// Write over what is there
    #[arg(long, requires = "output")]
    pub(super) force: bool,
    /// What the run is called in pictures; else by its file
    #[arg(long, value_name = "TEXT")]
    pub(super) label: Option<String>,
    /// Send from this address of this machine
    #[arg(long, value_name = "ADDRESS")]
    pub(super) source: Option<IpAddr>,
    /// Take IPv4 addresses of names
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(super) ipv4: bool,
    /// Take IPv6 addresses of names
    #[arg(short = '6', long)]
    pub(super) ipv6: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RunFormat {
    /// Which `qosc plot` reads
    Json,
    /// A table for other programs
    Csv,
}

#[derive(Debug, Args)]
pub(super) struct Plot {
    /// Files that `qosc ping -o` wrote, or `-`
    #[arg(required = true, value_name = "RUN")]
    pub(super) runs: Vec<PathBuf>,
    /// Draw a picture; the ending says of which kind: `.svg`, `.png`, or `.html`, in which one can zoom. Several are drawn with
    /// several `-o`
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Vec<PathBuf>,
    /// A dot for each round trip, over time
    #[arg(long, conflicts_with_all = ["lines", "cdf"])]
    pub(super) scatter: bool,
    /// A line through the round trips, over time; this is what is drawn without one of the three
    #[arg(long, conflicts_with = "cdf")]
    pub(super) lines: bool,
    /// The share of requests that were answered within a time
    #[arg(long)]
    pub(super) cdf: bool,
    /// A logarithmic scale for round trips
    #[arg(long)]
    pub(super) log: bool,
    /// Show round trips up to this, such as `100ms`; longer ones lie at the edge
    #[arg(long, value_name = "TIME")]
    pub(super) max: Option<Micros>,
}
