import Ferry
import Testing

/// The tests that run against nginx.
@Suite(
    "nginx",
    .enabled(if: NginxServer.isWanted, "nginx or openssl is not installed: apt-get install nginx-full openssl"),
    .timeLimit(.minutes(10))
)
enum NginxTests {}
