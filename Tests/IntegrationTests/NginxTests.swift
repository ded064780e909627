import Ferry
import Testing

/// The tests that run against nginx.
///
/// The suites inside run one after another, since some of them load both the server and the disk.
@Suite(
    "nginx",
    .serialized,
    .enabled(if: NginxServer.isWanted, "nginx or openssl is not installed: apt-get install nginx-full openssl"),
    .timeLimit(.minutes(10))
)
enum NginxTests {}
