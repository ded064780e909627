import Ferry
import Testing

/// The tests that run against nginx.
///
/// The suites that load the server or the disk take turns, and the others run at the same time.
@Suite(
    "nginx",
    .enabled(if: NginxServer.isWanted, "nginx or openssl is not installed: apt-get install nginx-full openssl"),
    .startsNginx,
    .timeLimit(.minutes(10))
)
enum NginxTests {}
