//! Tests with round trips to this machine.

use super::{GRACE, Sample, Session};
use crate::probe::{Echo, ProbeError};
use qosc_compiler::units::Dscp;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

fn echo(target: IpAddr, dscp: u8) -> Echo {
    let dscp = Dscp::new(dscp).unwrap();
    Echo::open(SocketAddr::new(target, 0), None, dscp)
        .expect("root may, and others where ping sockets are allowed")
}

fn run(mut session: Session) -> Session {
    let end = Instant::now() + Duration::from_secs(20);
    while !session.is_over() {
        assert!(Instant::now() < end, "it never ends");
        session.step(Instant::now() + Duration::from_millis(50)).unwrap();
    }
    session
}

#[test]
fn every_target_and_dscp_gets_answers() {
    if !crate::tools::found(&["echo-requests", "ipv6"]) {
        return;
    }
    let echoes = vec![echo(V4, 0), echo(V4, 46), echo(V6, 0), echo(V6, 8)];
    let session = run(Session::new(echoes, Duration::from_millis(10), 64, Some(20)));
    for asked in session.asked() {
        assert_eq!(asked.samples.len(), 20);
        assert!(asked.samples.iter().all(|sample| sample.round_trip.is_some()), "{asked:?}");
        assert_eq!((asked.doubles, &asked.refused), (0, &None));
        let gaps = asked.samples.windows(2).map(|pair| pair[1].sent - pair[0].sent);
        assert!(gaps.clone().all(|gap| gap < Duration::from_secs(5)));
        // late requests are not sent in a burst
        assert!(gaps.sum::<Duration>() >= Duration::from_millis(150), "{:?}", asked.samples);
    }
    // the sockets' requests are spread over the interval
    let first = |at: usize| session.asked()[at].samples[0].sent;
    assert!(first(1) >= Duration::from_micros(2500));
    assert!(first(3) >= Duration::from_micros(7500));
}

#[test]
fn large_packets_are_answered() {
    if !crate::tools::found(&["echo-requests", "ipv6"]) {
        return;
    }
    let session = run(Session::new(vec![echo(V4, 0), echo(V6, 0)], Duration::from_millis(5), 1500, Some(3)));
    assert!(session.asked().iter().flat_map(|asked| &asked.samples).all(|s| s.round_trip.is_some()));
}

/// Numbers beyond the 16 bits of ICMP's sequence number work on one socket.
#[test]
fn numbers_continue_when_the_icmp_sequence_wraps() {
    if !crate::tools::found(&["echo-requests"]) {
        return;
    }
    let echo = echo(V4, 0);
    let number = 65_536 * 5 + 7;
    echo.send(number, 64).unwrap();
    let end = Instant::now() + Duration::from_secs(5);
    let answer = loop {
        match echo.receive() {
            Some(answer) => break answer,
            None => assert!(Instant::now() < end, "no answer"),
        }
    };
    assert_eq!(answer.number, number);
    assert!(echo.receive().is_none());
}

#[test]
fn answers_to_one_socket_are_not_taken_by_another() {
    if !crate::tools::found(&["echo-requests"]) {
        return;
    }
    let (one, other) = (echo(V4, 0), echo(V4, 0));
    one.send(3, 64).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert!(other.receive().is_none());
    assert_eq!(one.receive().map(|answer| answer.number), Some(3));
}

#[test]
fn stopping_waits_for_packets_in_flight() {
    if !crate::tools::found(&["echo-requests"]) {
        return;
    }
    let mut session = Session::new(vec![echo(V4, 0)], Duration::from_millis(1), 64, None);
    while session.asked()[0].samples.len() < 5 {
        session.step(Instant::now() + Duration::from_millis(5)).unwrap();
    }
    assert!(!session.has_sent());
    session.stop();
    assert!(session.has_sent());
    let session = run(session);
    assert!(session.asked()[0].waits_since(Duration::ZERO).next().is_none());
}

#[test]
fn packets_in_flight_do_not_count_as_lost() {
    if !crate::tools::found(&["echo-requests"]) {
        return;
    }
    let mut session = Session::new(vec![echo(V4, 0)], Duration::from_secs(1), 64, Some(0));
    let sample = |ms, answered: bool| Sample {
        sent: Duration::from_millis(ms),
        round_trip: answered.then_some(Duration::from_millis(3)),
    };
    session.asked[0].samples =
        vec![sample(0, false), sample(1000, true), sample(5000, false), sample(5900, false)];
    session.start = Instant::now().checked_sub(Duration::from_secs(6)).unwrap();
    assert!(!session.is_over());
    session.forget_open();
    assert_eq!(session.asked[0].samples.len(), 3, "the last one was sent 100 ms ago");
    assert!(session.is_over());
    assert_eq!(session.grace(), GRACE.0);
}

#[test]
fn probe_errors_state_their_cause() {
    if !crate::tools::found(&["echo-requests", "ipv6"]) {
        return;
    }
    let dscp = Dscp::new(0).unwrap();
    let error = Echo::open(SocketAddr::new(V4, 0), Some(V6), dscp).unwrap_err();
    assert_eq!(error.cause, "the source `::1` and the target `127.0.0.1` are of different IP versions");
    let foreign = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
    let error = Echo::open(SocketAddr::new(V4, 0), Some(foreign), dscp).unwrap_err();
    assert_eq!(error.cause, "cannot send from `192.0.2.7`: cannot assign requested address");
    assert_eq!(error.cure, "`ip address` lists the addresses of this machine");
    let error = ProbeError::not_allowed();
    assert!(error.cure.contains("sysctl -w net.ipv4.ping_group_range=\"0 2147483647\""));
}
